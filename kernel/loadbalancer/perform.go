package loadbalancer

import (
	"context"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// done is what was done.
type done struct {
	// balancer is the state after it, which is final unless there is an error.
	balancer cloud.Observed
	// decideAgain says that something has turned out that changes the decision.
	decideAgain bool
}

// perform does what was decided in an Ensure. All that is written there begins here.
func (r writer) perform(ctx context.Context, d decide.Decision) (done, error) {
	switch a := d.Action.(type) {
	case decide.Wait:
		return done{}, a.Pending
	case decide.Record:
		return done{}, a.Pending
	case decide.Beside:
		if r.Live {
			after, err := r.second.advance(ctx, d, a)
			return done{balancer: after}, err
		}
	case decide.Create:
		return r.create(ctx, d)
	case decide.MakeAnew:
		return r.makeRoom(ctx, d, "the balancer failed and is being made anew")
	case decide.Replace:
		return r.makeRoom(ctx, d, "the balancer is being replaced")
	case decide.Refuse, decide.Keep, decide.Adjust, decide.Retarget, decide.Restore, decide.Continue, decide.Remove, decide.Release, decide.Look:
	}
	_ = r.lateFailure() // it concerns creations only
	after, err := r.change(ctx, d)
	return done{balancer: after}, err
}

// lateFailure returns what the last change failed with after its answer, nil when it has not. It tells it once.
func (r writer) lateFailure() error {
	late, failed := r.Memory.Phase.(state.Failed)
	if !failed {
		return nil
	}
	r.Memory.Phase = state.PhaseAfter(nil, late.Since, nil)
	return late.Group.Err()
}

// create makes the balancer. Where the cloud refuses one in the place of a deleted one, now or after it had accepted it, that is a
// fact for another decision. What was refused after the new balancer was made does not bring the old one back: there would be two.
func (r writer) create(ctx context.Context, d decide.Decision) (done, error) {
	if late := r.lateFailure(); late != nil && r.ReplacesDeleted() && r.refuses(late) {
		r.Facts.Refused = late
		return done{decideAgain: true}, nil
	}
	after, err := r.change(ctx, d)
	if err != nil && !after.Found && r.ReplacesDeleted() && r.refuses(err) {
		r.Facts.Refused = err
		return done{decideAgain: true}, nil
	}
	return done{balancer: after}, err
}

// mostRefusals is how many creations in a row may fail for reasons that may pass.
const mostRefusals = 5

// refuses reports whether the failure of a creation means that the same request will fail again.
//
//	class                                           is a refusal
//	invalid, quota, not found, unauthorized         at once
//	conflict, unknown                               when it comes again and again
//	throttled, transient                            never
func (r writer) refuses(err error) bool {
	switch class := cloud.FailureOf(err).Class; {
	case class.Final():
		return true
	case class == cloud.FailureConflict, class == cloud.FailureUnknown:
		r.Memory.Refusals++
		return r.Memory.Refusals > mostRefusals
	}
	return false
}

// makeRoom deletes a balancer so that the next run makes another one.
func (r writer) makeRoom(ctx context.Context, d decide.Decision, reason string) (done, error) {
	_ = r.lateFailure() // it concerns creations only
	before := d.Change().Before
	progress, err := r.apply(ctx, d)
	switch {
	case err != nil || d.Plan.Empty() || !r.Live:
		return done{balancer: before}, err
	case progress.More:
		return done{}, problem.WaitFor(progress, "the balancer is being deleted")
	}
	r.Memory.Created = ""
	if _, anew := d.Action.(decide.MakeAnew); anew {
		r.Memory.FailedCreation.Count(before.ID)
	}
	return done{}, problem.WaitFor(progress, reason)
}

// change makes the change of a decision, and returns the state after it.
func (r writer) change(ctx context.Context, d decide.Decision) (cloud.Observed, error) {
	change := d.Change()
	progress, err := r.apply(ctx, d)
	if made := madeBy(change, progress); err != nil && made != nil {
		return *made, err
	}
	if err != nil || d.Plan.Empty() || !r.Live {
		return change.Before, err
	}
	var seen cloud.Observed
	if progress.Observed != nil {
		seen = *progress.Observed
	}
	switch {
	case progress.Pending:
		r.Memory.SetPending(time.Now())
		return seen, problem.WaitFor(progress, problem.Working)
	case progress.Observed != nil && seen.State != cloud.BalancerPending:
		return seen, r.busy(seen)
	}
	return r.lookAfterChange(ctx)
}

// busy returns *Pending while the balancer is pending, when most clouds refuse changes.
func (r writer) busy(observed cloud.Observed) error {
	pending := observed.State == cloud.BalancerPending
	if since := r.pendingFor(pending); pending {
		return &Pending{After: problem.LookAfter(since), Reason: problem.Working}
	}
	return nil
}

// lookAfterChange returns the state after a change that the driver did not tell.
func (r writer) lookAfterChange(ctx context.Context) (cloud.Observed, error) {
	f, err := r.finder.find(ctx, r.finder.observe)
	if err != nil {
		return cloud.Observed{}, r.failed(ctx, err)
	}
	if !f.Observed.Found {
		return cloud.Observed{}, &Pending{After: problem.PollFirst, Reason: "the cloud does not show the balancer yet"}
	}
	return f.Observed, r.busy(f.Observed)
}
