package loadbalancer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// apply makes the change of a decision, says what it amounts to and remembers it.
func (p *pipeline) apply(ctx context.Context, d decide.Decision) (cloud.Progress, error) {
	if !d.Plan.Empty() && p.manager.owners.Gone(p.Service) {
		return cloud.Progress{}, &Pending{After: pollFirst, Reason: "the Service gives its load balancer up"}
	}
	if err := p.announce(ctx, d); err != nil {
		return cloud.Progress{}, err
	}
	before := p.state.LastApplied
	if !d.Plan.Empty() {
		// Until the whole change is known to have been made, any part of it may have been.
		p.state.LastApplied = state.LastApplied{}
	}
	if p.live() {
		p.state.Keep(d.Held, p.Fingerprint)
	}
	progress, err := p.execute(ctx, d)
	if wrong := foreign(d.Change, progress.Observed); wrong != nil {
		progress, err = cloud.Progress{}, errors.Join(err, wrong)
	}
	if made := madeBy(d, progress); made != nil && made.ID != "" && p.live() {
		p.noteCreation(d, made.ID)
	}
	switch {
	case err != nil:
		return progress, p.refusal(ctx, d, progress, err)
	case !p.live():
		return progress, nil
	case d.Plan.Empty() && d.Whole:
		p.state.Repeated = state.Repetition{}
	case !d.Plan.Empty():
		p.applied(d, before, progress)
	}
	p.say(problem.OfDriver(progress.Warnings)...)
	p.recordOutcome(d, before, progress)
	return progress, nil
}

// refusal remembers what a change was made of that failed, and returns the error as the caller shall see it.
func (p *pipeline) refusal(ctx context.Context, d decide.Decision, progress cloud.Progress, err error) error {
	switch made := madeBy(d, progress); {
	case made != nil:
		p.state.Created = made.ID
	case creates(d.Change) && isRefusal(err): // what was announced is not there
		p.noteAbsence("")
	}
	if p.unready && len(cloud.RefusedTargets(err)) > 0 { // what was refused may be the machine of such a Node
		p.manager.nodes.Machines.Outdate()
	}
	if progress.GoesOn && !d.Plan.Empty() {
		p.state.Repeated = p.policy.Again(d).With(progress.Step)
	}
	if again := p.refusedTargets(d.Change, err); again != nil {
		return again
	}
	return p.partly(ctx, progress, err)
}

// partly returns the error of a change, of which the cloud refuses a part. The others go on where that asks for nothing again.
func (p *pipeline) partly(ctx context.Context, progress cloud.Progress, err error) error {
	err = p.failed(ctx, err)
	if _, waits := errors.AsType[*Pending](err); waits || !progress.Pending || !progress.GoesOn {
		return err
	}
	pending := waitFor(progress, waiting)
	pending.Err = err
	return pending
}

// recordOutcome remembers what a change came to.
func (p *pipeline) recordOutcome(d decide.Decision, before state.LastApplied, progress cloud.Progress) {
	switch {
	case progress.Pending:
		return
	case progress.Again > 0:
		// What is left will be needed again, and is neither drift nor a cloud that keeps nothing.
		p.revisit, p.state.Repeated = progress.Again, state.Repetition{}
	default:
		p.state.RecordApplied(d.Change.After, d.Whole, before)
		if p.recalls() && !d.Plan.Empty() {
			p.state.Recall(progress.Observed)
		}
		if d.Err == nil { // where something could not be read, the next pass is like the first one
			p.state.Bring(d.Change)
		}
	}
	if r := p.state.RefusedBy(d.Change.Before.ID); r != nil && d.Change.After != nil {
		if again := r.Settle(d.Change.Input.Candidates, time.Now()); again > 0 && (p.revisit == 0 || again < p.revisit) {
			p.revisit = again
		}
	}
}

// refusedTargets returns why another request has to follow soon, in which fewer machines become targets, nil where none has to.
func (p *pipeline) refusedTargets(change cloud.Change, err error) error {
	refusals := cloud.RefusedTargets(err)
	if len(refusals) == 0 && isRefusal(err) {
		if r := p.state.RefusedBy(change.Before.ID); r != nil {
			r.NoteUnrelated(time.Now())
		}
	}
	for _, one := range refusals {
		if one.Asked == nil && change.After != nil {
			one.Asked = slices.DeleteFunc(slices.Clone(change.After.Targets), func(id cloud.InstanceID) bool { return slices.Contains(change.Before.Balancer.Targets, id) })
		}
	}
	if len(refusals) == 0 || !p.state.NoteRefused(change.Before.ID, refusals) {
		return nil
	}
	return &Pending{After: refused.TrialPause, Reason: "the cloud refuses some targets, the others are asked for without them"}
}

// execute makes the change. What was read before it began may not be true any more.
func (p *pipeline) execute(ctx context.Context, d decide.Decision) (cloud.Progress, error) {
	d.Change.NotReplaced = p.state.NotReplaced(p.Fingerprint)
	d.Change.LeftOut = p.state.RefusedBy(d.Change.Before.ID).LeftOut(time.Now())
	progress, err := p.manager.executor.Apply(cloud.WithAtLeast(ctx, cloud.PriorityChange), d.Plan, d.Change)
	p.state.NoteNotReplaced(err, p.Fingerprint)
	p.state.Running = p.manager.executor.Follow(p.state.Running, progress) //nolint:contextcheck // it asks when this run has ended
	if p.live() && !d.Plan.Empty() {
		p.state.Wrote, p.state.Deleted, p.state.Removed = time.Now(), d.Change.After == nil, false
		p.state.Creating, p.state.Retargeted = "", ""
		p.state.Rest = p.restOf(d, progress)
		p.outdates(d.Adopts())
		if d.Change.After == nil && !progress.More {
			p.noteDeletion(d, d.Change.Before.ID, err)
		}
		if p.recalls() {
			p.state.Last = nil
		}
	}
	return progress, err
}

// recalls reports whether the driver takes parts of a balancer from what was known of it before.
func (p *pipeline) recalls() bool { return p.manager.cloud.Descriptor.Capabilities.Recalls }

// outdates makes bulk lists from before the last change useless, where they would mislead others.
func (p *pipeline) outdates(moved bool) {
	switch {
	case p.state.Deleted:
		p.manager.lists.Deleted(p.state.Wrote)
	case moved:
		p.manager.lists.Expire(p.state.Wrote)
	}
}

// applied says what a change amounts to, now that it has been made.
func (p *pipeline) applied(d decide.Decision, before state.LastApplied, progress cloud.Progress) {
	again := p.policy.Again(d)
	first := again.Times == 1
	if undone := before.Undone(d.Change); len(undone) > 0 && first {
		p.say(problem.Warn(event.DriftRepaired, "brought back: "+difference.Summary(undone)))
		p.manager.metrics.Add(metric.Drifts, 1, p.manager.cloud.Name)
	}
	switch {
	case !d.Adopts():
	case d.Change.Before.Shared:
		p.say(problem.Warn(event.Adopted, "this Service shares balancer "+d.Change.Before.ID+" now; it has only its own ports there"))
	default:
		p.say(problem.Warn(event.Adopted, "balancer "+d.Change.Before.ID+" is this Service's now"+beside(d.Change.Before)))
	}
	p.state.Repeated = again.With(progress.Step)
	if created := madeBy(d, progress); created != nil {
		p.state.Made(created.ID)
		if created.Native != nil && p.manager.cloud.Descriptor.Capabilities.VersionStamps {
			p.state.Last = created
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

// madeBy returns the balancer that a change has made, as far as the driver tells it, nil when it tells none. The change may
// have failed afterwards.
func madeBy(d decide.Decision, progress cloud.Progress) *cloud.Observed {
	if !creates(d.Change) {
		return nil
	}
	return progress.Observed
}

// creates reports whether a change is about a balancer that is not there yet.
func creates(change cloud.Change) bool { return change.After != nil && !change.Before.Found }
