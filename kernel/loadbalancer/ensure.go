package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
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

// note adds annotations to write.
func (o *Outcome) note(annotations map[string]string) {
	if o.Record == nil && annotations != nil {
		o.Record = map[string]string{}
	}
	maps.Copy(o.Record, annotations)
}

// Ensure brings the Service's balancer to what the Service asks for. An error may be
// *Pending: ask again after that time. Where the Service asks for something impossible, an
// existing balancer still gets its targets and the error lists all problems.
//
// Unless changes are really made, the outcome is the status the Service has.
func (m *Manager) Ensure(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (Outcome, error) {
	r, ctx, err := m.begin(ctx, svc, nodes)
	if err != nil {
		return Outcome{}, err
	}
	defer r.end()
	o, err := r.ensure(r.compare(ctx))
	o.note(r.annotations())
	return o, err
}

func (r *reconciliation) ensure(ctx context.Context) (Outcome, error) {
	if r.Asked.Untouched() {
		r.say(r.Asked.LeftAlone()...)
		return Outcome{Status: r.Asked.Present()}, nil
	}
	if err := r.goOn(ctx); err != nil {
		return Outcome{}, err
	}
	if err := r.refuse(ctx); err != nil {
		return Outcome{}, err
	}
	warnings := r.Asked.Warnings
	for {
		next, err := r.decide(ctx, decide.Everything)
		if err != nil {
			return Outcome{Record: r.proof()}, r.unread(r.failed(ctx, err))
		}
		r.say(append(warnings, next.Warnings...)...)
		done, err := r.perform(ctx, next)
		if warnings = nil; !done.decideAgain {
			return r.report(ctx, next, done, err)
		}
	}
}

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
	if err := r.running(); err != nil {
		return err
	}
	return r.updateTargets(ctx)
}

func (r *reconciliation) updateTargets(ctx context.Context) error {
	next, err := r.decide(ctx, decide.JustTargets)
	if err != nil {
		return r.failed(ctx, err)
	}
	if !r.Facts.Balancer.Found {
		return fmt.Errorf("updating targets: %s %w", r.Asked.Input.Owner, ErrNoBalancer)
	}
	r.say(next.Warnings...)
	_, err = r.perform(ctx, next)
	switch {
	case err != nil:
		return err
	case r.again > 0:
		return &Pending{After: r.again, Reason: "some targets have to wait"}
	case next.Err == nil && r.Facts.Candidates.Again > 0:
		return &Pending{After: r.Facts.Candidates.Again, Reason: "some machines seem gone"}
	}
	return problem.Retryable(next.Err)
}
