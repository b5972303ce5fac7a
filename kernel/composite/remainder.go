package composite

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func (m *model) remainder() *remainder {
	return &remainder{model: m, made: map[cloud.IDOf]bool{}, without: map[cloud.IDOf]bool{}, gone: map[cloud.IDOf]bool{}, half: map[cloud.IDOf]string{}}
}

// remainder is what can be made of a change after a refusal.
type remainder struct {
	model *model
	// made are resources that will be made, without those that will not be as they are wanted, gone those that will be deleted.
	made, without, gone map[cloud.IDOf]bool
	// half are those of which something that belongs to them is not as it is wanted, by the kind of that. Nothing is led to them but what
	// is of the same kind, and targets.
	half map[cloud.IDOf]string
}

// part returns a step that makes, changes or replaces something for those of its resources that it still can be about, nothing where there are none.
func (rest *remainder) part(s, refused *step) []*step {
	switch {
	case s.kind.Batch.Name() != "" && rest.isThere(s.owner):
		return []*step{s}
	case s.kind.Batch.Name() != "":
		return nil
	case s.verb == cloud.Update:
		return rest.update(s, refused)
	case s.isSurplus():
		return []*step{s}
	case s.verb == cloud.Delete:
		return s.of(func(one cloud.Resource) bool {
			rest.gone[one.Ref()] = rest.model.targets[one.Kind] && one.Ref() == s.replaces.Ref() && rest.haveAll(s.kind, references(*s.replaces))
			return rest.gone[one.Ref()]
		})
	}
	return s.of(func(one cloud.Resource) bool {
		return rest.goes(s.kind, one, (!rest.model.present.has(one.Ref()) || rest.gone[one.Ref()]) && s.replaces == nil && rest.haveAll(s.kind, references(one)))
	})
}

func (rest *remainder) isThere(ref cloud.IDOf) bool {
	return rest.made[ref] || rest.model.present.has(ref)
}

// goes notes whether a resource becomes what it has to be.
func (rest *remainder) goes(kind cloud.ResourceKind, one cloud.Resource, goes bool) bool {
	if rest.made[one.Ref()] = goes && !rest.without[one.Ref()]; goes {
		return true
	}
	rest.without[one.Ref()] = true
	for _, ref := range references(one) {
		if !rest.model.byName[ref.Kind].Anchor && rest.half[ref] == "" {
			rest.half[ref] = kind.Name
		}
	}
	return false
}

// withoutServing returns the steps without the deletion of what is not wanted and has to stay:
//
//	it is                                                stays
//	a trial                                              no
//	of a kind of which a wanted one will not be there    yes: it serves in the place of that, where both are of the same object
//	a target                                             no
//	no part of the balancer                              yes
//	a part of it                                         where something that stays leads to it
func (rest *remainder) withoutServing(steps []*step) (left []*step) {
	each := func(do func(kind cloud.ResourceKind, one cloud.Resource)) {
		for _, s := range steps {
			for _, one := range s.all() {
				if s.isSurplus() {
					do(s.kind, one)
				}
			}
		}
	}
	each(func(kind cloud.ResourceKind, one cloud.Resource) { rest.gone[one.Ref()] = rest.mayGo(kind, one) })
	for stays := true; stays; {
		stays = false
		each(func(kind cloud.ResourceKind, one cloud.Resource) {
			if ref := one.Ref(); rest.gone[ref] && !kind.Target && !rest.model.trials[ref] && rest.isUsed(one) {
				rest.gone[ref], stays = false, true
			}
		})
	}
	for _, s := range steps {
		if s.isSurplus() {
			left = append(left, s.of(func(one cloud.Resource) bool { return rest.gone[one.Ref()] })...)
		} else {
			left = append(left, s)
		}
	}
	return left
}

// isSurplus reports whether a step deletes what is not wanted.
func (s *step) isSurplus() bool { return s.verb == cloud.Delete && s.replaces == nil }

// mayGo reports whether a resource that is not wanted goes unless something leads to it.
func (rest *remainder) mayGo(kind cloud.ResourceKind, one cloud.Resource) bool {
	switch {
	case !rest.model.present.has(one.Ref()):
		return false
	case rest.model.trials[one.Ref()]:
		return true
	}
	return !rest.lacks(kind, one) && (kind.Target || rest.model.isPart(one))
}

// lacks reports whether a resource of that kind and of the same object is wanted that is not there and that nothing which is left makes.
func (rest *remainder) lacks(kind cloud.ResourceKind, one cloud.Resource) bool {
	return slices.ContainsFunc(rest.model.wanted.of(kind.Name), func(wanted cloud.Resource) bool {
		return !rest.isThere(wanted.Ref()) && kind.Together.Of(wanted) == kind.Together.Of(one)
	})
}

// isUsed reports whether something that stays, or that is made, leads to a resource. What goes with that does not count.
func (rest *remainder) isUsed(one cloud.Resource) bool {
	leads := func(other cloud.Resource) bool {
		return slices.Contains(references(other), one.Ref()) && !rest.model.goesWith(other, one.Ref())
	}
	for ref, other := range rest.model.present.byRef {
		if !rest.gone[ref] && !rest.made[ref] && leads(other) {
			return true
		}
	}
	for ref, other := range rest.model.wanted.byRef {
		if rest.isThere(ref) && leads(other) {
			return true
		}
	}
	return false
}

// isPart reports whether a resource refers to what bears the ownership tags, itself or by way of others.
func (m *model) isPart(one cloud.Resource) bool {
	return slices.ContainsFunc(m.kinds, func(kind cloud.ResourceKind) bool {
		return kind.Anchor && slices.ContainsFunc(m.present.kinds[kind.Name], func(anchor cloud.IDOf) bool { return m.present.refers(one, anchor) })
	})
}

// update returns an update for those of its fields that need nothing of what was refused, nothing where there are none. The fields that follow
// one that was refused of the same resource may depend on it.
func (rest *remainder) update(s, refused *step) []*step {
	part, one := *s, s.wanted
	part.fields = slices.DeleteFunc(slices.Clone(s.fields), func(name string) bool {
		field, _ := one.Fields.Named(name)
		return !rest.haveAll(s.kind, referredBy(field))
	})
	isFree := s.replaces == nil && one.Ref() != refused.wanted.Ref() && !slices.ContainsFunc(one.Needs, func(ref cloud.IDOf) bool { return rest.without[ref] })
	rest.goes(s.kind, one, isFree && len(part.fields) == len(s.fields))
	if !isFree || len(part.fields) == 0 {
		return nil
	}
	return []*step{&part}
}

// haveAll reports whether a resource of that kind can refer to these.
func (rest *remainder) haveAll(kind cloud.ResourceKind, refs []cloud.IDOf) bool {
	return !slices.ContainsFunc(refs, func(ref cloud.IDOf) bool {
		half := rest.half[ref]
		return !rest.isThere(ref) || !rest.model.targets[kind.Name] && half != "" && half != kind.Name
	})
}

// of returns the step for those of its resources that are as asked, none where there are none.
func (s *step) of(are func(cloud.Resource) bool) []*step {
	all := slices.DeleteFunc(s.all(), func(one cloud.Resource) bool { return !are(one) })
	if len(all) == 0 {
		return nil
	}
	part := *s
	if part.with = all[1:]; s.verb == cloud.Delete {
		part.present = all[0]
	} else {
		part.wanted = all[0]
	}
	return []*step{&part}
}
