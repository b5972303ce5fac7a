package loadbalancer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// Outcome is what a successful Ensure says about the Service.
type Outcome struct {
	Status *corev1.LoadBalancerStatus
	// Record are annotations to write on the Service because they differ from what is
	// there; nil when none do.
	Record map[string]string
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
	if p.untouched() {
		if p.another {
			p.say(remark{event.ConfigurationIgnored, "the Service is left to another controller, as its annotations say"})
		}
		return Outcome{Status: p.present()}, nil
	}
	f, d, err := p.resolve(ctx, nodes)
	if err != nil {
		return Outcome{}, err
	}
	p.say(append(p.remarks, d.remarks...)...)
	after, err := p.carryOut(ctx, d)
	switch {
	case err != nil:
		return Outcome{}, err
	case d.err != nil:
		return Outcome{}, retryable(d.err)
	case !p.live():
		return Outcome{Status: p.present()}, nil
	}
	return p.outcome(f.observed, after)
}

// resolve looks at the balancer and decides. A survey is enough to find that there is nothing to
// do or that only targets change. What is changed as a whole is read first: the change would
// undo what somebody else has done since the survey.
func (p *pass) resolve(ctx context.Context, nodes []*corev1.Node) (finding, decision, error) {
	c := p.meet(ctx, nodes)
	observe := p.observe
	for {
		f, err := p.seek(ctx, observe)
		if err != nil {
			return f, decision{}, p.failed(ctx, err)
		}
		if err := p.busy(f.observed); err != nil {
			return f, decision{}, err
		}
		d := p.decide(f, c)
		if !p.surveyed || !d.rewrites() {
			return f, d, nil
		}
		observe = p.read
	}
}

// carryOut makes the change and returns the state after it, which is final.
func (p *pass) carryOut(ctx context.Context, d decision) (cloud.Observed, error) {
	progress, err := p.apply(ctx, d)
	switch {
	case err != nil || d.plan.Empty() || !p.live():
		return d.change.Before, err
	case d.replaces:
		p.memory.created = ""
		if d.buries {
			p.memory.stillbirth.count(d.change.Before.ID)
			return cloud.Observed{}, &Pending{After: cmp.Or(progress.After, pollFirst), Reason: "the balancer failed and is being made anew"}
		}
		p.memory.replaced = replacement{by: p.fingerprint, id: d.change.Before.ID}
		return cloud.Observed{}, &Pending{After: cmp.Or(progress.After, pollFirst), Reason: "the balancer is being replaced"}
	case progress.Pending:
		p.memory.pendingSince = time.Now()
		return cloud.Observed{}, &Pending{After: cmp.Or(progress.After, pollFirst), Reason: waiting}
	case progress.Observed != nil:
		return *progress.Observed, p.busy(*progress.Observed)
	}
	return p.look(ctx)
}

// look returns the state after a change that the driver did not tell.
func (p *pass) look(ctx context.Context) (cloud.Observed, error) {
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
func (p *pass) outcome(before, after cloud.Observed) (Outcome, error) {
	if after.State == cloud.BalancerFailed {
		err := fmt.Errorf("balancer %s has failed: %s", after.ID, cmp.Or(after.Detail, "the cloud does not say why"))
		p.say(remark{event.CloudFailure, err.Error()})
		return Outcome{}, err
	}
	status := p.status(after)
	if len(status.Ingress) == 0 {
		return Outcome{}, &Pending{After: pollFirst, Reason: "the balancer has no address yet"}
	}
	return Outcome{Status: status, Record: p.record(before, after)}, nil
}

// record returns the annotations to write, nil when all are there.
func (p *pass) record(before, after cloud.Observed) map[string]string {
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
		present, ok := p.service.Annotations[key]
		return ok && present == value
	})
	if len(wanted) == 0 {
		return nil
	}
	return wanted
}
