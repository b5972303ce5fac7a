package composite

import (
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Between the deletion of a resource and the creation of another one in its place nothing serves. So the cloud is asked first
// what can be asked, and what it refuses all the same is made again as it was before. After a refusal nothing is deleted that may serve in the
// place of what was refused.
//
//	refused is                                       the run goes on with
//	another resource in the place of a present one   the rest, and the present one
//	what may be made otherwise                       the rest, and that
//	what something was deleted for                   that, as it was before, and what is left. This is remembered for the request
//	anything else                                    what is left: the steps that need nothing of it

// isRefusal reports whether the same request will fail again.
func (b *balancers) isRefusal(err error) bool {
	failure := cloud.FailureOf(err)
	if failure.Class == cloud.FailureUnknown {
		failure = b.classify(err)
	}
	return failure.Class == cloud.FailureInvalid || failure.Class == cloud.FailureQuota
}

// refuse goes on after the cloud has refused a step.
func (r *run) refuse(s *step, err error) error {
	r.passed = r.goesOn
	back := r.putBack(s)
	for _, one := range back {
		err = &cloud.NotReplaced{Resource: one.Ref(), Err: err}
	}
	r.refusals = append(r.refusals, err)
	switch {
	case len(back) > 0:
		again := &step{verb: cloud.Create, kind: s.kind, wanted: back[0], with: back[1:]}
		if s.kind.Together == "" {
			again.with = s.with
		}
		r.passed = false
		r.steps = append([]*step{again}, r.left(s, back)...)
	case !r.ended && r.isReplacement(s) && r.model.keep(s.replaces.Ref()):
		r.repeats = r.repeats || r.fitting[s.replaces.Ref()]
		return r.plan()
	case s.verb == cloud.Create && s.wanted.Otherwise != nil:
		r.passed = false
		other := *s.wanted.Otherwise
		if r.model.wanted.byRef[s.wanted.Ref()] = other; !r.ended {
			return r.plan()
		}
		otherwise := *s
		otherwise.wanted = other
		r.steps = append([]*step{&otherwise}, r.steps[1:]...)
		return nil
	default:
		r.repeats = true
		r.steps = r.left(s, nil)
	}
	r.ended = true
	return nil
}

// isReplacement reports whether what was refused of a step is to replace a resource: the question whether the cloud would have that, the trial, or the
// deletion where none was made. The others prepare it.
func (r *run) isReplacement(s *step) bool {
	if s.replaces == nil {
		return false
	}
	ref := s.replaces.Ref()
	return !r.fitting[ref] || s.verb == cloud.Create && r.model.trials[s.wanted.Ref()] ||
		s.verb == cloud.Delete && s.present.Ref() == ref && s.replaces.Trial == nil
}

// putBack returns what was deleted to be made again by a step, as it was before.
func (r *run) putBack(s *step) (back []cloud.Resource) {
	of := []cloud.Resource{s.wanted}
	if s.verb != cloud.Create {
		return nil
	} else if s.kind.Together != "" {
		of = s.all()
	}
	for _, one := range of {
		former, was := r.former[one.Ref()]
		if !was {
			continue
		}
		fields := maps.Clone(one.Fields) // some are for the creation alone
		maps.Copy(fields, former.Fields)
		former.ID, former.Fields = "", fields
		back = append(back, former)
		delete(r.former, one.Ref())
		r.model.wanted.byRef[one.Ref()] = former
	}
	return back
}

// left are the steps that are left after one that was refused, and its resources that are put back: those that need nothing of it, and
// nothing that needs it. Nothing but targets is replaced. What goes depends on what comes in its place, so that is known last.
func (r *run) left(refused *step, back []cloud.Resource) []*step {
	if r.model.deletes || refused.verb == cloud.Delete {
		return nil
	}
	rest := &remainder{model: r.model, made: map[cloud.IDOf]bool{}, without: map[cloud.IDOf]bool{}, gone: map[cloud.IDOf]bool{}, half: map[cloud.IDOf]string{}}
	for _, one := range back {
		rest.made[one.Ref()] = true
	}
	for _, one := range refused.all() {
		rest.goes(refused.kind, one, rest.made[one.Ref()])
	}
	left := make([][]*step, len(r.steps))
	for n, s := range r.steps[1:] {
		if s.verb != cloud.Delete || s.replaces != nil {
			left[n] = rest.part(s, refused)
		}
	}
	for n, s := range r.steps[1:] {
		if s.verb == cloud.Delete && s.replaces == nil {
			left[n] = s.of(func(one cloud.Resource) bool { return rest.mayGo(s.kind, one) })
		}
	}
	return slices.Concat(left...)
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
	case s.kind.Batch != "" && rest.isThere(s.owner):
		return []*step{s}
	case s.kind.Batch != "":
		return nil
	case s.verb == cloud.Update:
		return rest.update(s, refused)
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
	if rest.made[one.Ref()] = goes; goes {
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

// mayGo reports whether a resource goes that is not wanted:
//
//	it is                                                goes
//	a trial                                              yes
//	of a kind of which a wanted one will not be there    no: it serves in the place of that, where both are of the same object
//	a target                                             yes
//	no part of the balancer                              no
//	a part of it                                         where nothing leads to it by then
func (rest *remainder) mayGo(kind cloud.ResourceKind, one cloud.Resource) bool {
	goes := rest.model.present.has(one.Ref())
	switch {
	case rest.model.trials[one.Ref()]:
	case rest.lacks(kind, one):
		goes = false
	case !rest.model.targets[one.Kind]:
		goes = goes && rest.model.isPart(one) && !rest.isUsed(one)
	}
	rest.gone[one.Ref()] = goes
	return goes
}

// lacks reports whether a resource of that kind and of the same object is wanted that is not there and that nothing which is left makes.
func (rest *remainder) lacks(kind cloud.ResourceKind, one cloud.Resource) bool {
	return slices.ContainsFunc(rest.model.wanted.of(kind.Name), func(wanted cloud.Resource) bool {
		return !rest.isThere(wanted.Ref()) && wanted.Fields[kind.Together] == one.Fields[kind.Together]
	})
}

// isUsed reports whether something that stays leads to a resource. What goes with that does not count.
func (rest *remainder) isUsed(one cloud.Resource) bool {
	takes := rest.model.byName[one.Kind].Takes
	for ref, other := range rest.model.present.byRef {
		if wanted, isWanted := rest.model.wanted.byRef[ref]; isWanted && rest.made[ref] {
			other = wanted
		}
		if !rest.gone[ref] && !slices.Contains(takes, other.Kind) && slices.Contains(references(other), one.Ref()) {
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
	part.fields = slices.DeleteFunc(slices.Clone(s.fields), func(field string) bool { return !rest.haveAll(s.kind, idsIn(one.Fields[field])) })
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
