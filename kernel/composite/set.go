package composite

import (
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// set is resources of all kinds, in the order of the driver.
type set struct {
	byRef map[cloud.IDOf]cloud.Resource
	kinds map[string][]cloud.IDOf
}

func newSet() *set {
	return &set{byRef: map[cloud.IDOf]cloud.Resource{}, kinds: map[string][]cloud.IDOf{}}
}

func (s *set) add(r cloud.Resource) {
	s.byRef[r.Ref()] = r
	s.kinds[r.Kind] = append(s.kinds[r.Kind], r.Ref())
}

func (s *set) remove(refs ...cloud.IDOf) {
	for _, ref := range refs {
		delete(s.byRef, ref)
	}
	for kind, list := range s.kinds {
		s.kinds[kind] = slices.DeleteFunc(list, func(ref cloud.IDOf) bool { return !s.has(ref) })
	}
}

func refsOf(list []cloud.Resource) []cloud.IDOf {
	refs := make([]cloud.IDOf, len(list))
	for i, r := range list {
		refs[i] = r.Ref()
	}
	return refs
}

func (s *set) has(ref cloud.IDOf) bool {
	_, ok := s.byRef[ref]
	return ok
}

func (s *set) of(kind string) []cloud.Resource {
	list := make([]cloud.Resource, 0, len(s.kinds[kind]))
	for _, ref := range s.kinds[kind] {
		list = append(list, s.byRef[ref])
	}
	return list
}

// circular returns a resource that refers to itself, by way of others.
func (s *set) circular() (ref cloud.IDOf, found bool) {
	ended := map[cloud.IDOf]bool{} // false for what is being followed
	var follow func(cloud.IDOf) bool
	follow = func(ref cloud.IDOf) bool {
		if end, known := ended[ref]; known {
			return !end
		}
		ended[ref] = false
		circular := slices.ContainsFunc(references(s.byRef[ref]), follow)
		ended[ref] = !circular
		return circular
	}
	for ref = range s.byRef {
		if follow(ref) {
			return ref, true
		}
	}
	return cloud.IDOf{}, false
}

// any reports whether one of the resources is as asked.
func (s *set) any(is func(cloud.Resource) bool) bool {
	for _, r := range s.byRef {
		if is(r) {
			return true
		}
	}
	return false
}

// batches returns the resources of a kind by the one that they belong to.
func (s *set) batches(kind cloud.ResourceKind) map[cloud.IDOf][]cloud.Resource {
	batches := map[cloud.IDOf][]cloud.Resource{}
	for _, r := range s.of(kind.Name) {
		if owner, ok := r.Fields[kind.Batch].(cloud.IDOf); ok {
			batches[owner] = append(batches[owner], r)
		}
	}
	return batches
}

// together returns the resources of a kind that belong to the same object as that one, and are as
// asked, without that one.
func (s *set) together(kind cloud.ResourceKind, as cloud.Resource, are func(cloud.Resource) bool) []cloud.Resource {
	if kind.Together == "" {
		return nil
	}
	return slices.DeleteFunc(s.of(kind.Name), func(r cloud.Resource) bool {
		return r.Ref() == as.Ref() || r.Fields[kind.Together] != as.Fields[kind.Together] || !are(r)
	})
}

// along returns the resources of these kinds that refer to that one, themselves or by way of others.
func (s *set) along(kinds []string, to cloud.IDOf) []cloud.Resource {
	var list []cloud.Resource
	for _, kind := range kinds {
		for _, r := range s.of(kind) {
			if s.refers(r, to) {
				list = append(list, r)
			}
		}
	}
	return list
}

func (s *set) refers(r cloud.Resource, to cloud.IDOf) bool {
	return slices.ContainsFunc(references(r), func(ref cloud.IDOf) bool {
		other, ok := s.byRef[ref]
		return ref == to || ok && s.refers(other, to)
	})
}

// references are the resources that have to be there before this one.
func references(r cloud.Resource) []cloud.IDOf {
	refs := slices.Clone(r.Needs)
	for _, name := range slices.Sorted(maps.Keys(r.Fields)) {
		refs = append(refs, idsIn(r.Fields[name])...)
	}
	return refs
}

// idsIn are the ids that stand in the value of a field.
func idsIn(value any) (refs []cloud.IDOf) {
	switch v := value.(type) {
	case cloud.IDOf:
		return []cloud.IDOf{v}
	case cloud.FieldOf:
		return []cloud.IDOf{v.Of}
	case []any:
		for _, item := range v {
			refs = append(refs, idsIn(item)...)
		}
	}
	return refs
}
