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
	switch {
	case err == nil:
		return r.resume(ctx)
	case r.Memory.Running == nil:
		_ = r.updateTargets(ctx)
	}
	return err
}

// lastChange is running, and returns once what an operation of the last change failed with: the change
// failed.
func (r writer) lastChange(ctx context.Context) error {
	running := r.Memory.Running
	if err := r.running(); err != nil || running == nil {
		return err
	}
	r.Memory.Running = nil
	if err := running.Err(); err != nil {
		r.Memory.Late, r.Memory.Repeated, r.Memory.Rest = running, state.Repetition{}, nil
		r.noteFailedCreation()
		return r.failed(ctx, err)
	}
	r.removed = running == r.Memory.Removal && running.Succeeded()
	if !running.Succeeded() { // what they did is not known
		r.Memory.Rest = nil
	}
	return nil
}

// running returns *Pending while operations of the last change go on. What was read before they had ended may not
// be true any more.
func (r writer) running() error {
	switch running := r.Memory.Running; {
	case running == nil:
	case !running.Ended():
		return &Pending{After: operationWait, Ended: running.Done(), Reason: problem.Working}
	case running.At().After(r.Memory.Wrote):
		r.Memory.Wrote = running.At()
		r.outdate(true)
	}
	return nil
}

// outdate makes bulk lists from before the last change useless, where they would mislead others.
func (r writer) outdate(moved bool) {
	switch {
	case r.Memory.Deleted:
		r.manager.lists.Deleted(r.Memory.Wrote)
	case moved:
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
		return r.partly(ctx, progress, err)
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
	rest := r.Memory.Rest
	r.Memory.Rest = nil
	if rest == nil || rest.Request != r.Asked.Fingerprint {
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
	if left := r.Memory.Rest; left != nil {
		left.Seen = rest.Seen
	}
	return progress, err
}

// restOf returns what is left of a change that goes on, nil where the next step needs another look at the balancer:
//
//	change                                 the next step needs a look
//	leaves out what the Service asks for   yes
//	is about targets alone                 no: they depend on nothing but each other
//	makes the balancer                     unless it settles, and the answer said what the step needs
//	belongs to a replacement               yes: it depends on two balancers
//	takes a balancer over                  yes: somebody else may do so too
//	any other                              unless the balancer settles, see cloud.ResourceKind
func (r writer) restOf(d decide.Decision, progress cloud.Progress) *state.Rest {
	change := d.Change()
	targets := change.After != nil && change.Before.Found && !change.Rewrites()
	replaces := r.Asked.Replacing != nil || change.Replaced || change.Input.Beside != nil
	takesOver := change.Adopts() && !change.Before.Shared
	settles := progress.Settles && !replaces && !takesOver
	if progress.Rest == nil || d.Err != nil || !targets && !settles {
		return nil
	}
	return &state.Rest{Change: change.Change, Request: r.Asked.Fingerprint, Seen: time.Now(), Steps: progress.Rest}
}
