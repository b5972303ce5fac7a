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
	if len(m.refused) > 0 {
		return nil
	}
	return m.nextLast()
}

// nextLast returns the step that changes fields that change last, nil when none is due.
func (m *model) nextLast() *step {
	for _, kind := range m.kinds {
		for _, wanted := range m.wanted.of(kind.Name) {
			present := m.present.byRef[wanted.Ref()]
			if fields := m.difference(present, wanted); len(fields) > 0 {
				return &step{verb: cloud.Update, kind: kind, present: present, wanted: wanted, fields: fields}
			}
		}
	}
	return nil
}

// nextOf returns the step that makes or changes a resource of a kind, nil when none is due.
func (m *model) nextOf(kind cloud.ResourceKind) *step {
	if kind.Batch != "" {
		return m.nextBatch(kind)
	}
	for _, wanted := range m.wanted.of(kind.Name) {
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
//	yes    an immutable field makes the trial, then deletes it
//	yes    any other          changes it, except for fields that change last
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
		if trial := wanted.Trial; trial != nil && !m.present.has(trial.Ref()) {
			return m.nextFor(kind, *trial)
		}
		return &step{verb: cloud.Delete, kind: kind, present: present}
	}
	fields = slices.DeleteFunc(fields, func(f string) bool {
		return slices.Contains(kind.Last, f) || m.deletes && kind.Anchor
	})
	if len(fields) == 0 {
		return nil
	}
	if s := m.missing(wanted); s != nil || m.waits(wanted) {
		return s
	}
	return &step{verb: cloud.Update, kind: kind, present: present, wanted: wanted, fields: fields}
}

func (m *model) creation(kind cloud.ResourceKind, wanted cloud.Resource) *step {
	if s := m.missing(wanted); s != nil || m.waits(wanted) {
		return s
	}
	return &step{verb: cloud.Create, kind: kind, wanted: wanted, with: m.wanted.along(kind.Brings, wanted.Ref())}
}

// missing returns the step that makes something the resource refers to, nil when all is there.
func (m *model) missing(r cloud.Resource) *step {
	for _, ref := range references(r) {
		if other, wanted := m.wanted.byRef[ref]; wanted && !m.present.has(ref) {
			if s := m.nextFor(m.byName[ref.Kind], other); s != nil {
				return s
			}
		}
	}
	return nil
}

// waits reports whether something that the resource refers to was refused.
func (m *model) waits(r cloud.Resource) bool {
	return slices.ContainsFunc(references(r), func(ref cloud.IDOf) bool { return m.refused[ref] })
}

// nextBatch returns the step that writes the resources of one owner, nil when none differ.
func (m *model) nextBatch(kind cloud.ResourceKind) *step {
	present, wanted := m.present.batches(kind), m.wanted.batches(kind)
	for _, ownerKind := range m.kinds {
		for _, owner := range m.wanted.kinds[ownerKind.Name] {
			if m.present.has(owner) && !m.refused[owner] && !m.same(present[owner], wanted[owner]) {
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
		if kind.OfService && m.serves {
			continue
		}
		for _, r := range m.present.of(kind.Name) {
			if !m.wanted.has(r.Ref()) && !m.taken(r) && !m.held(r) {
				return &step{verb: cloud.Delete, kind: kind, present: r}
			}
		}
	}
	return nil
}

// taken reports whether the resource goes with another one that is not wanted.
func (m *model) taken(r cloud.Resource) bool {
	return m.ofPresent(func(kind cloud.ResourceKind, other cloud.Resource) bool {
		return !m.wanted.has(other.Ref()) && slices.Contains(kind.Takes, r.Kind) && m.present.refers(r, other.Ref())
	})
}

// held reports whether a resource that is not wanted has to stay because the cloud refused
// something: what takes its place is not there. Only a part of the balancer goes then, and only if
// nothing that stays refers to it.
func (m *model) held(r cloud.Resource) bool {
	if len(m.refused) == 0 {
		return false
	}
	isPart := m.ofPresent(func(kind cloud.ResourceKind, other cloud.Resource) bool {
		return kind.Anchor && m.present.refers(r, other.Ref())
	})
	return m.deletes || !isPart || m.ofPresent(func(_ cloud.ResourceKind, other cloud.Resource) bool {
		return m.wanted.has(other.Ref()) && slices.Contains(references(other), r.Ref())
	})
}

// ofPresent reports whether any of the present resources is as asked.
func (m *model) ofPresent(is func(cloud.ResourceKind, cloud.Resource) bool) bool {
	for ref, r := range m.present.byRef {
		if is(m.byName[ref.Kind], r) {
			return true
		}
	}
	return false
}
