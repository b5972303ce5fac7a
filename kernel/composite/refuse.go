package composite

import (
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Between the deletion of a resource and the creation of another one in its place nothing serves. So the cloud is asked first
// what can be asked, and what it refuses all the same is made again as it was before. After a refusal nothing is deleted but targets,
// which come and go with nodes: it may serve in the place of what was refused.
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

// isReplacement reports whether what was refused of a step is to replace a resource: the question whether the cloud would have that, the trial or the
// deletion. The others prepare it.
func (r *run) isReplacement(s *step) bool {
	if s.replaces == nil {
		return false
	}
	ref := s.replaces.Ref()
	return !r.fitting[ref] || s.verb == cloud.Create && r.model.trials[s.wanted.Ref()] || s.verb == cloud.Delete && s.present.Ref() == ref
}

// putBack returns what was deleted to be made again by a step, as it was before.
func (r *run) putBack(s *step) (back []cloud.Resource) {
	if s.verb != cloud.Create {
		return nil
	}
	for _, one := range s.all() {
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
// nothing that needs it. Nothing else is replaced. Of what goes, what serves stays where others should have come in its place.
func (r *run) left(refused *step, back []cloud.Resource) (left []*step) {
	if r.model.deletes || refused.verb == cloud.Delete {
		return nil
	}
	rest := &remainder{model: r.model, made: map[cloud.IDOf]bool{}, without: map[cloud.IDOf]bool{}, half: map[cloud.IDOf]string{}}
	for _, one := range back {
		rest.made[one.Ref()] = true
	}
	for _, one := range refused.all() {
		rest.goes(refused.kind, one, rest.made[one.Ref()])
	}
	for _, s := range r.steps[1:] {
		switch {
		case s.kind.Batch != "" && rest.isThere(s.owner):
			left = append(left, s)
		case s.kind.Batch != "":
		case s.verb == cloud.Delete:
			left = append(left, s.of(func(one cloud.Resource) bool { return rest.mayGo(s, one) })...)
		case s.verb == cloud.Update:
			left = append(left, rest.update(s, refused)...)
		default:
			left = append(left, s.of(func(one cloud.Resource) bool { return rest.goes(s.kind, one, rest.isFree(s, one)) })...)
		}
	}
	return left
}

// remainder is what can be made of a change after a refusal.
type remainder struct {
	model *model
	// made are resources that will be made, without those that will not be as they are wanted.
	made, without map[cloud.IDOf]bool
	// half are those of which something that belongs to them is not as it is wanted, by the kind of that. Nothing is led to them but what
	// is of the same kind, and targets.
	half map[cloud.IDOf]string
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

// mayGo reports whether a resource is deleted: a trial, or a target that is not wanted, or that is made again, and in whose place none is
// lacking.
func (rest *remainder) mayGo(s *step, one cloud.Resource) bool {
	switch {
	case !rest.model.present.has(one.Ref()):
		return false
	case s.replaces == nil && rest.model.trials[one.Ref()]:
		return true
	case !rest.model.targets[one.Kind] || rest.lacksTarget(s.kind, one):
		return false
	}
	again := &step{verb: cloud.Create, kind: s.kind}
	return s.replaces == nil || rest.model.targets[s.replaces.Kind] && rest.isFree(again, *s.replaces)
}

// lacksTarget reports whether a target of the same object is wanted that is not there and that nothing which is left makes.
func (rest *remainder) lacksTarget(kind cloud.ResourceKind, one cloud.Resource) bool {
	return slices.ContainsFunc(rest.model.wanted.of(kind.Name), func(wanted cloud.Resource) bool {
		return !rest.isThere(wanted.Ref()) && wanted.Fields[kind.Together] == one.Fields[kind.Together]
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

// isFree reports whether a step that makes a resource needs nothing that was refused.
func (rest *remainder) isFree(s *step, one cloud.Resource) bool {
	replaced := s.replaces != nil || rest.model.present.has(one.Ref())
	return (rest.model.targets[s.kind.Name] || !replaced) && rest.haveAll(s.kind, references(one))
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
