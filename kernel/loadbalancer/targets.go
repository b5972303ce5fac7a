package loadbalancer

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// ErrNoBalancer says that there is no balancer whose targets could be changed.
var ErrNoBalancer = errors.New("has no balancer")

// UpdateTargets brings the targets of an existing balancer to these nodes and changes
// nothing else. It does not care whether the annotations are valid. An error, which may be
// *Pending, asks for an Ensure: a balancer that does not exist is one.
func (m *Manager) UpdateTargets(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) error {
	r, ctx, err := m.begin(ctx, svc, nodes)
	if err != nil {
		return err
	}
	defer r.end()
	if r.Asked.Untouched() {
		return nil
	}
	if err := r.writer.running(); err != nil {
		return err
	}
	return r.updateTargets(ctx)
}

func (r *reconciliation) updateTargets(ctx context.Context) error {
	r.Asked.Input.JustTargets = true
	next, err := r.decide(ctx, decide.Case.Retarget)
	if err != nil {
		return r.failed(ctx, err)
	}
	if !r.Facts.Balancer.Found {
		return fmt.Errorf("updating targets: %s %w", r.Asked.Input.Owner, ErrNoBalancer)
	}
	r.say(next.Warnings...)
	if waits := next.Waits(); waits != nil {
		return waits // annotations are recorded by the next run, which is an Ensure
	}
	progress, err := r.writer.apply(ctx, next)
	switch {
	case err != nil:
		return err
	case progress.Pending:
		return problem.WaitFor(progress, problem.Working)
	case r.again > 0:
		return &Pending{After: r.again, Reason: "some targets have to wait"}
	case next.Err == nil && r.Facts.Candidates.Again > 0:
		return &Pending{After: r.Facts.Candidates.Again, Reason: "some machines seem gone"}
	}
	return problem.Retryable(next.Err)
}
