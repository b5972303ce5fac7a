package loadbalancer

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// ErrNoBalancer says that there is no balancer whose targets could be changed.
var ErrNoBalancer = errors.New("has no balancer")

// UpdateTargets brings the targets of an existing balancer to these nodes and changes
// nothing else. It does not care whether the annotations are valid. An error, which may be
// *Pending, asks for an Ensure: a balancer that does not exist is one.
func (m *Manager) UpdateTargets(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) error {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return err
	}
	defer p.end()
	if p.Untouched() {
		return nil
	}
	if err := p.goesOn(); err != nil {
		return err
	}
	return p.updateTargets(ctx, nodes)
}

func (p *pipeline) updateTargets(ctx context.Context, nodes []*corev1.Node) error {
	c := p.candidates(ctx, nodes)
	f, err := p.find(ctx, p.observe)
	if err != nil {
		return p.failed(ctx, err)
	}
	if !f.Observed.Found {
		return fmt.Errorf("updating targets: %s %w", p.Input.Owner, ErrNoBalancer)
	}
	if err := p.busy(f.Observed); err != nil {
		return err
	}
	d := p.proven(ctx, &c, func(c target.Candidates) decide.Decision {
		return p.policy.Restrain(p.policy.Retarget(f.Observed.Resolve(c.Targets), c))
	})
	p.say(d.Warnings...)
	if unrecorded, why := p.unrecorded(d); unrecorded != nil {
		return why // the next run is an Ensure, which records them
	}
	progress, err := p.apply(ctx, d)
	switch {
	case err != nil:
		return err
	case progress.Pending:
		return waitFor(progress, waiting)
	case p.revisit > 0:
		return &Pending{After: p.revisit, Reason: "some targets have to wait"}
	case d.Err == nil && p.recheckMachines > 0:
		return &Pending{After: p.recheckMachines, Reason: "some machines seem gone"}
	}
	return problem.Retryable(d.Err)
}
