package composite

import (
	"fmt"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// step is one change of one resource, or of one batch.
type step struct {
	verb            cloud.Verb
	kind            cloud.ResourceKind
	present, wanted cloud.Resource
	// fields are those that an update changes.
	fields []string
	// with are the resources that a creation brings, those that are made or deleted together with it,
	// or all of a batch.
	with []cloud.Resource
	// owner is what a batch belongs to.
	owner cloud.IDOf
	// replaces is the resource for which the present one is deleted, by this step or a later one, nil where none is.
	replaces *cloud.Resource
}

// plan returns the steps that lead from what is there to what is wanted, in their order.
func (m *model) plan() ([]*step, error) {
	planned := *m
	planned.present = &set{byRef: maps.Clone(m.present.byRef), kinds: map[string][]cloud.IDOf{}}
	for kind, refs := range m.present.kinds {
		planned.present.kinds[kind] = slices.Clone(refs)
	}
	var steps []*step
	// Each resource is made, changed or deleted a few times at the most.
	most := 5 * (len(m.present.byRef) + len(m.wanted.byRef) + 1)
	for s := planned.next(); s != nil; s = planned.next() {
		if len(steps) == most {
			return nil, fmt.Errorf("the change takes more than %d steps; the last is: %s", most, s.doing())
		}
		steps = append(steps, s)
		planned.done(s, "")
	}
	return steps, nil
}

// next returns the step that is due, nil when none is.
func (m *model) next() *step {
	for _, kind := range m.kinds {
		if s := m.nextOf(kind); s != nil {
			return s
		}
	}
	if s := m.nextDeletion(); s != nil {
		return s
	}
	return m.nextLast()
}

// nextOf returns the step that makes or changes a resource of a kind, nil when none is due.
func (m *model) nextOf(kind cloud.ResourceKind) *step {
	if kind.Batch.Name() != "" {
		return m.nextBatch(kind)
	}
	for _, wanted := range m.wanted.of(kind.Name) {
		if s := m.nextFor(kind, wanted); s != nil {
			return s
		}
	}
	return nil
}

// nextBatch returns the step that writes the resources of one owner, nil when none differ. An owner
// that is not wanted goes with all it has.
func (m *model) nextBatch(kind cloud.ResourceKind) *step {
	present, wanted := m.present.batches(kind), m.wanted.batches(kind)
	for _, ownerKind := range m.kinds {
		for _, owner := range m.present.kinds[ownerKind.Name] {
			if m.wanted.has(owner) && !m.same(present[owner], wanted[owner]) {
				return &step{verb: cloud.Update, kind: kind, owner: owner, with: wanted[owner]}
			}
		}
	}
	return nil
}

// nextFor returns the step that leads to a wanted resource:
//
//	it is  differs in         does
//	no     –                  makes what it refers to, then makes it
//	yes    an immutable field the same, then makes the trial, then deletes it, after what refers to it
//	yes    any other          changes it, except for fields that change last and those that refer to
//	                          what is not ready
func (m *model) nextFor(kind cloud.ResourceKind, wanted cloud.Resource) *step {
	present, exists := m.present.byRef[wanted.Ref()]
	if !exists {
		return m.creation(kind, wanted)
	}
	if fields := m.difference(present, wanted); !isImmutable(kind, fields) {
		return m.update(kind, present, wanted, fields)
	}
	return m.replacement(kind, present, wanted)
}

func (m *model) creation(kind cloud.ResourceKind, wanted cloud.Resource) *step {
	s, ready := m.before(wanted)
	if s != nil || !ready {
		return s
	}
	if s := m.freed(kind, wanted); s != nil {
		return s
	}
	s = &step{verb: cloud.Create, kind: kind, wanted: wanted}
	switch isTrial := !m.wanted.has(wanted.Ref()); {
	case kind.Together.Name() == "":
		s.with = m.brought(kind, wanted)
	case !isTrial: // which is made alone: it may be refused
		s.with = m.missing(kind, wanted)
	}
	return s
}

// before returns the step that makes something the resource refers to, and whether all of that is
// there where no step is due. What has to be made again counts as missing.
func (m *model) before(r cloud.Resource) (due *step, ready bool) {
	ready = true
	for _, ref := range references(r) {
		other, wanted := m.wanted.byRef[ref]
		var s *step
		switch referred := m.byName[ref.Kind]; {
		case !wanted:
		case !m.present.has(ref) || m.isReplaced(ref):
			s = m.nextFor(referred, other)
		default:
			s, _ = m.before(other)
		}
		if s != nil {
			return s, false
		}
		ready = ready && m.present.has(ref)
	}
	return nil, ready
}

// isReplaced reports whether a resource has to be made again.
func (m *model) isReplaced(ref cloud.IDOf) bool {
	wanted, isWanted := m.wanted.byRef[ref]
	present, exists := m.present.byRef[ref]
	return isWanted && exists && isImmutable(m.byName[ref.Kind], m.difference(present, wanted))
}

// isImmutable reports whether one of the fields cannot be changed.
func isImmutable(kind cloud.ResourceKind, fields []string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { return isOneOf(kind.Immutable, f) })
}

// isOneOf reports whether one of the fields has that name.
func isOneOf(fields []cloud.AnyField, name string) bool {
	return slices.ContainsFunc(fields, func(f cloud.AnyField) bool { return f.Name() == name })
}

// freed returns the step after which no other resource has the value of the unique field that a wanted one needs, nil when
// none has it.
func (m *model) freed(kind cloud.ResourceKind, wanted cloud.Resource) *step {
	value, isSet := kind.Unique.In(wanted)
	for _, other := range m.present.of(kind.Name) {
		if has, isThere := kind.Unique.In(other); !isSet || !isThere || has != value || other.Ref() == wanted.Ref() {
			continue
		}
		after := other
		after.Fields = other.Fields.With(kind.Unique.Is(value + "-" + other.ID))
		return &step{verb: cloud.Update, kind: kind, present: other, wanted: after, fields: []string{kind.Unique.Name()}}
	}
	return nil
}

// brought returns the resources that are made together with a wanted one. The others of those kinds
// are made by themselves afterwards: what the cloud cannot have, and what refers to something that is
// not there yet.
func (m *model) brought(kind cloud.ResourceKind, wanted cloud.Resource) (with []cloud.Resource) {
	together := map[cloud.IDOf]bool{wanted.Ref(): true}
	for _, name := range kind.Brings {
		for _, r := range m.wanted.of(name) {
			if m.wanted.refers(r, wanted.Ref()) && !m.present.has(r.Ref()) && r.Problem == nil && !r.Alone {
				with, together[r.Ref()] = append(with, r), true
			}
		}
	}
	for before := -1; before != len(with); {
		before = len(with)
		with = slices.DeleteFunc(with, func(r cloud.Resource) bool {
			lacks := slices.ContainsFunc(references(r), func(ref cloud.IDOf) bool { return !together[ref] && !m.present.has(ref) })
			together[r.Ref()] = !lacks
			return lacks
		})
	}
	return with
}

// missing returns the resources that are made together with a wanted one, for the same object.
func (m *model) missing(kind cloud.ResourceKind, wanted cloud.Resource) []cloud.Resource {
	return m.wanted.together(kind, wanted, func(r cloud.Resource) bool {
		if m.present.has(r.Ref()) || r.Problem != nil {
			return false
		}
		s, ready := m.before(r)
		return s == nil && ready
	})
}

// update returns the step that changes a resource, or makes what it will refer to.
func (m *model) update(kind cloud.ResourceKind, present, wanted cloud.Resource, fields []string) *step {
	waits := false
	fields = slices.DeleteFunc(fields, func(f string) bool {
		field, _ := wanted.Fields.Named(f)
		early := slices.ContainsFunc(referredBy(field), func(ref cloud.IDOf) bool { return !m.present.has(ref) || m.isOutdated(ref) })
		waits = waits || early
		return early || m.isLast(kind, f)
	})
	switch {
	case len(fields) == 0 && waits:
		s, _ := m.before(wanted)
		return s
	case len(fields) == 0:
		return nil
	}
	fields = inOneRequest(kind, fields)
	if slices.Contains(fields, kind.Unique.Name()) {
		if s := m.freed(kind, wanted); s != nil {
			return s
		}
	}
	return &step{verb: cloud.Update, kind: kind, present: present, wanted: wanted, fields: fields}
}

// isOutdated reports whether a resource, or one that it refers to, has to be made again.
func (m *model) isOutdated(ref cloud.IDOf) bool {
	return m.isReplaced(ref) || slices.ContainsFunc(references(m.wanted.byRef[ref]), m.isOutdated)
}

// isLast reports whether a field changes after everything else.
func (m *model) isLast(kind cloud.ResourceKind, field string) bool {
	return isOneOf(kind.Last, field) || m.deletes && kind.Anchor
}

// inOneRequest returns those of the fields that the next request changes.
func inOneRequest(kind cloud.ResourceKind, fields []string) []string {
	together := slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return isOneOf(kind.Separate, f) })
	if len(together) == 0 {
		return fields[:1]
	}
	return together
}

func (s *set) of(kind string) []cloud.Resource {
	list := make([]cloud.Resource, 0, len(s.kinds[kind]))
	for _, ref := range s.kinds[kind] {
		list = append(list, s.byRef[ref])
	}
	return list
}

// batches returns the resources of a kind by the one that they belong to.
func (s *set) batches(kind cloud.ResourceKind) map[cloud.IDOf][]cloud.Resource {
	batches := map[cloud.IDOf][]cloud.Resource{}
	for _, r := range s.of(kind.Name) {
		owner := kind.Batch.Of(r).Of
		batches[owner] = append(batches[owner], r)
	}
	return batches
}

// together returns the resources of a kind that belong to the same object as that one, and are as
// asked, without that one.
func (s *set) together(kind cloud.ResourceKind, as cloud.Resource, are func(cloud.Resource) bool) []cloud.Resource {
	if kind.Together.Name() == "" {
		return nil
	}
	return slices.DeleteFunc(s.of(kind.Name), func(r cloud.Resource) bool {
		return r.Ref() == as.Ref() || kind.Together.Of(r) != kind.Together.Of(as) || !are(r)
	})
}

// refers reports whether a resource refers to that one, itself or by way of others.
func (s *set) refers(r cloud.Resource, to cloud.IDOf) bool {
	return slices.ContainsFunc(references(r), func(ref cloud.IDOf) bool {
		other, ok := s.byRef[ref]
		return ref == to || ok && s.refers(other, to)
	})
}
