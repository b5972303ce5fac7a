package gce

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/filter"
)

// maxPage is the largest and the default page, from the parameter's description.
const maxPage = 500

// entry is an object in a list.
type entry struct {
	key   string // what the list is ordered by
	scope string
	r     *resource
	json  json.RawMessage // of those on the page
}

// lists are the objects as lists show them: behind the state while they are held.
func (s *Server) lists() *store {
	if s.held != nil {
		return s.held
	}
	return s.store
}

// entries filters objects and puts them in order.
func (c *call) entries(all []*resource) ([]entry, error) {
	matches, err := filter.Parse(c.query.Get("filter"))
	if err != nil {
		return nil, broken("common/filter", "Invalid value for field 'filter': %v", err)
	}
	order := c.query.Get("orderBy")
	if order != "" && order != "name" && order != "creationTimestamp desc" {
		return nil, broken("common/order", "Invalid value for field 'orderBy': '%s'", order)
	}
	filtered := c.query.Get("filter") != ""
	out := make([]entry, 0, len(all))
	for _, r := range all {
		if filtered && !matches(c.store.view(r)) {
			continue
		}
		e := entry{key: r.path, scope: r.scope(), r: r}
		if order == "creationTimestamp desc" {
			e.key = newest(text(r.fields, "id"))
		}
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].key < out[j].key })
	return out, nil
}

// newest turns the order of numbers round.
func newest(id string) string {
	n, _ := strconv.ParseUint(id, 10, 64)
	return strconv.FormatUint(9_000_000_000_000_000_000-n, 10)
}

// page cuts entries to what the request asks for and encodes them; token is that of the next page.
func (c *call) page(all []entry) (part []entry, token string, err error) {
	size := maxPage
	if text := c.query.Get("maxResults"); text != "" {
		size, _ = strconv.Atoi(text) // checked: a number
		if size > maxPage {
			return nil, "", broken("common/page-size", "Invalid value for field 'maxResults': '%s'. Must be between 0 and 500.", text)
		}
		if size == 0 {
			size = maxPage
		}
	}
	list := hash(c.r.URL.Path + c.query.Get("filter") + c.query.Get("orderBy"))
	start := 0
	if sent := c.query.Get("pageToken"); sent != "" {
		data, err := base64.URLEncoding.DecodeString(sent)
		of, after, ok := strings.Cut(string(data), "\n")
		if err != nil || !ok || of != list {
			return nil, "", broken("common/page-token", "Invalid value for field 'pageToken': '%s'", sent)
		}
		start = sort.Search(len(all), func(i int) bool { return all[i].key > after })
	}
	part = slices.Clone(all[start:min(start+size, len(all))])
	if end := start + len(part); end < len(all) {
		token = base64.URLEncoding.EncodeToString([]byte(list + "\n" + all[end-1].key))
	}
	for i := range part {
		part[i].json = c.store.encoded(part[i].r)
	}
	return part, token, nil
}

// envelope is a list's answer without its objects.
func (c *call) envelope(token string) fields {
	path := strings.TrimPrefix(c.r.URL.Path, apiRoot)
	out := fields{"kind": discovery.Load().Schemas[c.spec.Response].Properties["kind"].Default, "id": path, "selfLink": c.store.link(path)}
	if token != "" {
		out["nextPageToken"] = token
	}
	return out
}

func (c *call) list() (any, error) {
	if c.s.unreachable[c.scope] {
		return nil, broken("common/unreachable", "The scope '%s' cannot be reached", c.scope)
	}
	all, err := c.entries(c.s.lists().in(c.collection()))
	if err != nil {
		return nil, err
	}
	part, token, err := c.page(all)
	if err != nil {
		return nil, err
	}
	out := c.envelope(token)
	if len(part) > 0 {
		items := make([]json.RawMessage, len(part))
		for i, e := range part {
			items[i] = e.json
		}
		out["items"] = items
	}
	return out, nil
}

// aggregate answers the objects of all zones or regions.
func (c *call) aggregate() (any, error) {
	all, err := c.entries(c.s.lists().of(c.project.id, c.kind.name, ""))
	if err != nil {
		return nil, err
	}
	partial := c.query.Get("returnPartialSuccess") == "true"
	scopes := c.scopes()
	for _, scope := range scopes {
		if !c.s.unreachable[scope] {
			continue
		}
		if !partial {
			return nil, broken("common/unreachable", "The scope '%s' cannot be reached", scope)
		}
		all = slices.DeleteFunc(all, func(e entry) bool { return e.scope == scope })
	}
	part, token, err := c.page(all)
	if err != nil {
		return nil, err
	}
	lists := map[string][]json.RawMessage{}
	for _, e := range part {
		lists[e.scope] = append(lists[e.scope], e.json)
	}
	items := fields{}
	out := c.envelope(token)
	for _, scope := range scopes {
		switch {
		case c.s.unreachable[scope]:
			items[scope] = fields{"warning": warning("UNREACHABLE", "The scope '"+scope+"' cannot be reached.", scope)}
			out["unreachables"] = append(list(out, "unreachables"), "projects/"+c.project.id+"/"+scope)
		case len(lists[scope]) > 0:
			items[scope] = fields{c.kind.segment(): lists[scope]}
		default:
			items[scope] = fields{"warning": warning("NO_RESULTS_ON_PAGE", "There are no results for scope '"+scope+"' on this page.", scope)}
		}
	}
	out["items"] = items
	return out, nil
}

func warning(code, message, scope string) fields {
	return fields{"code": code, "message": message, "data": []any{fields{"key": "scope", "value": scope}}}
}

// scopes are those that an aggregated list of the kind has; addresses and forwarding rules can be global.
func (c *call) scopes() []string {
	scoped := c.kind.scoped()
	var out []string
	if c.kind.name == "addresses" || c.kind.name == "forwardingRules" {
		out = append(out, "global")
	}
	for _, name := range slices.Sorted(maps.Keys(c.store.lists["projects/"+c.project.id+"/"+scoped])) {
		out = append(out, scoped+"/"+name)
	}
	return out
}
