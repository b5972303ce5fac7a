package composite

import (
	"errors"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// looks ends a run where the balancer has to be looked at.
func (r *run) looks() (cloud.Progress, error) {
	r.progress.Pending, r.progress.More, r.progress.Step, r.progress.GoesOn = true, true, r.last, !r.repeats
	return r.progress, errors.Join(r.refusals...)
}

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
	o.Balancer, o.Native = *r.change.After, nil
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
