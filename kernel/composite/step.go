package composite

import (
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
	// with are the resources that a creation brings, or all of a batch.
	with []cloud.Resource
	// owner is what a batch belongs to.
	owner cloud.IDOf
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
//	yes    an immutable field the same, then makes the trial, then deletes it
//	yes    any other          changes it, except for fields that change last and those that refer to
//	                          what is not ready
func (m *model) nextFor(kind cloud.ResourceKind, wanted cloud.Resource) *step {
	if m.refused[wanted.Ref()] {
		return nil
	}
	present, exists := m.present.byRef[wanted.Ref()]
	if !exists {
		return m.creation(kind, wanted)
	}
	fields := m.difference(present, wanted)
	if slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(kind.Immutable, f) }) {
		return m.replacement(kind, present, wanted)
	}
	fields = slices.DeleteFunc(fields, func(f string) bool {
		ref, refers := wanted.Fields[f].(cloud.IDOf)
		return isLast(m, kind, f) || refers && !m.ready(kind, ref)
	})
	if len(fields) == 0 {
		return nil
	}
	return &step{verb: cloud.Update, kind: kind, present: present, wanted: wanted, fields: fields}
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
	return &step{verb: cloud.Create, kind: kind, wanted: wanted, with: m.wanted.along(kind.Brings, wanted.Ref())}
}

// replacement returns the step that leads to another resource in the place of this one, which serves
// until everything is ready for the other one.
func (m *model) replacement(kind cloud.ResourceKind, present, wanted cloud.Resource) *step {
	s, ready := m.before(kind, wanted)
	if s != nil || !ready {
		return s
	}
	if trial := wanted.Trial; trial != nil && !m.present.has(trial.Ref()) {
		return m.nextFor(kind, *trial)
	}
	return &step{verb: cloud.Delete, kind: kind, present: present}
}

// before returns the step that makes something the resource refers to, and whether all of that is
// ready where no step is due.
func (m *model) before(kind cloud.ResourceKind, r cloud.Resource) (due *step, ready bool) {
	ready = true
	for _, ref := range references(r) {
		if other, wanted := m.wanted.byRef[ref]; wanted && !m.present.has(ref) {
			if s := m.nextFor(m.byName[ref.Kind], other); s != nil {
				return s, false
			}
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

// nextDeletion returns the deletion that is due, nil when none is. What is deleted together with
// another resource needs none of its own.
func (m *model) nextDeletion() *step {
	for _, kind := range m.deletion {
		if kind.Batch != "" || kind.OfService && m.serves {
			continue
		}
		for _, r := range m.present.of(kind.Name) {
			if !m.stays(r) && !m.taken(r) {
				return &step{verb: cloud.Delete, kind: kind, present: r}
			}
		}
	}
	return nil
}

// stays reports whether a resource is not deleted. While the cloud refuses something, what is not
// wanted stays too:
//
//	it is                                            stays
//	no part of the balancer                          yes
//	of a kind of which a wanted one is not there     yes: that takes its place
//	referred to by something that stays              yes
//	any other part                                   no
func (m *model) stays(r cloud.Resource) bool {
	if m.wanted.has(r.Ref()) {
		return !m.wanted.byRef[r.Ref()].WhileRefused || m.hasRefusals()
	}
	if !m.hasRefusals() {
		return false
	}
	isPart := m.present.any(func(other cloud.Resource) bool {
		return m.byName[other.Kind].Anchor && m.present.refers(r, other.Ref())
	})
	lacks := slices.ContainsFunc(m.wanted.kinds[r.Kind], func(ref cloud.IDOf) bool {
		return !m.present.has(ref) && !m.wanted.byRef[ref].WhileRefused
	})
	return m.deletes || !isPart || lacks || m.present.any(func(other cloud.Resource) bool {
		belongs := slices.Contains(m.byName[r.Kind].Takes, other.Kind)
		return !belongs && slices.Contains(references(other), r.Ref()) && m.stays(other)
	})
}

// taken reports whether the resource goes with another one.
func (m *model) taken(r cloud.Resource) bool {
	return m.present.any(func(other cloud.Resource) bool {
		return slices.Contains(m.byName[other.Kind].Takes, r.Kind) && m.present.refers(r, other.Ref()) && !m.stays(other)
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
			if !exists || m.refused[wanted.Ref()] {
				continue
			}
			fields := slices.DeleteFunc(m.difference(present, wanted), func(f string) bool { return !isLast(m, kind, f) })
			if len(fields) > 0 {
				return &step{verb: cloud.Update, kind: kind, present: present, wanted: wanted, fields: fields}
			}
		}
	}
	return nil
}
