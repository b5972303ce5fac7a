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
	if kind.Batch != "" {
		return m.nextBatch(kind)
	}
	for _, wanted := range m.wanted.of(kind.Name) {
		if wanted.WhileRefused && !m.hasRefusals() {
			continue
		}
		if s := m.nextFor(kind, wanted); s != nil {
			return s
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
//	                          what is not ready; not at all while what it needs was refused
func (m *model) nextFor(kind cloud.ResourceKind, wanted cloud.Resource) *step {
	if m.refused[wanted.Ref()] {
		return nil
	}
	present, exists := m.present.byRef[wanted.Ref()]
	if !exists {
		return m.creation(kind, wanted)
	}
	fields := m.difference(present, wanted)
	if immutable(kind, fields) {
		return m.replacement(kind, present, wanted)
	}
	waits := false
	fields = slices.DeleteFunc(fields, func(f string) bool {
		early := slices.ContainsFunc(idsIn(wanted.Fields[f]), func(ref cloud.IDOf) bool { return !m.ready(kind, ref) || m.outdated(ref) })
		waits = waits || early
		return early || isLast(m, kind, f)
	})
	switch {
	case len(fields) == 0 && waits:
		s, _ := m.before(kind, wanted)
		return s
	case len(fields) == 0 || m.isDenied(wanted):
		return nil
	}
	fields = inOneRequest(kind, fields)
	if slices.Contains(fields, kind.Unique) {
		if s := freed(m, kind, wanted); s != nil {
			return s
		}
	}
	return &step{verb: cloud.Update, kind: kind, present: present, wanted: wanted, fields: fields}
}

// freed returns the step after which no other resource has the value of the unique field that a wanted one needs, nil when
// none has it, or the cloud has refused that.
func freed(m *model, kind cloud.ResourceKind, wanted cloud.Resource) *step {
	value := wanted.Fields[kind.Unique]
	for _, other := range m.present.of(kind.Name) {
		if value == nil || other.Fields[kind.Unique] != value || other.Ref() == wanted.Ref() || m.refused[other.Ref()] {
			continue
		}
		after := other
		after.Fields = maps.Clone(other.Fields)
		after.Fields[kind.Unique] = fmt.Sprintf("%v-%s", value, other.ID)
		return &step{verb: cloud.Update, kind: kind, present: other, wanted: after, fields: []string{kind.Unique}}
	}
	return nil
}

// inOneRequest returns those of the fields that the next request changes.
func inOneRequest(kind cloud.ResourceKind, fields []string) []string {
	together := slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return slices.Contains(kind.Separate, f) })
	if len(together) == 0 {
		return fields[:1]
	}
	return together
}

// isDenied reports whether the cloud has refused something that a resource needs, or something that
// has to be there before that.
func (m *model) isDenied(wanted cloud.Resource) bool {
	return m.hasRefusals() && slices.ContainsFunc(wanted.Needs, func(ref cloud.IDOf) bool { return m.refused[ref] || !m.present.has(ref) })
}

// isLast reports whether a field changes after everything else.
func isLast(m *model, kind cloud.ResourceKind, field string) bool {
	return slices.Contains(kind.Last, field) || m.deletes && kind.Anchor
}

func (m *model) creation(kind cloud.ResourceKind, wanted cloud.Resource) *step {
	s, ready := m.before(kind, wanted)
	if s != nil || !ready {
		return s
	}
	if s := freed(m, kind, wanted); s != nil {
		return s
	}
	if kind.Together != "" {
		return &step{verb: cloud.Create, kind: kind, wanted: wanted, with: m.missing(kind, wanted)}
	}
	return &step{verb: cloud.Create, kind: kind, wanted: wanted, with: m.brought(kind, wanted)}
}

// missing returns the resources that are made together with a wanted one, for the same object. A trial
// is made alone: it may be refused.
func (m *model) missing(kind cloud.ResourceKind, wanted cloud.Resource) []cloud.Resource {
	if !m.wanted.has(wanted.Ref()) {
		return nil
	}
	return m.wanted.together(kind, wanted, func(r cloud.Resource) bool {
		if m.present.has(r.Ref()) || m.refused[r.Ref()] || r.Problem != nil || r.WhileRefused && !m.hasRefusals() {
			return false
		}
		s, ready := m.before(kind, r)
		return s == nil && ready
	})
}

// brought returns the resources that are made together with a wanted one. The others of those kinds
// are made by themselves afterwards: what the cloud cannot have, and what refers to something that is
// not there yet.
func (m *model) brought(kind cloud.ResourceKind, wanted cloud.Resource) []cloud.Resource {
	with := slices.DeleteFunc(m.wanted.along(kind.Brings, wanted.Ref()), func(r cloud.Resource) bool {
		return m.present.has(r.Ref()) || m.refused[r.Ref()] || r.Problem != nil || r.WhileRefused || r.Alone
	})
	for before := -1; before != len(with); {
		before = len(with)
		together := map[cloud.IDOf]bool{wanted.Ref(): true}
		for _, r := range with {
			together[r.Ref()] = true
		}
		with = slices.DeleteFunc(with, func(r cloud.Resource) bool {
			return slices.ContainsFunc(references(r), func(ref cloud.IDOf) bool {
				return !together[ref] && !m.ready(m.byName[r.Kind], ref)
			})
		})
	}
	return with
}

// isReplaced reports whether a resource has to be made again.
func (m *model) isReplaced(ref cloud.IDOf) bool {
	wanted, isWanted := m.wanted.byRef[ref]
	present, exists := m.present.byRef[ref]
	return isWanted && exists && immutable(m.byName[ref.Kind], m.difference(present, wanted))
}

// outdated reports whether a resource, or one that it refers to, has to be made again.
func (m *model) outdated(ref cloud.IDOf) bool {
	return m.isReplaced(ref) || slices.ContainsFunc(references(m.wanted.byRef[ref]), m.outdated)
}

// immutable reports whether one of the fields cannot be changed.
func immutable(kind cloud.ResourceKind, fields []string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(kind.Immutable, f) })
}

// before returns the step that makes something the resource refers to, and whether all of that is
// ready where no step is due. What has to be made again counts as missing.
func (m *model) before(kind cloud.ResourceKind, r cloud.Resource) (due *step, ready bool) {
	ready = true
	for _, ref := range references(r) {
		other, wanted := m.wanted.byRef[ref]
		var s *step
		switch referred := m.byName[ref.Kind]; {
		case !wanted:
		case !m.present.has(ref) || m.isReplaced(ref):
			s = m.nextFor(referred, other)
		default:
			s, _ = m.before(referred, other)
		}
		if s != nil {
			return s, false
		}
		ready = ready && m.ready(kind, ref)
	}
	return nil, ready
}

// ready reports whether a resource of that kind can be led to another one: that is there, and has
// all that belongs to it and is made before. Everything belongs to the balancer itself, so there it is
// enough that it is there.
func (m *model) ready(kind cloud.ResourceKind, ref cloud.IDOf) bool {
	switch {
	case !m.present.has(ref):
		return false
	case !m.hasRefusals() || m.byName[ref.Kind].Anchor:
		return true
	case m.refusedBatch[ref]:
		return false
	}
	for _, earlier := range m.kinds {
		if earlier.Name == kind.Name {
			return true
		}
		for _, r := range m.wanted.of(earlier.Name) {
			if (m.refused[r.Ref()] || !m.present.has(r.Ref())) && !r.WhileRefused && slices.Contains(references(r), ref) {
				return false
			}
		}
	}
	return true
}

// nextBatch returns the step that writes the resources of one owner, nil when none differ. An owner
// that is not wanted goes with all it has, but while something is refused it still serves.
func (m *model) nextBatch(kind cloud.ResourceKind) *step {
	present, wanted := m.present.batches(kind), m.wanted.batches(kind)
	for _, ownerKind := range m.kinds {
		for _, owner := range m.present.kinds[ownerKind.Name] {
			stays := m.wanted.has(owner) || m.hasRefusals() && len(wanted[owner]) > 0
			if stays && !m.refusedBatch[owner] && !m.same(present[owner], wanted[owner]) {
				return &step{verb: cloud.Update, kind: kind, owner: owner, with: wanted[owner]}
			}
		}
	}
	return nil
}

func (m *model) same(present, wanted []cloud.Resource) bool {
	return len(present) == len(wanted) && !slices.ContainsFunc(wanted, func(w cloud.Resource) bool {
		p, exists := m.present.byRef[w.Ref()]
		return !exists || len(m.difference(p, w)) > 0
	})
}

// nextLast returns the step that changes fields that change last, nil when none is due. A Service
// gives up its part of a balancer only when nothing of it is left.
func (m *model) nextLast() *step {
	if m.deletes && m.hasRefusals() {
		return nil
	}
	for _, kind := range m.kinds {
		for _, wanted := range m.wanted.of(kind.Name) {
			present, exists := m.present.byRef[wanted.Ref()]
			if !exists || m.refused[wanted.Ref()] || m.isDenied(wanted) {
				continue
			}
			fields := slices.DeleteFunc(m.difference(present, wanted), func(f string) bool { return !isLast(m, kind, f) })
			if len(fields) > 0 {
				return &step{verb: cloud.Update, kind: kind, present: present, wanted: wanted, fields: inOneRequest(kind, fields)}
			}
		}
	}
	return nil
}
