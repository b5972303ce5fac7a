package gce

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// resource is one stored object. It is replaced, never changed.
type resource struct {
	kind   *kind
	path   string // relative to the API's root, as in "projects/p/zones/z/instances/n"
	fields fields
	// members are what methods of their own add and remove: a group's instances by path, a NEG's endpoints.
	members []member
	uses    []string // paths of what the fields name
}

// member is an instance of a group, or an endpoint of a NEG.
type member struct {
	instance string // path
	address  string
	port     int64
}

func (r *resource) name() string { return r.path[strings.LastIndexByte(r.path, '/')+1:] }

// collection is the path without the name.
func (r *resource) collection() string { return r.path[:strings.LastIndexByte(r.path, '/')] }

// project and scope are parts of a path; scope is "global", "regions/r" or "zones/z".
func (r *resource) project() string { return projectOf(r.path) }
func (r *resource) scope() string   { return scopeOf(r.path) }

func projectOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

func scopeOf(path string) string {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) > 3 && (parts[2] == "zones" || parts[2] == "regions") && len(parts) > 4:
		return parts[2] + "/" + parts[3]
	case len(parts) > 2:
		return "global"
	}
	return ""
}

// encoded returns the answer's JSON.
func (t *store) encoded(r *resource) json.RawMessage {
	data, err := json.Marshal(t.view(r))
	if err != nil {
		panic(fmt.Sprintf("encoding %s: %v", r.path, err)) // decoded JSON: a bug
	}
	return data
}

// view returns the fields with those that are computed when they are read.
func (t *store) view(r *resource) fields {
	if r.kind.view == nil {
		return r.fields
	}
	out := maps.Clone(r.fields)
	r.kind.view(t, r, out)
	return out
}

// store holds all projects and their objects.
type store struct {
	options  *Options
	serial   int
	projects map[string]*Project
	byPath   map[string]*resource
	lists    map[string]map[string]*resource // collection → name → object
	users    map[string]map[string]bool      // path → paths of the objects that name it
}

func (t *store) clear() {
	t.projects, t.byPath = map[string]*Project{}, map[string]*resource{}
	t.lists, t.users = map[string]map[string]*resource{}, map[string]map[string]bool{}
}

// put adds an object or replaces the one with its path.
func (t *store) put(r *resource) {
	t.forget(t.byPath[r.path])
	t.byPath[r.path] = r
	if t.lists[r.collection()] == nil {
		t.lists[r.collection()] = map[string]*resource{}
	}
	t.lists[r.collection()][r.name()] = r
	for _, used := range r.uses {
		if t.users[used] == nil {
			t.users[used] = map[string]bool{}
		}
		t.users[used][r.path] = true
	}
}

func (t *store) remove(path string) {
	r := t.byPath[path]
	if r == nil {
		return
	}
	t.forget(r)
	delete(t.byPath, path)
	delete(t.lists[r.collection()], r.name())
}

func (t *store) forget(r *resource) {
	if r == nil {
		return
	}
	for _, used := range r.uses {
		delete(t.users[used], r.path)
	}
}

// in returns the objects of a collection in the order of their names.
func (t *store) in(collection string) []*resource {
	members := t.lists[collection]
	out := make([]*resource, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out = append(out, members[name])
	}
	return out
}

// of returns all objects of a kind in a project in the order of their paths; scope narrows it when
// it is not empty.
func (t *store) of(project, kind, scope string) []*resource {
	var out []*resource
	for _, collection := range slices.Sorted(maps.Keys(t.lists)) {
		if projectOf(collection) != project || (scope != "" && scopeOf(collection+"/x") != scope) {
			continue
		}
		if all := t.in(collection); len(all) > 0 && all[0].kind.name == kind {
			out = append(out, all...)
		}
	}
	return out
}

// snapshot copies the lists; objects are shared, as they are never changed.
func (t *store) snapshot() *store {
	out := &store{byPath: maps.Clone(t.byPath), lists: map[string]map[string]*resource{}, users: t.users}
	for collection, members := range t.lists {
		out.lists[collection] = maps.Clone(members)
	}
	return out
}
