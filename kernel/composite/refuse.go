package composite

import (
	"errors"

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
	class := b.failure(err).Class
	return class == cloud.FailureInvalid || class == cloud.FailureQuota
}

func (b *balancers) failure(err error) cloud.Failure {
	if failure := cloud.FailureOf(err); failure.Class != cloud.FailureUnknown {
		return failure
	}
	return b.classify(err)
}

// ended returns the error of a run that ends with another failure than a refusal: that says how soon it is tried again.
func (b *balancers) ended(err error, refusals []error) error {
	if len(refusals) == 0 {
		return err
	}
	return errors.Join(append([]error{&cloud.Error{Failure: b.failure(err), Op: "after a refusal", Err: err}}, refusals...)...)
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
		if s.kind.Together.Name() == "" {
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
	if s.verb != cloud.Create {
		return nil
	}
	of := []cloud.Resource{s.wanted}
	if s.kind.Together.Name() != "" {
		of = s.all()
	}
	for _, one := range of {
		former, was := r.former[one.Ref()]
		if !was {
			continue
		}
		former.ID, former.Fields = "", one.Fields.With(former.Fields.All()...) // some are for the creation alone
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
	rest := r.model.remainder()
	for _, one := range back {
		rest.made[one.Ref()] = true
	}
	for _, one := range refused.all() {
		rest.goes(refused.kind, one, rest.made[one.Ref()])
	}
	var left []*step
	for _, s := range r.steps[1:] {
		left = append(left, rest.part(s, refused)...)
	}
	return rest.withoutServing(left)
}

// plan plans what is left of a change, after a refusal without the deletion of what serves in the place of what was refused.
func (r *run) plan() (err error) {
	if r.steps, err = r.model.plan(); err != nil || len(r.refusals) == 0 {
		return err
	}
	rest := r.model.remainder()
	for _, s := range r.steps {
		for _, one := range s.all() {
			rest.made[one.Ref()] = s.verb != cloud.Delete
		}
	}
	r.steps = rest.withoutServing(r.steps)
	return nil
}
