// Package loadbalancer brings the load balancer of a Service to what the Service asks for:
//
//	Service ──▶ request ─┐
//	cloud ────▶ observed ─┼─▶ decide (pure) ─▶ plan ─▶ apply ─▶ status
//	nodes ────▶ census ──┘
//
// It observes first and writes differences only, touches nothing it does not own, opens
// before it closes, and says on the Service whatever it could not do.
package loadbalancer

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Machines finds the machines behind nodes.
type Machines interface {
	// Lookup returns the machines the cloud has. An id missing from the answer was not
	// found by a direct read; with an error the answer may hold a part of them.
	Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error)
	// ProviderID returns the id in a node's provider-ID.
	ProviderID(node *corev1.Node) (cloud.InstanceID, error)
}

// Options are what a Manager works with. All are required except Trust.
type Options struct {
	// Cloud must have Balancers.
	Cloud     *run.Cloud
	Machines  Machines
	Executor  *run.Executor
	ClusterID string
	Events    event.Recorder
	Metrics   metric.Sink
	// Trust returns nil when the credentials certainly see what they saw before. It is asked
	// before a balancer is believed to be gone; nil always trusts.
	Trust func(context.Context) error
}

// Manager manages the load balancers of all Services of one cloud. It is safe for
// concurrent use; runs for the same Service wait for each other.
type Manager struct {
	cloud     *run.Cloud
	machines  Machines
	executor  *run.Executor
	clusterID string
	events    event.Recorder
	metrics   metric.Sink
	trust     func(context.Context) error
	surveys   *surveys
	book      book
}

// New returns a Manager.
func New(o Options) *Manager {
	if o.Trust == nil {
		o.Trust = func(context.Context) error { return nil }
	}
	return &Manager{
		cloud: o.Cloud, machines: o.Machines, executor: o.Executor,
		clusterID: o.ClusterID, events: o.Events, metrics: o.Metrics, trust: o.Trust,
		surveys: newSurveys(o.Cloud.Surveyor),
	}
}

// Name returns the balancer name that upstream CCMs derive from a Service's UID: "a" and
// the UID without dashes, 32 characters at most.
func (m *Manager) Name(svc *corev1.Service) string {
	name := "a" + strings.ReplaceAll(string(svc.UID), "-", "")
	return name[:min(len(name), 32)]
}

// Get returns the status of the Service's balancer and whether there is one of ours. It
// only reads. With any doubt it returns an error, because a balancer that is said not to
// exist is never deleted. A balancer that belongs to somebody else does not count.
func (m *Manager) Get(ctx context.Context, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return nil, false, err
	}
	defer p.end()
	if p.disowned() {
		return p.present(), len(svc.Status.LoadBalancer.Ingress) > 0, nil
	}
	p.spec.Leaving = leaves(svc)
	f, err := p.seek(ctx, p.read)
	if err != nil {
		return nil, false, p.failed(ctx, err)
	}
	p.say(ofProblems(f.problems())...)
	if f.observed.Remains {
		return p.present(), true, nil
	}
	if !f.observed.Found {
		if svc.DeletionTimestamp != nil {
			p.forget() // nobody calls Delete any more
		}
		return nil, false, nil
	}
	return p.status(f.observed), true, nil
}

// leaves reports whether the Service gives its balancer up: the framework asks whether there is one
// before it has it deleted.
func leaves(svc *corev1.Service) bool {
	return svc.DeletionTimestamp != nil || svc.Spec.Type != corev1.ServiceTypeLoadBalancer
}

// Plan returns what Ensure would do now. It only reads and records no event. Together with
// an error it returns what would be done in spite of it.
func (m *Manager) Plan(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (plan.Plan, error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return plan.Plan{}, err
	}
	defer p.end()
	if p.untouched() {
		return p.plan(nil), nil
	}
	c := p.meet(ctx, nodes)
	f, err := p.seek(ctx, p.observe)
	if err != nil {
		return p.plan(nil), err
	}
	d := p.decide(f, c)
	return d.plan, d.err
}
