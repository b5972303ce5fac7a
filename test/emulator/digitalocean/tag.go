package digitalocean

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tagName is what the API description allows; tags keep their case but are
// compared without it.
var tagName = regexp.MustCompile(`^[a-zA-Z0-9_\-:]{1,255}$`)

type tagView struct {
	Name      string       `json:"name"`
	Resources tagResources `json:"resources"`
}

// tagResources counts what carries a tag. Load balancers count only in the total (guess).
type tagResources struct {
	Count    int      `json:"count"`
	Droplets tagCount `json:"droplets"`
}

type tagCount struct {
	Count int `json:"count"`
}

// ensureTag makes a tag exist and returns its name as first written.
func (a *Account) ensureTag(name string) string {
	key := strings.ToLower(name)
	if existing, ok := a.tags[key]; ok {
		return existing
	}
	a.tags[key] = name
	return name
}

func (a *Account) hasTag(name string) bool {
	_, ok := a.tags[strings.ToLower(name)]
	return ok
}

// AddTag makes a tag exist.
func (a *Account) AddTag(name string) { a.change(func() { a.ensureTag(name) }) }

func (a *Account) tagView(name string) tagView {
	v := tagView{Name: name}
	for _, d := range a.droplets.list {
		if d.hasTag(name) {
			v.Resources.Droplets.Count++
		}
	}
	v.Resources.Count = v.Resources.Droplets.Count
	for _, b := range a.balancers {
		if slices.Contains(b.Tags, name) {
			v.Resources.Count++
		}
	}
	return v
}

func (a *Account) listTags(r *http.Request) (reply, error) {
	views := []tagView{}
	for _, name := range slices.Sorted(maps.Values(a.tags)) {
		views = append(views, a.tagView(name))
	}
	return paged(r, "tags", views), nil
}

// createTag: creating a tag that exists changes nothing.
func (a *Account) createTag(r *http.Request) (reply, error) {
	var body struct {
		Name string `json:"name"`
	}
	if err := decode(r, &body); err != nil {
		return reply{}, err
	}
	if !tagName.MatchString(body.Name) {
		return reply{}, unprocessable("Name must contain only letters, numbers, colons, dashes and underscores, and at most 255 of them")
	}
	view := a.tagView(a.ensureTag(body.Name))
	return reply{status: http.StatusCreated, body: map[string]any{"tag": view}}, nil
}

// pathTag returns the tag a path names.
func (a *Account) pathTag(r *http.Request) (string, error) {
	name, ok := a.tags[strings.ToLower(r.PathValue("name"))]
	if !ok {
		return "", notFound()
	}
	return name, nil
}

func (a *Account) getTag(r *http.Request) (reply, error) {
	name, err := a.pathTag(r)
	if err != nil {
		return reply{}, err
	}
	return reply{body: map[string]any{"tag": a.tagView(name)}}, nil
}

// deleteTag takes the tag off everything that carries it.
func (a *Account) deleteTag(r *http.Request) (reply, error) {
	name, err := a.pathTag(r)
	if err != nil {
		return reply{}, err
	}
	delete(a.tags, strings.ToLower(name))
	for _, d := range slices.Clone(a.droplets.list) {
		a.setDropletTag(d, name, false)
	}
	for _, b := range a.balancers {
		b.Tags = without(b.Tags, name)
	}
	for _, f := range a.firewalls {
		f.Tags = without(f.Tags, name)
	}
	return noContent(), nil
}

type resource struct {
	ID   string `json:"resource_id"`
	Type string `json:"resource_type"`
}

func (a *Account) tagResources(r *http.Request) (reply, error)   { return a.changeTagged(r, true) }
func (a *Account) untagResources(r *http.Request) (reply, error) { return a.changeTagged(r, false) }

// changeTagged checks all resources before it changes the first one. A missing
// tag is 404, a missing resource 422 (guess).
func (a *Account) changeTagged(r *http.Request, on bool) (reply, error) {
	name, err := a.pathTag(r)
	if err != nil {
		return reply{}, err
	}
	var body struct {
		Resources []resource `json:"resources"`
	}
	if err := decode(r, &body); err != nil {
		return reply{}, err
	}
	if len(body.Resources) == 0 {
		return reply{}, unprocessable("resources is required")
	}
	changes := make([]func(), 0, len(body.Resources))
	for _, wanted := range body.Resources {
		change, err := a.tagChange(wanted, name, on)
		if err != nil {
			return reply{}, err
		}
		changes = append(changes, change)
	}
	for _, change := range changes {
		change()
	}
	return noContent(), nil
}

// tagChange returns what puts the tag on a resource or takes it off.
func (a *Account) tagChange(wanted resource, name string, on bool) (func(), error) {
	switch wanted.Type {
	case "droplet":
		id, _ := strconv.Atoi(wanted.ID) // no number: no such droplet
		if d, ok := a.droplets.byID[id]; ok {
			return func() { a.setDropletTag(d, name, on) }, nil
		}
	case "load_balancer":
		if b := a.findBalancer(wanted.ID); b != nil {
			return func() { b.Tags = setMember(b.Tags, name, on) }, nil
		}
	default:
		return nil, unprocessable("resource_type %q is not supported", wanted.Type)
	}
	return nil, unprocessable("%s %s does not exist", wanted.Type, wanted.ID)
}

func (a *Account) setDropletTag(d *stored, name string, on bool) {
	if d.hasTag(name) == on {
		return
	}
	changed := d.Droplet
	changed.Tags = slices.DeleteFunc(slices.Clone(d.Tags), func(t string) bool { return strings.EqualFold(t, name) })
	if on {
		changed.Tags = append(changed.Tags, name)
	}
	a.droplets.put(&stored{Droplet: changed})
}

// setMember returns a copy of list with or without the value.
func setMember(list []string, value string, on bool) []string {
	list = without(list, value)
	if on {
		list = append(list, value)
	}
	return list
}
