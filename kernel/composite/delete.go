package composite

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// replacement returns the step that leads to another resource in the place of this one, which serves
// until everything is ready for the other one.
func (m *model) replacement(kind cloud.ResourceKind, present, wanted cloud.Resource) *step {
	s, ready := m.before(wanted)
	if s != nil || !ready {
		return s
	}
	if trial := wanted.Trial; trial != nil && !m.present.has(trial.Ref()) {
		s = m.nextFor(kind, *trial)
	} else {
		s = m.deletionOf(kind, present, true)
	}
	if s != nil && s.replaces == nil { // what is in the way may have to be made again first
		s.replaces = &wanted
	}
	return s
}

// deletionOf returns the step that leads to the deletion of a resource: what refers to it goes first.
// Where it is made again, that leads elsewhere first, or is made again too. nil where that has to wait.
func (m *model) deletionOf(kind cloud.ResourceKind, r cloud.Resource, again bool) *step {
	if m.waiting[r.Ref()] {
		return nil
	}
	for _, otherKind := range m.deletion {
		for _, other := range m.present.of(otherKind.Name) {
			wanted, stays := m.wanted.byRef[other.Ref()]
			switch {
			case !m.isInWay(other, r), stays && !again:
			case stays && !m.moving[other.Ref()] && !m.leadsTo(wanted, r):
				m.moving[other.Ref()] = true
				s := m.nextFor(otherKind, wanted)
				delete(m.moving, other.Ref())
				return s
			default:
				return m.deletionOf(otherKind, other, again)
			}
		}
	}
	return &step{verb: cloud.Delete, kind: kind, present: r}
}

// isInWay reports whether a resource cannot be deleted while the other one is there.
func (m *model) isInWay(other, r cloud.Resource) bool {
	return m.leadsTo(other, r) && !m.goesWith(other, r.Ref())
}

// leadsTo reports whether a resource refers to one that is deleted, or to what is deleted with it. What
// is found through a resource can be deleted although that leads to it.
func (m *model) leadsTo(r, deleted cloud.Resource) bool {
	return slices.ContainsFunc(references(r), func(ref cloud.IDOf) bool {
		return m.byName[ref.Kind].FoundThrough != r.Kind && m.isOrGoesWith(ref, deleted.Ref())
	})
}

func (m *model) isOrGoesWith(ref, with cloud.IDOf) bool {
	r, exists := m.present.byRef[ref]
	return ref == with || exists && m.goesWith(r, with)
}

// goesWith reports whether a resource is deleted together with another one: its kind says so, or it
// is of a batch of that one, or belongs to it together with others.
func (m *model) goesWith(r cloud.Resource, with cloud.IDOf) bool {
	if slices.Contains(m.byName[with.Kind].Takes, r.Kind) {
		return slices.ContainsFunc(references(r), func(ref cloud.IDOf) bool { return m.isOrGoesWith(ref, with) })
	}
	kind := m.byName[r.Kind]
	return m.isOrGoesWith(cmp.Or(kind.Batch, kind.Together).Of(r).Of, with)
}

// nextDeletion returns the deletion that is due, nil when none is. What is deleted together with
// another resource needs none of its own. What another one refers to goes after that one.
func (m *model) nextDeletion() *step {
	var later *step
	for _, kind := range m.deletion {
		if kind.Batch.Name() != "" || kind.OfService && m.serves {
			continue
		}
		for _, r := range m.present.of(kind.Name) {
			if m.wanted.has(r.Ref()) || m.isTaken(r, r) {
				continue
			}
			s := m.deletionOf(kind, r, false)
			if s != nil && s.verb == cloud.Delete {
				s.with = m.surplus(s.kind, s.present)
			}
			if s != nil && s.present.Ref() == r.Ref() {
				return s
			}
			if later == nil {
				later = s
			}
		}
	}
	return later
}

// isTaken reports whether a resource goes with another one that is not wanted, among what it refers to itself or by way of others.
func (m *model) isTaken(r, by cloud.Resource) bool {
	return slices.ContainsFunc(references(by), func(ref cloud.IDOf) bool {
		other, exists := m.present.byRef[ref]
		return exists && (m.goesWith(r, ref) && !m.wanted.has(ref) || m.isTaken(r, other))
	})
}

// surplus returns the resources that are deleted together with one that goes, of the same object.
func (m *model) surplus(kind cloud.ResourceKind, as cloud.Resource) []cloud.Resource {
	return m.present.together(kind, as, func(r cloud.Resource) bool {
		return !m.wanted.has(r.Ref()) && !m.isTaken(r, r) && !m.waiting[r.Ref()]
	})
}

// nextLast returns the step that changes fields that change last, nil when none is due. A Service
// gives up its part of a balancer only when nothing of it is left.
func (m *model) nextLast() *step {
	for _, kind := range m.kinds {
		for _, wanted := range m.wanted.of(kind.Name) {
			present, exists := m.present.byRef[wanted.Ref()]
			if !exists {
				continue
			}
			fields := slices.DeleteFunc(m.difference(present, wanted), func(f string) bool { return !m.isLast(kind, f) })
			if len(fields) > 0 {
				return &step{verb: cloud.Update, kind: kind, present: present, wanted: wanted, fields: inOneRequest(kind, fields)}
			}
		}
	}
	return nil
}

// done changes the model as the step has changed the cloud. id is that of a resource that was made, ""
// when it is not known.
func (m *model) done(s *step, id string) {
	switch {
	case s.kind.Batch.Name() != "":
		m.present.remove(m.present.batches(s.kind)[s.owner]...)
		for _, r := range s.with {
			m.present.add(r)
		}
	case s.verb == cloud.Create:
		for i, r := range s.all() {
			if i == 0 {
				r.ID = id
			}
			m.present.add(r)
		}
	case s.verb == cloud.Update:
		changed := m.present.byRef[s.present.Ref()]
		for _, field := range s.fields {
			value, _ := s.wanted.Fields.Named(field)
			changed.Fields = changed.Fields.With(value)
		}
		m.present.byRef[changed.Ref()] = changed
	case s.kind.Together.Name() != "" && len(s.kind.Takes) == 0: // nothing refers to them
		m.present.remove(s.all()...)
	default:
		for _, r := range s.all() {
			m.deleted(r)
		}
	}
}

func (s *set) remove(list ...cloud.Resource) {
	for _, r := range list {
		delete(s.byRef, r.Ref())
	}
	for kind, refs := range s.kinds {
		s.kinds[kind] = slices.DeleteFunc(refs, func(ref cloud.IDOf) bool { return !s.has(ref) })
	}
}

// all are the resources of a step that makes or deletes several.
func (s *step) all() []cloud.Resource {
	if s.verb == cloud.Delete {
		return append([]cloud.Resource{s.present}, s.with...)
	}
	return append([]cloud.Resource{s.wanted}, s.with...)
}

// deleted removes a resource with all that goes along. What led to it leads nowhere then.
func (m *model) deleted(r cloud.Resource) {
	gone := map[cloud.IDOf]bool{r.Ref(): true}
	var all []cloud.Resource
	for ref, other := range m.present.byRef {
		if gone[ref] || m.goesWith(other, r.Ref()) {
			gone[ref], all = true, append(all, other)
		}
	}
	m.present.remove(all...)
	for ref, other := range m.present.byRef {
		for _, field := range other.Fields.All() {
			if slices.ContainsFunc(field.References(), func(to cloud.Reference) bool { return gone[to.Of] }) {
				other.Fields = other.Fields.With(field.Cleared())
				m.present.byRef[ref] = other
			}
		}
	}
}

// doing says what the step does, as errors begin.
func (s *step) doing() string {
	switch {
	case s.kind.Batch.Name() != "":
		return fmt.Sprintf("writing %d resources of kind %s of %s %s", len(s.with), s.kind.Name, s.owner.Kind, s.owner.Key)
	case s.verb == cloud.Create:
		return fmt.Sprintf("creating %s %s%s", s.kind.Name, s.wanted.Key, s.others())
	case s.verb == cloud.Update:
		return fmt.Sprintf("changing %s %s", s.kind.Name, s.wanted.Key)
	}
	return fmt.Sprintf("deleting %s %s%s", s.kind.Name, s.present.Key, s.others())
}

// others says that there are more in the same request.
func (s *step) others() string {
	if s.kind.Together.Name() == "" || len(s.with) == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d others", len(s.with))
}
