package loadbalancer

import (
	"cmp"
	"context"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// operationWait is the wait while operations run, whose end is told.
const operationWait = time.Minute

// goOn ends a run in which nothing is to be decided: the last change goes on, has another step, or has failed after the answer. Then
// the targets are brought to the nodes all the same: the change waits for the retry, and nodes come and go. What fails of that is an
// event.
func (r writer) goOn(ctx context.Context) error {
	err := r.lastChange(ctx)
	if _, removed := r.Memory.Phase.(state.Removed); removed { // the Service wants its balancer back: whether there is one is looked for
		r.Memory.Phase = nil
	}
	if err == nil {
		return r.resume(ctx)
	}
	if _, failed := r.Memory.Phase.(state.Failed); failed {
		_ = r.updateTargets(ctx)
	}
	return err
}

// lastChange is running, and returns once what an operation of the last change failed with: the change
// failed.
func (r writer) lastChange(ctx context.Context) error {
	running, goesOn := r.Memory.Phase.(state.Running)
	if err := r.running(); err != nil || !goesOn {
		return err
	}
	if err := running.Group.Err(); err != nil {
		r.Memory.Phase, r.Memory.Repeated = state.Failed{Group: running.Group, Since: running.Since}, state.Repetition{}
		r.noteFailedCreation()
		return r.failed(ctx, err)
	}
	if !running.Group.Succeeded() { // what they did is not known
		running.Rest = nil
	}
	r.removed = running.Removes && running.Group.Succeeded()
	r.Memory.Phase = state.PhaseAfter(nil, running.Since, running.Rest)
	return nil
}

// running returns *Pending while operations of the last change go on. What was read before they had ended may not
// be true any more.
func (r writer) running() error {
	running, goesOn := r.Memory.Phase.(state.Running)
	switch {
	case !goesOn:
	case !running.Group.Ended():
		return &Pending{After: operationWait, Ended: running.Group.Done(), Reason: problem.Working}
	case running.Group.At().After(r.Memory.Wrote):
		r.Memory.Wrote = running.Group.At()
		r.outdate(running.Deletes, true)
	}
	return nil
}

// outdate makes bulk lists from before the last change useless, where they would mislead others.
func (r writer) outdate(deletes, moves bool) {
	switch {
	case deletes:
		r.manager.lists.Deleted(r.Memory.Wrote)
	case moves:
		r.manager.lists.Expire(r.Memory.Wrote)
	}
}

// resume makes the next step of a change when the operations of the last one have ended well, without another look at
// the balancer. It returns nil where nothing is left, or something else is wanted by now: then the balancer is looked at.
func (r writer) resume(ctx context.Context) error {
	rest := r.takeRest()
	if rest == nil || rest.Change.After == nil || r.manager.owners.Gone(r.Asked.Service) || !r.isWanted(ctx, rest) {
		return nil
	}
	progress, err := r.step(ctx, rest)
	if err != nil {
		if again := r.refusedTargets(rest.Change, err); again != nil {
			return again
		}
	}
	switch {
	case cloud.IsClass(err, cloud.FailureConflict), !rest.Change.Before.Found && isRefusal(err): // what is refused of a new balancer is said after a look
		return nil
	case err != nil:
		return r.bringTargets(ctx, rest.Change, r.partly(ctx, progress, err))
	case progress.Pending:
		return problem.WaitFor(progress, problem.Working)
	}
	return nil
}

// isWanted reports whether what is left of a change leads to what would be decided now.
func (r writer) isWanted(ctx context.Context, rest *state.Rest) bool {
	change := decide.Change{Change: rest.Change}
	now := r.Case
	now.Facts = decide.Facts{Candidates: r.candidates(ctx), Balancer: &rest.Change.Before}
	choose := decide.Case.Choose
	if rest.Change.Before.Found && !change.Rewrites() {
		choose = decide.Case.Retarget
	}
	d := choose(now)
	if held := d.Held; len(held) > 0 {
		now.Facts.Candidates, now.Facts.Proved = r.manager.nodes.Prove(ctx, now.Facts.Candidates, held), true
		d = choose(now)
	}
	after := d.After()
	return d.Err == nil && after != nil && len(difference.Of(*rest.Change.After, *after)) == 0
}

// restAge is for how long what was seen of a balancer serves the steps of its change. Then it is looked at again, in
// the midst of the change.
const restAge = time.Minute

// madeAge is the same for a balancer that was just made. A virtual machine that serves as one can take minutes to start, and nobody
// else knows of it before.
const madeAge = 15 * time.Minute

// takeRest returns what is left of the last change, nil where the balancer has to be looked at first: the Service asks for
// something else or names another balancer, or what was seen is too old.
func (r writer) takeRest() *state.Rest {
	interrupted, is := r.Memory.Phase.(state.Interrupted)
	if !is {
		return nil
	}
	rest := interrupted.Rest
	r.Memory.Phase = state.PhaseAfter(nil, interrupted.Since, nil)
	if rest.Request != r.Asked.Fingerprint {
		return nil
	}
	age := restAge
	if !rest.Change.Before.Found {
		age = madeAge
	}
	if time.Since(rest.Seen) > age {
		return nil
	}
	if r.Asked.Recorded != "" && r.Asked.Recorded != cmp.Or(rest.Change.Before.ID, r.Memory.Created) {
		return nil
	}
	return rest
}

// step makes the next step of what is left of a change. A conflict says that somebody else has changed something since.
func (r writer) step(ctx context.Context, rest *state.Rest) (cloud.Progress, error) {
	progress, err := r.write(ctx, r.Continuation(rest.Change, rest.Steps))
	r.say(problem.OfDriver(progress.Warnings)...)
	switch left := r.Memory.Phase.(type) {
	case state.Running:
		left.Rest.SeenWith(rest)
	case state.Interrupted:
		left.Rest.SeenWith(rest)
	case state.Pending, state.Removed, state.Failed, nil:
	}
	return progress, err
}
