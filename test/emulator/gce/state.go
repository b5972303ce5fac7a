package gce

import (
	"fmt"
	"maps"
	"slices"
)

// State is everything at one moment.
type State struct {
	// Objects are all objects as the API answers them, by path such as "projects/p/zones/z/instances/n".
	Objects map[string]map[string]any `json:"objects"`
	// Members are the instances of instance groups and NEGs by the path of the group.
	Members map[string][]string `json:"members"`
	// Running are the methods and targets of operations that have not ended.
	Running []string `json:"running"`
}

// State returns everything. What it points to is shared and must not be changed.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := State{Objects: map[string]map[string]any{}, Members: map[string][]string{}, Running: []string{}}
	for path, r := range s.store.byPath {
		out.Objects[path] = s.store.view(r)
		for _, m := range r.members {
			out.Members[path] = append(out.Members[path], m.instance)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.Operations.busy)) {
		out.Running = append(out.Running, text(s.Operations.busy[path].fields, "operationType")+" "+path)
	}
	return out
}

// Edit changes the stored fields of an object past all rules, as a merge patch: drift, and states
// that no request leads to.
func (s *Server) Edit(path string, patch map[string]any) error {
	var err error
	s.change(func() {
		r := s.store.byPath[path]
		if r == nil {
			err = fmt.Errorf("there is no object %s", path)
			return
		}
		next := merge(r.fields, normal(patch).(fields))
		fingerprint(r.kind, next)
		s.store.put(&resource{kind: r.kind, path: path, fields: next, members: r.members, uses: r.uses})
	})
	return err
}

// Remove takes an object away past all rules.
func (s *Server) Remove(path string) error {
	var err error
	s.change(func() {
		r := s.store.byPath[path]
		if r == nil {
			err = fmt.Errorf("there is no object %s", path)
			return
		}
		if r.kind.removed != nil {
			r.kind.removed(s.store, r)
		}
		s.store.remove(path)
	})
	return err
}
