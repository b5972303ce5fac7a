package composite

import (
	"cmp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// nextDeletion returns the deletion that is due, nil when none is. What is deleted together with
// another resource needs none of its own. What another one refers to goes after that one.
func (m *model) nextDeletion() *step {
	var later *step
	for _, kind := range m.deletion {
		if kind.Batch != "" || kind.OfService && m.serves {
			continue
		}
		for _, r := range m.present.of(kind.Name) {
			if m.stays(r) || m.taken(r) {
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

// surplus returns the resources that are deleted together with one that goes, of the same object.
func (m *model) surplus(kind cloud.ResourceKind, as cloud.Resource) []cloud.Resource {
	return m.present.together(kind, as, func(r cloud.Resource) bool { return !m.stays(r) && !m.taken(r) && !m.waiting[r.Ref()] })
}

// deletionOf returns the step that leads to the deletion of a resource: what refers to it goes first.
// Where it is made again, that leads elsewhere first, or is made again too. nil when that is refused, or has to wait.
func (m *model) deletionOf(kind cloud.ResourceKind, r cloud.Resource, again bool) *step {
	if m.waiting[r.Ref()] {
		return nil
	}
	for _, otherKind := range m.deletion {
		for _, other := range m.present.of(otherKind.Name) {
			wanted, isWanted := m.wanted.byRef[other.Ref()]
			switch {
			case !m.isInWay(other, r), m.stays(other) && !again:
			case m.stays(other) && !isWanted:
				return nil
			case m.stays(other) && !m.moving[other.Ref()] && !m.leadsTo(wanted, r):
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

// goesWith reports whether a resource is deleted together with another one: its kind says so, or it
// is of a batch of that one, or belongs to it together with others.
func (m *model) goesWith(r cloud.Resource, with cloud.IDOf) bool {
	if slices.Contains(m.byName[with.Kind].Takes, r.Kind) {
		return slices.ContainsFunc(references(r), func(ref cloud.IDOf) bool { return m.isOrGoesWith(ref, with) })
	}
	kind := m.byName[r.Kind]
	owner, belongs := r.Fields[cmp.Or(kind.Batch, kind.Together)].(cloud.IDOf)
	return belongs && m.isOrGoesWith(owner, with)
}

func (m *model) isOrGoesWith(ref, with cloud.IDOf) bool {
	r, exists := m.present.byRef[ref]
	return ref == with || exists && m.goesWith(r, with)
}

// taken reports whether the resource goes with another one that does not stay.
func (m *model) taken(r cloud.Resource) bool { return m.takenBy(r, r) }

// takenBy looks among what a resource refers to, itself or by way of others.
func (m *model) takenBy(r, by cloud.Resource) bool {
	return slices.ContainsFunc(references(by), func(ref cloud.IDOf) bool {
		other, exists := m.present.byRef[ref]
		return exists && (m.goesWith(r, ref) && !m.stays(other) || m.takenBy(r, other))
	})
}

// stays reports whether a resource is not deleted. While the cloud refuses something, what is not
// wanted stays too:
//
//	it is                                            stays
//	no part of the balancer                          yes
//	of a kind of which a wanted one is not there     yes: that takes its place, where it is of the
//	                                                 same object
//	referred to by something that stays              yes
//	any other part                                   no
//
// While something is refused, a resource with For stays if it is wanted and For has its wanted state, or if neither
// holds.
func (m *model) stays(r cloud.Resource) bool {
	wanted, isWanted := m.wanted.byRef[r.Ref()]
	switch {
	case !m.hasRefusals():
		return isWanted && !wanted.WhileRefused
	case isWanted && wanted.For != (cloud.IDOf{}):
		return m.isAsWanted(wanted.For)
	case isWanted:
		return true
	case r.For != (cloud.IDOf{}):
		return !m.isAsWanted(r.For)
	}
	together := m.byName[r.Kind].Together
	lacks := slices.ContainsFunc(m.wanted.kinds[r.Kind], func(ref cloud.IDOf) bool {
		wanted := m.wanted.byRef[ref]
		return !m.present.has(ref) && !wanted.WhileRefused && wanted.Fields[together] == r.Fields[together]
	})
	return m.deletes || !m.isPart(r) || lacks || m.present.any(func(other cloud.Resource) bool {
		belongs := slices.Contains(m.byName[r.Kind].Takes, other.Kind)
		return !belongs && slices.Contains(references(other), r.Ref()) && m.stays(other)
	})
}

// isAsWanted reports whether a resource is as it has to be.
func (m *model) isAsWanted(ref cloud.IDOf) bool {
	present, exists := m.present.byRef[ref]
	wanted, isWanted := m.wanted.byRef[ref]
	return exists && isWanted && len(m.difference(present, wanted)) == 0
}

// isPart reports whether a resource refers to what bears the ownership tags, itself or by way of others.
func (m *model) isPart(r cloud.Resource) bool {
	return slices.ContainsFunc(references(r), func(ref cloud.IDOf) bool {
		other, exists := m.present.byRef[ref]
		return exists && (m.byName[ref.Kind].Anchor || m.isPart(other))
	})
}
