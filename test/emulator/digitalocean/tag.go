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

// Tags are the account's.
type Tags struct {
	account *Account
	names   map[string]string // lower case name → name as first written
}

// ensure makes a tag exist and returns its name as first written.
func (ts *Tags) ensure(name string) string {
	key := strings.ToLower(name)
	if existing, ok := ts.names[key]; ok {
		return existing
	}
	ts.names[key] = name
	return name
}

func (ts *Tags) has(name string) bool {
	_, ok := ts.names[strings.ToLower(name)]
	return ok
}

// Add makes a tag exist.
func (ts *Tags) Add(name string) { ts.account.change(func() { ts.ensure(name) }) }

func (ts *Tags) view(name string) tagView {
	v := tagView{Name: name}
	for _, d := range ts.account.Droplets.all {
		if d.hasTag(name) {
			v.Resources.Droplets.Count++
		}
	}
	v.Resources.Count = v.Resources.Droplets.Count
	for _, b := range ts.account.LoadBalancers.all {
		if slices.Contains(b.Tags, name) {
			v.Resources.Count++
		}
	}
	return v
}

func (ts *Tags) list(r *http.Request) (reply, error) {
	views := []tagView{}
	for _, name := range slices.Sorted(maps.Values(ts.names)) {
		views = append(views, ts.view(name))
	}
	return paged(r, "tags", views), nil
}

// create: creating a tag that exists changes nothing.
func (ts *Tags) create(r *http.Request) (reply, error) {
	var body struct {
		Name string `json:"name"`
	}
	if err := decode(r, &body); err != nil {
		return reply{}, err
	}
	if !tagName.MatchString(body.Name) {
		return reply{}, unprocessable("Name must contain only letters, numbers, colons, dashes and underscores, and at most 255 of them")
	}
	view := ts.view(ts.ensure(body.Name))
	return reply{status: http.StatusCreated, body: map[string]any{"tag": view}}, nil
}

// named returns the tag a path names.
func (ts *Tags) named(r *http.Request) (string, error) {
	name, ok := ts.names[strings.ToLower(r.PathValue("name"))]
	if !ok {
		return "", notFound()
	}
	return name, nil
}

func (ts *Tags) get(r *http.Request) (reply, error) {
	name, err := ts.named(r)
	if err != nil {
		return reply{}, err
	}
	return reply{body: map[string]any{"tag": ts.view(name)}}, nil
}

// remove takes the tag off everything that carries it.
func (ts *Tags) remove(r *http.Request) (reply, error) {
	name, err := ts.named(r)
	if err != nil {
		return reply{}, err
	}
	delete(ts.names, strings.ToLower(name))
	for _, d := range slices.Clone(ts.account.Droplets.all) {
		ts.account.Droplets.setTag(d, name, false)
	}
	for _, b := range ts.account.LoadBalancers.all {
		b.Tags = without(b.Tags, name)
	}
	for _, f := range ts.account.Firewalls.all {
		f.Tags = without(f.Tags, name)
	}
	return noContent(), nil
}

type resource struct {
	ID   string `json:"resource_id"`
	Type string `json:"resource_type"`
}

func (ts *Tags) tag(r *http.Request) (reply, error)   { return ts.changeTagged(r, true) }
func (ts *Tags) untag(r *http.Request) (reply, error) { return ts.changeTagged(r, false) }

// changeTagged checks all resources before it changes the first one. A missing
// tag is 404, a missing resource 422 (guess).
func (ts *Tags) changeTagged(r *http.Request, on bool) (reply, error) {
	name, err := ts.named(r)
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
		change, err := ts.change(wanted, name, on)
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

// change returns what puts the tag on a resource or takes it off.
func (ts *Tags) change(wanted resource, name string, on bool) (func(), error) {
	switch wanted.Type {
	case "droplet":
		id, _ := strconv.Atoi(wanted.ID) // no number: no such droplet
		if d, ok := ts.account.Droplets.byID[id]; ok {
			return func() { ts.account.Droplets.setTag(d, name, on) }, nil
		}
	case "load_balancer":
		if b := ts.account.LoadBalancers.find(wanted.ID); b != nil {
			return func() { b.Tags = setMember(b.Tags, name, on) }, nil
		}
	default:
		return nil, unprocessable("resource_type %q is not supported", wanted.Type)
	}
	return nil, unprocessable("%s %s does not exist", wanted.Type, wanted.ID)
}

// setMember returns a copy of list with or without the value.
func setMember(list []string, value string, on bool) []string {
	list = without(list, value)
	if on {
		list = append(list, value)
	}
	return list
}
