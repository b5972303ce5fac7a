package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/operation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// apply makes the change of a decision, says what it amounts to and remembers it.
func (r writer) apply(ctx context.Context, d decide.Decision) (cloud.Progress, error) {
	change := d.Change()
	if !d.Plan.Empty() && r.manager.owners.Gone(r.Asked.Service) {
		return cloud.Progress{}, &Pending{After: problem.PollFirst, Reason: "the Service gives its load balancer up"}
	}
	if err := r.announce(ctx, d); err != nil {
		return cloud.Progress{}, err
	}
	before := r.Memory.LastApplied
	if !d.Plan.Empty() {
		// Until the whole change is known to have been made, any part of it may have been.
		r.Memory.LastApplied = state.LastApplied{}
	}
	if r.Live {
		r.Memory.Kept = kept(d.Held, r.Asked.Fingerprint)
	}
	progress, err := r.write(ctx, d)
	if wrong := foreign(change.Change, progress.Observed); wrong != nil {
		progress, err = cloud.Progress{}, errors.Join(err, wrong)
	}
	if made := madeBy(change, progress); made != nil && made.ID != "" && r.Live {
		r.noteCreation(d, made.ID)
	}
	switch {
	case err != nil:
		return progress, r.refusal(ctx, d, progress, err)
	case !r.Live:
		return progress, nil
	case d.Plan.Empty() && d.IsWhole():
		r.Memory.Repeated = state.Repetition{}
	case !d.Plan.Empty():
		r.applied(change, before, progress)
	}
	r.say(problem.OfDriver(progress.Warnings)...)
	r.remember(d, before, progress)
	return progress, nil
}

// kept returns the targets that are kept for a request, nil for none.
func kept(targets []cloud.InstanceID, request string) *state.KeptTargets {
	if len(targets) == 0 {
		return nil
	}
	return &state.KeptTargets{Targets: targets, Request: request}
}

// madeBy returns the balancer that a change has made, as far as the driver tells it, nil when it tells none. The change may
// have failed afterwards.
func madeBy(change *decide.Change, progress cloud.Progress) *cloud.Observed {
	if !change.Creates() {
		return nil
	}
	return progress.Observed
}

// foreign returns why the answer of a change is not about the Service's balancer, nil when it may be. The address of another one must
// not get into its status, nor its id into its annotation:
//
//	the change  the answer has                       it is
//	any         none of it                           fine
//	changed     the id that was changed              fine
//	changed     another id                           not ours
//	made        ownership tags of this Service       fine
//	made        ownership tags of nobody or its      fine: they are written later, or the cloud has none
//	            cluster, and the name that was asked
//	            for, or none, or one with its UID
//	made        any other                            not ours
func foreign(change cloud.Change, told *cloud.Observed) error {
	if told == nil || change.After == nil {
		return nil
	}
	us := change.Input.Owner
	whose := ownership.Of(told.Owner, us)
	named := slices.Contains([]string{"", change.After.Name}, told.Balancer.Name) || ownership.IsInName(told.Balancer.Name, us)
	fine := whose == ownership.Ours || named && (whose == ownership.Nobody || whose == ownership.ThisCluster)
	if change.Before.Found {
		fine = told.ID == change.Before.ID
	}
	if fine {
		return nil
	}
	return &cloud.Error{Op: "changing a balancer", Err: fmt.Errorf("the cloud answered with balancer %s (name %q), which is %s; nothing of it is recorded", told.ID, told.Balancer.Name, whose)}
}

// write makes the change. What was read before it began may not be true any more.
func (r writer) write(ctx context.Context, d decide.Decision) (cloud.Progress, error) {
	change := d.Change()
	if last := r.Memory.NotReplaced; last != nil && last.Request == r.Asked.Fingerprint {
		change.NotReplaced = last.Why
	}
	change.LeftOut = r.Memory.RefusedBy(change.Before.ID).LeftOut(time.Now())
	progress, err := r.manager.executor.Apply(cloud.WithAtLeast(ctx, cloud.PriorityChange), d.Plan, change.Change)
	if why, refused := errors.AsType[*cloud.NotReplaced](err); refused {
		r.Memory.NotReplaced = &state.NotReplaced{Why: why, Request: r.Asked.Fingerprint}
	}
	group := r.follow(progress) //nolint:contextcheck // it asks when this run has ended
	if r.Live && !d.Plan.Empty() {
		r.Memory.Wrote, r.Memory.Creating, r.Memory.Retargeted = time.Now(), "", ""
		deletes := change.After == nil
		r.Memory.Phase = state.PhaseAfter(group, r.Memory.PendingSince(), r.restOf(d, progress))
		if running, goesOn := r.Memory.Phase.(state.Running); goesOn {
			running.Deletes = deletes
			r.Memory.Phase = running
		}
		r.outdate(deletes, change.Adopts())
		if change.After == nil && !progress.More {
			r.noteDeletion(d, change.Before.ID, err)
		}
	}
	return progress, err
}

// follow follows what goes on after an answer, and returns all operations that do, nil for none.
func (r writer) follow(progress cloud.Progress) *operation.Group {
	running, _ := r.Memory.Phase.(state.Running)
	group := r.manager.executor.Follow(running.Group, progress)
	if group != nil && group != running.Group {
		running.Group = group
		running.Since = r.Memory.PendingSince()
		r.Memory.Phase = running
	}
	return group
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
	_, anew := d.Action.(decide.MakeAnew)
	replaces := anew || r.Asked.Replacing != nil || change.Replaced || change.Input.Beside != nil
	takesOver := change.Adopts() && !change.Before.Shared
	settles := progress.Settles && !replaces && !takesOver
	if progress.Rest == nil || d.Err != nil || !targets && !settles {
		return nil
	}
	return &state.Rest{Change: change.Change, Request: r.Asked.Fingerprint, Seen: time.Now(), Steps: progress.Rest}
}

// refusal remembers what a change was made of that failed, and returns the error as the caller shall see it.
func (r writer) refusal(ctx context.Context, d decide.Decision, progress cloud.Progress, err error) error {
	change := d.Change()
	switch made := madeBy(change, progress); {
	case made != nil:
		r.Memory.Created = made.ID
	case change.Creates() && isRefusal(err): // what was announced is not there
		r.noteAbsence("")
	}
	if len(cloud.RefusedTargets(err)) > 0 && r.isUnready() { // what was refused may be the machine of such a Node
		r.manager.nodes.Machines.Outdate()
	}
	if progress.GoesOn && !d.Plan.Empty() {
		r.Memory.Repeated = r.Again(change).With(progress.Step)
	}
	if again := r.refusedTargets(change.Change, err); again != nil {
		return again
	}
	return r.partly(ctx, progress, err)
}

// applied says what a change amounts to, now that it has been made.
func (r writer) applied(change *decide.Change, before state.LastApplied, progress cloud.Progress) {
	again := r.Again(change)
	first := again.Times == 1
	if undone := before.Undone(change.Change); len(undone) > 0 && first {
		r.say(problem.Warn(event.DriftRepaired, "brought back: "+difference.Summary(undone)))
		r.manager.metrics.Add(metric.Drifts, 1, r.manager.cloud.Name)
	}
	switch {
	case !change.Adopts():
	case change.Before.Shared:
		r.say(problem.Warn(event.Adopted, "this Service shares balancer "+change.Before.ID+" now; it has only its own ports there"))
	default:
		r.say(problem.Warn(event.Adopted, "balancer "+change.Before.ID+" is this Service's now"+beside(change.Before)))
	}
	r.Memory.Repeated = again.With(progress.Step)
	if created := madeBy(change, progress); created != nil {
		r.Memory.Created, r.Memory.Refusals = created.ID, 0
		if !created.Native.IsNone() || !r.manager.cloud.Descriptor.Capabilities.VersionStamps {
			r.keepLast(*created)
		}
	}
}

// beside names other balancers with the ownership tags of the Service that takes one over.
func beside(taken cloud.Observed) string {
	switch others := taken.Duplicates; len(others) {
	case 0:
		return ""
	case 1:
		return "; " + others[0] + " has its ownership tags too"
	default:
		return "; " + strings.Join(others, " and ") + " have its ownership tags too"
	}
}

// remember remembers what a change came to.
func (r writer) remember(d decide.Decision, before state.LastApplied, progress cloud.Progress) {
	change := d.Change()
	switch {
	case progress.Pending:
		return
	case progress.Again > 0:
		// What is left will be needed again, and is neither drift nor a cloud that keeps nothing.
		r.again, r.Memory.Repeated = progress.Again, state.Repetition{}
	default:
		r.Memory.RecordApplied(change.After, d.IsWhole(), before)
		if d.Err == nil { // where something could not be read, the next pass is like the first one
			r.brought(change)
		}
	}
	if targets := r.Memory.RefusedBy(change.Before.ID); targets != nil && change.After != nil {
		r.again = soonest(r.again, targets.Settle(change.Input.Candidates, time.Now()))
	}
}

// brought remembers that a balancer has the targets that a change gave it.
func (r writer) brought(change *decide.Change) {
	if change.After != nil && change.Before.Found {
		r.Memory.Brought = change.Before.ID
	}
}

// soonest returns the shortest of the waits, 0 when there is none.
func soonest(waits ...time.Duration) time.Duration {
	waits = slices.DeleteFunc(waits, func(wait time.Duration) bool { return wait <= 0 })
	if len(waits) == 0 {
		return 0
	}
	return slices.Min(waits)
}
