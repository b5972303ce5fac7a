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
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
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
	if p.Untouched() {
		p.say(p.leftAlone()...)
		return Outcome{Status: p.Present()}, nil
	}
	f, d, err := p.resolve(ctx, nodes)
	if err != nil {
		return Outcome{Record: p.proof(f.observed)}, err
	}
	p.say(append(p.Warnings, d.warnings...)...)
	if d.replaces && d.begins != nil && p.live() {
		return Outcome{Record: d.begins}, &Pending{After: pollFirst, Reason: "the load balancer is about to be replaced"}
	}
	after, d, err := p.carryOut(ctx, d)
	o := Outcome{Record: p.proof(f.observed, after)}
	switch {
	case err != nil, d.err != nil:
		o.note(d.begins)
		return o, cmp.Or(err, retryable(d.err))
	case !p.live():
		return Outcome{Status: p.Present()}, nil
	}
	if o, err = p.outcome(f.observed, after); err != nil && d.succeeds {
		return Outcome{}, err // the present balancer serves
	} else if err != nil {
		return o, err
	}
	o.note(d.begins)
	if d.succeeds {
		o.Again = pollFirst
		return o, nil
	}
	seen := slices.Concat(f.observed.Duplicates, after.Duplicates)
	f.observed = after
	if o, err = p.conclude(ctx, f, d, o); err == nil && o.Again == 0 {
		o.Again = p.prune(ctx, after, seen)
	}
	return o, err
}

// leftAlone says where the Service belongs to another controller.
func (p *pipeline) leftAlone() []problem.Warning {
	if !p.OtherController {
		return nil
	}
	return []problem.Warning{problem.Warn(event.ConfigurationIgnored, "the Service is left to another controller, as its annotations say")}
}

// note adds annotations to write.
func (o *Outcome) note(annotations map[string]string) {
	if o.Record == nil && annotations != nil {
		o.Record = map[string]string{}
	}
	maps.Copy(o.Record, annotations)
}

// resolve looks at the balancer and decides. A bulk list is enough to find that there is nothing to
// do or that only targets change. What is changed as a whole is read first: the change would
// undo what somebody else has done since the bulk list.
func (p *pipeline) resolve(ctx context.Context, nodes []*corev1.Node) (finding, decision, error) {
	c := p.resolveNodes(ctx, nodes)
	observe := p.observe
	for {
		f, err := p.findOwned(ctx, observe)
		if err != nil {
			return f, decision{}, p.failed(ctx, err)
		}
		if err := p.busy(f.observed); err != nil {
			return f, decision{}, err
		}
		d := p.proven(ctx, &c, func(c candidates) decision { return p.decide(f, c) })
		if d, err = p.compareResources(ctx, d); err != nil {
			return f, d, p.failed(ctx, err)
		}
		if !p.fromList || !d.rewrites() {
			d, err = p.consult(ctx, f, c, d)
			return f, d, err
		}
		observe = p.read
	}
}

// consult returns the decision after all reads it needs besides the balancer.
func (p *pipeline) consult(ctx context.Context, f finding, c candidates, d decision) (decision, error) {
	if d.seeks {
		next, err := p.findSuccessor(ctx, f.observed)
		if err != nil {
			return d, p.failed(ctx, err)
		}
		if err := p.busy(next); err != nil {
			return d, err
		}
		f.successor = &next
		d = p.proven(ctx, &c, func(c candidates) decision { return p.decide(f, c) })
	}
	d, err := p.check(ctx, d)
	if err != nil {
		return d, p.failed(ctx, err)
	}
	return d, nil
}

// carryOut makes the change and returns the state after it, which is final. The decision it
// returns is the one that was carried out.
func (p *pipeline) carryOut(ctx context.Context, d decision) (cloud.Observed, decision, error) {
	if d.succeeds && p.live() {
		after, err := p.advance(ctx, d)
		return after, d, err
	}
	after, err := p.change(ctx, d)
	if err == nil || !p.replacesDeleted(d) || !p.refusal(err) {
		return after, d, err
	}
	if d = p.restore(p.known(d), d.change.Before, err); d.change.After == nil {
		return after, d, err
	}
	p.say(d.warnings...)
	after, err = p.change(ctx, d)
	return after, d, err
}

// replacesDeleted reports whether the decision makes a balancer in the place of one that was deleted.
func (p *pipeline) replacesDeleted(d decision) bool {
	return p.Begun() && d.change.After != nil && !d.change.Before.Found && d.change.Spec.Preserved == nil
}

// known returns the machines of a decision as candidates.
func (p *pipeline) known(d decision) candidates { return candidates{targets: d.change.Spec.Candidates} }

// change makes the change of a decision.
func (p *pipeline) change(ctx context.Context, d decision) (cloud.Observed, error) {
	progress, err := p.apply(ctx, d)
	switch {
	case err != nil || d.plan.Empty() || !p.live():
		return d.change.Before, err
	case d.replaces:
		if progress.More {
			return cloud.Observed{}, &Pending{After: cmp.Or(progress.After, pollFirst), Reason: "the balancer is being deleted"}
		}
		p.state.created = ""
		if d.recreates {
			p.state.failedCreation.count(d.change.Before.ID)
			return cloud.Observed{}, &Pending{After: cmp.Or(progress.After, pollFirst), Reason: "the balancer failed and is being made anew"}
		}
		return cloud.Observed{}, &Pending{After: cmp.Or(progress.After, pollFirst), Reason: "the balancer is being replaced"}
	case progress.Pending:
		p.state.pendingSince = time.Now()
		return told(progress), &Pending{After: cmp.Or(progress.After, pollFirst), Reason: waiting}
	case progress.Observed != nil && progress.Observed.State != cloud.BalancerPending:
		return *progress.Observed, p.busy(*progress.Observed)
	}
	return p.look(ctx)
}

// told returns the state that the driver learnt on the way, nothing when it did not.
func told(progress cloud.Progress) cloud.Observed {
	if progress.Observed == nil {
		return cloud.Observed{}
	}
	return *progress.Observed
}

// proof returns the id annotation of a balancer that is certainly the Service's, although
// something is not done or has failed. What its user wrote there stays, so that a wrong text is said:
//
//	our UID mark  we created it  state    written
//	yes           –              active   yes
//	yes           –              other    no: the mark is proof, and one that fails is made anew
//	no            yes            any      yes: nothing else proves that it is the Service's
//	no            no             –        no
func (p *pipeline) proof(seen ...cloud.Observed) map[string]string {
	name, us := p.manager.cloud.Descriptor.IDAnnotation, p.Spec.Ref.Owner.UID
	for _, o := range seen {
		marked := us != "" && o.Owner.UID == us
		ours := marked && o.State == cloud.BalancerActive || !marked && o.ID != "" && o.ID == p.state.created
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
	if !f.observed.Found {
		return cloud.Observed{}, &Pending{After: pollFirst, Reason: "the cloud does not show the balancer yet"}
	}
	return f.observed, p.busy(f.observed)
}

// outcome returns what the Service is told about the balancer in its final state.
func (p *pipeline) outcome(before, after cloud.Observed) (Outcome, error) {
	if after.State == cloud.BalancerFailed {
		err := fmt.Errorf("balancer %s has failed: %s", after.ID, cmp.Or(after.Detail, "the cloud does not say why"))
		p.say(problem.Warn(event.CloudFailure, err.Error()))
		return Outcome{}, err
	}
	status := status.Of(&p.Request, after)
	if len(status.Ingress) == 0 {
		return Outcome{Record: p.proof(after)}, &Pending{After: pollFirst, Reason: "the balancer has no address yet"}
	}
	return Outcome{Status: status, Record: p.record(before, after), Again: p.revisit}, nil
}

// record returns the annotations to write, nil when all are there.
func (p *pipeline) record(before, after cloud.Observed) map[string]string {
	wanted := maps.Clone(after.Record)
	if wanted == nil {
		wanted = map[string]string{}
	}
	if before.ID == after.ID {
		for key, value := range before.Record {
			wanted[key] = cmp.Or(wanted[key], value)
		}
	}
	if name := p.manager.cloud.Descriptor.IDAnnotation; name != "" {
		wanted[name] = after.ID
	}
	maps.DeleteFunc(wanted, func(key, value string) bool {
		present, ok := p.Service.Annotations[key]
		return ok && present == value
	})
	if len(wanted) == 0 {
		return nil
	}
	return wanted
}
