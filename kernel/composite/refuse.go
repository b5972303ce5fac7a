package composite

import (
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Between the deletion of a resource and the creation of another one in its place nothing serves. So the cloud is asked first
// what can be asked, and what it refuses all the same is made again as it was before. Any other refusal ends the change: what is
// left may depend on what was refused. Nodes come and go whatever is wrong with an annotation, so targets are brought.
//
//	refused is                                       the run goes on with
//	another resource in the place of a present one   the rest, and the present one
//	what may be made otherwise                       the rest, and that
//	what something was deleted for                   that, as it was before, then targets. This is remembered for the request
//	anything else                                    targets

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
		r.steps = append([]*step{again}, r.targets(s)...)
	case !r.ended && s.replaces != nil && r.model.keep(s.replaces.Ref()):
		r.repeats = r.repeats || r.fitting[s.replaces.Ref()]
		return r.plan()
	case !r.ended && s.verb == cloud.Create && s.wanted.Otherwise != nil:
		r.passed = false
		r.model.wanted.byRef[s.wanted.Ref()] = *s.wanted.Otherwise
		return r.plan()
	default:
		r.repeats = true
		r.steps = r.targets(s)
	}
	r.ended = true
	return nil
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

// targets are the steps that are left after one that was refused. What serves stays where others should have come in its place.
func (r *run) targets(refused *step) (left []*step) {
	if r.model.deletes {
		return nil
	}
	together := refused.kind.Together
	for _, s := range r.steps[1:] {
		inPlace := s.verb == cloud.Delete && s.kind.Name == refused.kind.Name && s.present.Fields[together] == refused.wanted.Fields[together]
		if s.kind.Batch != "" {
			if r.model.targets[s.kind.Name] && r.model.present.has(s.owner) {
				left = append(left, s)
			}
			continue
		}
		left = append(left, s.of(func(one cloud.Resource) bool {
			switch {
			case s.verb == cloud.Delete:
				return r.model.present.has(one.Ref()) && (r.model.targets[one.Kind] && !inPlace || r.model.trials[one.Ref()])
			case !r.model.targets[one.Kind] && !one.ForTargets:
				return false
			}
			return !slices.ContainsFunc(references(one), func(ref cloud.IDOf) bool { return !r.model.present.has(ref) })
		})...)
	}
	return left
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
