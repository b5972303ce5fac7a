package loadbalancer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Outcome is what Ensure says about the Service.
type Outcome struct {
	// Status is nil when Ensure failed.
	Status *corev1.LoadBalancerStatus
	// Record are annotations to write on the Service because they differ from what is
	// there; nil when none do. One that is "" has to go. They may come together with an error.
	Record map[string]string
	// Again is when the Service has to be looked at again, 0 when nothing is left to do.
	Again time.Duration
}

// Ensure brings the Service's balancer to what the Service asks for. An error may be
// *Pending: ask again after that time. Where the Service asks for something impossible, an
// existing balancer still gets its targets and the error lists all problems.
//
// Unless changes are really made, the outcome is the status the Service has.
func (m *Manager) Ensure(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (Outcome, error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return Outcome{}, err
	}
	defer p.end()
	o, err := p.ensure(p.compare(ctx), nodes)
	o.note(p.notes())
	return o, err
}

func (p *pipeline) ensure(ctx context.Context, nodes []*corev1.Node) (Outcome, error) {
	if o, done, err := p.early(ctx, nodes); done {
		return o, err
	}
	if err := (refusal{p}).refuse(ctx, nodes); err != nil {
		return Outcome{}, err
	}
	f, d, err := p.observeAndDecide(ctx, nodes)
	if err != nil {
		return Outcome{Record: p.proof(f.Observed)}, refusal{p}.unread(err)
	}
	p.say(append(p.Warnings, d.Warnings...)...)
	refusal{p}.note(f, d)
	if unrecorded, why := p.unrecorded(d); unrecorded != nil {
		return Outcome{Record: unrecorded}, why
	}
	after, d, err := p.carryOut(ctx, d)
	o := Outcome{Record: p.proof(f.Observed, after)}
	switch {
	case err != nil, d.Err != nil:
		if err == nil {
			refusal{p}.retargeted(d)
		}
		o.note(d.Begins)
		return o, cmp.Or(err, problem.Retryable(d.Err))
	case !p.live():
		return Outcome{Status: p.Present()}, nil
	}
	if o, err = p.outcome(f.Observed, after); err != nil && d.Succeeds {
		return Outcome{}, err // the present balancer serves
	} else if err != nil {
		return o, err
	}
	o.note(d.Begins)
	made := d.Change
	made.Before = after
	o.note(p.recorded(made))
	if d.Succeeds {
		o.Again = pollFirst
		return o, nil
	}
	seen := slices.Concat(f.Observed.Duplicates, after.Duplicates, p.unseen(after.ID))
	f.Observed = after
	second := succession{p}
	if o, err = second.conclude(ctx, f, d, o); err != nil {
		return o, err
	}
	if o.Again == 0 { // else a replacement goes on
		o.Again = soonest(second.prune(ctx, after, seen), p.remaining(), p.recheckMachines)
	}
	p.state.Told = after.ID
	if d.TargetsWait {
		p.revisit = soonest(p.revisit, pollFirst)
	}
	o.Again = soonest(o.Again, p.revisit)
	return o, nil
}

// soonest returns the shortest of the waits, 0 when there is none.
func soonest(waits ...time.Duration) time.Duration {
	waits = slices.DeleteFunc(waits, func(wait time.Duration) bool { return wait <= 0 })
	if len(waits) == 0 {
		return 0
	}
	return slices.Min(waits)
}

// note adds annotations to write.
func (o *Outcome) note(annotations map[string]string) {
	if o.Record == nil && annotations != nil {
		o.Record = map[string]string{}
	}
	maps.Copy(o.Record, annotations)
}

// unrecorded returns the annotations that the Service has to have before the change of a decision is made, and why it
// waits for them; nil when it has all.
func (p *pipeline) unrecorded(d decide.Decision) (map[string]string, *Pending) {
	switch {
	case !p.live() || d.Plan.Empty():
		return nil, nil
	case d.Replaces && d.Begins != nil:
		return d.Begins, &Pending{After: pollFirst, Reason: "the load balancer is about to be replaced"}
	}
	return p.recorded(d.Change), &Pending{After: pollFirst, Reason: "the Service records which parts of the load balancer are its own"}
}

// recorded returns which of the annotations for a change the Service does not have, see cloud.Recorder.
func (p *pipeline) recorded(change cloud.Change) map[string]string {
	if recorder := p.manager.cloud.Recorder; recorder != nil {
		return status.Missing(p.Service, recorder.Record(change))
	}
	return nil
}

// observeAndDecide looks at the balancer and decides. A bulk list is enough to find that there is nothing to
// do or that only targets change. What is changed as a whole is read first: the change would
// undo what somebody else has done since the bulk list.
func (p *pipeline) observeAndDecide(ctx context.Context, nodes []*corev1.Node) (decide.Finding, decide.Decision, error) {
	c := p.candidates(ctx, nodes)
	observe := p.observe
	var duplicates []string
	for {
		f, err := p.findOwned(ctx, observe)
		if err != nil {
			return f, decide.Decision{}, p.failed(ctx, err)
		}
		f.Observed.Duplicates = append(f.Observed.Duplicates, duplicates...) // a read by id shows none
		if err := p.busy(f.Observed); err != nil {
			return f, decide.Decision{}, err
		}
		d := p.proven(ctx, &c, func(c target.Candidates) decide.Decision { return p.policy.Decide(f, c) })
		if d, err = p.compareResources(ctx, d); err != nil {
			return f, d, p.failed(ctx, err)
		}
		if !p.fromList || !d.Rewrites() {
			d, err = p.consult(ctx, f, c, d)
			return f, d, err
		}
		observe, duplicates = p.read, f.Observed.Duplicates
	}
}

// consult returns the decision after all reads it needs besides the balancer.
func (p *pipeline) consult(ctx context.Context, f decide.Finding, c target.Candidates, d decide.Decision) (decide.Decision, error) {
	if d.FindsSuccessor {
		next, err := p.findSuccessor(ctx, f.Observed)
		if err != nil {
			return d, p.failed(ctx, err)
		}
		if err := p.busy(next); err != nil {
			return d, err
		}
		f.Successor = &next
		d = p.proven(ctx, &c, func(c target.Candidates) decide.Decision { return p.policy.Decide(f, c) })
	}
	d, err := p.check(ctx, d)
	if err != nil {
		return d, p.failed(ctx, err)
	}
	return d, nil
}

// carryOut makes the change and returns the state after it, which is final. The decision it
// returns is the one that was carried out.
func (p *pipeline) carryOut(ctx context.Context, d decide.Decision) (cloud.Observed, decide.Decision, error) {
	if d.Succeeds && p.live() {
		after, err := succession{p}.advance(ctx, d)
		return after, d, err
	}
	after, err := d.Change.Before, p.lateRefusal(d)
	if err == nil {
		after, err = p.change(ctx, d)
	}
	// What was refused after the new balancer was made does not bring the old one back: there would be two.
	if err == nil || after.Found || !p.replacesDeleted(d) || !p.state.Refuses(err) {
		return after, d, err
	}
	if d = p.policy.Restore(target.Candidates{Targets: d.Change.Input.Candidates}, d.Change.Before, err); d.Change.After == nil {
		return after, d, err
	}
	p.say(d.Warnings...)
	after, err = p.change(ctx, d)
	return after, d, err
}

// lateRefusal returns why the cloud has refused, after it had accepted it, the balancer that the decision makes
// in the place of one that was deleted, nil when it has not.
func (p *pipeline) lateRefusal(d decide.Decision) error {
	late := p.state.Late
	p.state.Late = nil
	if late == nil || !p.replacesDeleted(d) || !p.state.Refuses(late.Err()) {
		return nil
	}
	return late.Err()
}

// replacesDeleted reports whether the decision makes a balancer in the place of one that was deleted.
func (p *pipeline) replacesDeleted(d decide.Decision) bool {
	return p.Begun() && d.Change.After != nil && !d.Change.Before.Found && d.Change.Input.Preserved == nil
}

// change makes the change of a decision.
func (p *pipeline) change(ctx context.Context, d decide.Decision) (cloud.Observed, error) {
	progress, err := p.apply(ctx, d)
	if made := madeBy(d, progress); err != nil && made != nil {
		return *made, err
	}
	switch {
	case err != nil || d.Plan.Empty() || !p.live():
		return d.Change.Before, err
	case d.Replaces && progress.More:
		return cloud.Observed{}, waitFor(progress, "the balancer is being deleted")
	case d.Recreates:
		p.state.Created = ""
		p.state.FailedCreation.Count(d.Change.Before.ID)
		return cloud.Observed{}, waitFor(progress, "the balancer failed and is being made anew")
	case d.Replaces:
		p.state.Created = ""
		return cloud.Observed{}, waitFor(progress, "the balancer is being replaced")
	}
	var seen cloud.Observed
	if progress.Observed != nil {
		seen = *progress.Observed
	}
	switch {
	case progress.Pending:
		p.state.PendingSince = time.Now()
		return seen, waitFor(progress, waiting)
	case progress.Observed != nil && seen.State != cloud.BalancerPending:
		return seen, p.busy(seen)
	}
	return p.look(ctx)
}

// proof returns the id annotation of a balancer that is certainly the Service's, although
// something is not done or has failed. What its user wrote there stays, so that a wrong text is said:
//
//	our UID tag   we created it  state    written
//	yes           –              active   yes
//	yes           –              other    no: the tag is proof, and one that fails is made anew
//	no            yes            any      yes: nothing else proves that it is the Service's
//	no            no             –        no
func (p *pipeline) proof(seen ...cloud.Observed) map[string]string {
	name := p.IDAnnotation
	for _, o := range seen {
		tagged := ownership.IsTagged(o.Owner, p.Input.Owner)
		ours := tagged && o.State == cloud.BalancerActive || !tagged && o.ID != "" && o.ID == p.state.Created
		if name != "" && p.live() && o.Found && ours && p.Service.Annotations[name] == "" {
			return map[string]string{name: o.ID}
		}
	}
	return nil
}

// look returns the state after a change that the driver did not tell.
func (p *pipeline) look(ctx context.Context) (cloud.Observed, error) {
	f, err := p.find(ctx, p.observe)
	if err != nil {
		return cloud.Observed{}, p.failed(ctx, err)
	}
	if !f.Observed.Found {
		return cloud.Observed{}, &Pending{After: pollFirst, Reason: "the cloud does not show the balancer yet"}
	}
	return f.Observed, p.busy(f.Observed)
}

// outcome returns what the Service is told about the balancer in its final state.
func (p *pipeline) outcome(before, after cloud.Observed) (Outcome, error) {
	if after.State == cloud.BalancerFailed {
		err := fmt.Errorf("balancer %s has failed: %s", after.ID, cmp.Or(after.Detail, "the cloud does not say why"))
		p.say(problem.Warn(event.CloudFailure, err.Error()))
		return Outcome{}, err
	}
	told := status.Of(p.Request, after)
	if len(told.Ingress) == 0 {
		return Outcome{Record: p.proof(after)}, &Pending{After: pollFirst, Reason: "the balancer has no address yet"}
	}
	return Outcome{Status: told, Record: status.Record(p.Request, before, after)}, nil
}

// early ends a run in which nothing is to be decided: the balancer is left alone, or the last change goes
// on, has another step, or has failed after the answer. Then the targets are brought to the nodes all the same: the change
// waits for the retry, and nodes come and go. What fails of that is an event.
func (p *pipeline) early(ctx context.Context, nodes []*corev1.Node) (o Outcome, done bool, err error) {
	if p.Untouched() {
		p.say(p.LeftAlone()...)
		return Outcome{Status: p.Present()}, true, nil
	}
	switch err = p.lastChange(ctx); {
	case err == nil:
		err = p.goOn(ctx, nodes)
	case p.state.Running == nil:
		_ = p.updateTargets(ctx, nodes)
	}
	return Outcome{}, err != nil, err
}
