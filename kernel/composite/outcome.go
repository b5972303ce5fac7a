package composite

import (
	"errors"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// end ends a run after the last step.
func (r *run) end() (cloud.Progress, error) {
	if len(r.disturbed) > 0 {
		return r.looks()
	}
	r.tell()
	return r.progress, errors.Join(r.refusals...)
}

// tell says what the balancer is after a change that was carried out whole, where the answers say so.
func (r *run) tell() {
	told := slices.ContainsFunc(r.model.kinds, func(k cloud.ResourceKind) bool { return k.CreateBalancer != nil && k.Settles == 0 })
	if !told || len(r.refusals) > 0 || r.progress.Pending || r.progress.Again > 0 || r.change.After == nil {
		return
	}
	o := r.change.Before
	if made := r.progress.Observed; made != nil {
		o = *made
		o.State, o.Addresses = cloud.BalancerActive, r.made.Addresses
	}
	if o.State != cloud.BalancerActive || len(o.Addresses) == 0 {
		return
	}
	if len(r.change.After.OwnershipTags) > 0 {
		o.Owner = r.change.Input.Owner
	}
	o.Balancer, o.Native = *r.change.After, cloud.Native{}
	r.progress.Observed = &o
}

// paused ends a run after a step with which the cloud is busy for a while. The next run goes on with the rest, without a look, where
// that may follow.
func (r *run) paused(s *step, id string) (cloud.Progress, error) {
	r.done(s, id)
	p := r.progress
	p.Pending, p.After, p.Again, p.Step, p.More, p.GoesOn = true, s.kind.Settles, 0, r.last, len(r.steps) > 0, !r.repeats
	p.Removed = s.verb == cloud.Delete && s.kind.Anchor && len(r.model.present.of(s.kind.Name)) == 0
	switch {
	case !p.More || len(r.refusals) > 0 && len(r.former) == 0 || r.disturbed[r.steps[0].kind.Name]:
	case len(p.Operations) > 0: // what was deleted to be made again is known to this run alone
		p.Rest, p.Settles = r, len(r.former) > 0
	case r.follows && r.settles(s, r.steps[0]):
		p.Operations, p.Rest, p.Settles = r.anchors(), r, true
	}
	r.progress.Settles = p.Settles
	return p, errors.Join(r.refusals[r.told:]...)
}

// settles reports whether the next step can follow without a look as soon as the balancer has settled:
//
//	the next step                         follows
//	changes what bears ownership tags     where the request compares them first: another Service may use it by then
//	deletes that                          no, for the same reason
//	is about a part of the balancer       yes
//	makes an object that does not settle  where the balancer was made just before, and the answer says what is needed of it
//	changes or deletes such an object     no: others write it too
func (r *run) settles(s, next *step) bool {
	made := s.verb == cloud.Create && s.kind.Anchor
	if made && s.kind.CreateBalancer == nil || r.progress.Pending || r.isUnknown(next) || len(r.anchors()) == 0 {
		return false
	}
	switch {
	case next.kind.Anchor:
		return next.kind.Compares && next.verb == cloud.Update
	case next.kind.Settles > 0:
		return true
	}
	return made && next.verb == cloud.Create
}

// anchors are the ids of what bears the ownership tags.
func (r *run) anchors() (ids []string) {
	for _, kind := range r.model.kinds {
		for _, one := range r.model.present.of(kind.Name) {
			if kind.Anchor {
				ids = append(ids, one.ID)
			}
		}
	}
	return ids
}

// note notes what a step has changed.
func (r *run) note(s *step, id string) {
	r.steps = r.steps[1:]
	switch {
	case s.verb == cloud.Create:
		for _, one := range s.with {
			r.unknown[one.Ref()] = s.kind.Together.Name() == ""
		}
		for _, one := range s.all() {
			delete(r.former, one.Ref())
		}
	case s.verb == cloud.Delete && s.replaces != nil && s.replaces.Ref() == s.present.Ref():
		r.former[s.present.Ref()] = r.model.present.byRef[s.present.Ref()]
	}
	r.model.done(s, id)
	if s.verb == cloud.Create {
		return
	}
	for _, kind := range s.kind.Disturbs {
		if len(r.model.present.of(kind)) > 0 {
			r.disturbed[kind] = true
		}
	}
}

// done notes that a step was done.
func (r *run) done(s *step, id string) {
	r.note(s, id)
	r.last, r.passed = s.doing(), r.unseen // so may what follows one that settles at once
	if s.verb != cloud.Create || !s.kind.Anchor || r.change.After == nil {
		return
	}
	// What is known of a balancer that was made. The rest is read afterwards.
	r.progress.Observed = &cloud.Observed{
		Found: true, ID: id, State: cloud.BalancerPending, Balancer: *r.change.After, Findings: r.change.Input.Findings, Native: r.made.Native,
	}
	if len(r.change.After.OwnershipTags) > 0 {
		r.progress.Observed.Owner = r.change.Input.Owner
	}
}

// wait notes that a part of a step has to wait. What cannot be deleted yet stays; the rest is done.
func (r *run) wait(s *step, id string, w cloud.Waiting) error {
	p := &r.progress
	p.Warnings = append(p.Warnings, w.Warnings...)
	p.Pending = p.Pending || w.After == 0
	p.Again = soonest(p.Again, w.After)
	r.passed = r.goesOn
	if s.verb != cloud.Delete {
		r.note(s, id)
		return nil
	}
	for _, one := range s.all() {
		r.model.waiting[one.Ref()] = true
	}
	if !r.ended {
		return r.plan()
	}
	r.steps = slices.DeleteFunc(r.steps[1:], func(next *step) bool { // what cannot go yet is not made again
		return next.verb == cloud.Create && r.model.waiting[next.wanted.Ref()]
	})
	return nil
}
