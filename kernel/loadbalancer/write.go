package loadbalancer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/operation"
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

// isUnready reports whether the kubelet of a Node that is offered does not report. The Nodes that are offered are not new ones when only
// their readiness has changed.
func (r writer) isUnready() bool {
	return slices.ContainsFunc(slices.Concat(r.nodes, r.manager.nodes.Nodes()), func(node *corev1.Node) bool { return !instance.Ready(node) })
}

// partly returns the error of a change, of which the cloud refuses a part. The others go on where that asks for nothing again.
func (r writer) partly(ctx context.Context, progress cloud.Progress, err error) error {
	err = r.failed(ctx, err)
	if _, waits := errors.AsType[*Pending](err); waits || !progress.Pending || !progress.GoesOn {
		return err
	}
	pending := problem.WaitFor(progress, problem.Working)
	pending.Err = err
	return pending
}

// refusedTargets returns why another request has to follow soon, in which fewer machines become targets, nil where none has to.
func (r writer) refusedTargets(change cloud.Change, err error) error {
	refusals := cloud.RefusedTargets(err)
	if len(refusals) == 0 && isRefusal(err) {
		if targets := r.Memory.RefusedBy(change.Before.ID); targets != nil {
			targets.NoteUnrelated(time.Now())
		}
	}
	for _, one := range refusals {
		if one.Asked == nil && change.After != nil {
			one.Asked = slices.DeleteFunc(slices.Clone(change.After.Targets), func(id cloud.InstanceID) bool { return slices.Contains(change.Before.Balancer.Targets, id) })
		}
	}
	if len(refusals) == 0 || !r.noteRefused(change.Before.ID, refusals) {
		return nil
	}
	return &Pending{After: refused.TrialPause, Reason: "the cloud refuses some targets, the others are asked for without them"}
}

// mostRefusedBy is of how many balancers of a Service it is remembered: one that serves, one beside it, and one before.
const mostRefusedBy = 3

// noteRefused learns from a request for a balancer that was refused, and reports whether another one has to follow soon.
func (r writer) noteRefused(id string, refusals []*cloud.TargetsRefused) (again bool) {
	targets := r.Memory.RefusedBy(id)
	if targets == nil {
		targets = &refused.Targets{}
	}
	if again = targets.Note(refusals, time.Now()); again {
		if r.Memory.Refused == nil || len(r.Memory.Refused.By) > mostRefusedBy {
			r.Memory.Refused = &state.RefusedTargets{By: map[string]*refused.Targets{}}
		}
		r.Memory.Refused.By[id] = targets
	}
	return again
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
		if created.Native != nil || !r.manager.cloud.Descriptor.Capabilities.VersionStamps {
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
