// Package loadbalancer brings the load balancer of a Service to what the Service asks for:
//
//	Service ──▶ request ─┐
//	cloud ────▶ observed ─┼─▶ decide (pure) ─▶ plan ─▶ apply ─▶ status
//	nodes ────▶ candidates ┘
//
// It observes first and writes differences only, touches nothing it does not own, opens
// before it closes, and says on the Service whatever it could not do.
package loadbalancer

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/bulklist"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Machines finds the machines behind nodes.
type Machines interface {
	// Lookup returns the machines the cloud has. An id missing from the answer was not
	// found by a direct read; with an error the answer may hold a part of them.
	Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error)
	// ByName returns the machines of nodes without provider-ID, by the name of the node: those
	// of which there is exactly one. With an error the answer may hold a part of them.
	ByName(ctx context.Context, names []string) (map[string]cloud.Instance, error)
	// Addresses returns the addresses of all machines of a list that was read just now and is
	// believed to be whole.
	Addresses(ctx context.Context) (map[string]bool, error)
	// ProviderID returns the id in a node's provider-ID.
	ProviderID(node *corev1.Node) (cloud.InstanceID, error)
}

// Options are what a Manager works with. All are required except Nodes, Trust, Services and Adoption.
type Options struct {
	// Cloud must have Balancers.
	Cloud    *run.Cloud
	Machines Machines
	// Nodes returns all Nodes of the cluster, whosever they are; nil knows none.
	Nodes     func() []*corev1.Node
	Executor  *run.Executor
	ClusterID string
	Events    event.Recorder
	Metrics   metric.Sink
	// Trust returns nil when the credentials certainly see what they saw before. It is asked
	// before a balancer is believed to be gone; nil always trusts.
	Trust func(context.Context) error
	// Services returns all Services of the cluster, from a cache; nil knows of none. What another
	// Service publishes is not taken over, and nothing is made for a Service that is gone.
	Services func() []*corev1.Service
	// Adoption says what may be taken over.
	Adoption safety.Adoption
}

// Manager manages the load balancers of all Services of one cloud. It is safe for
// concurrent use; runs for the same Service wait for each other.
type Manager struct {
	cloud         *run.Cloud
	machines      Machines
	nodes         func() []*corev1.Node
	executor      *run.Executor
	clusterID     string
	events        event.Recorder
	metrics       metric.Sink
	trust         func(context.Context) error
	services      func() []*corev1.Service
	adoption      safety.Adoption
	lists         *bulklist.Lists
	states        serviceStates
	ownerWarnings ownerWarnings
}

// New returns a Manager.
func New(o Options) *Manager {
	if o.Trust == nil {
		o.Trust = func(context.Context) error { return nil }
	}
	if o.Services == nil {
		o.Services = func() []*corev1.Service { return nil }
	}
	if o.Nodes == nil {
		o.Nodes = func() []*corev1.Node { return nil }
	}
	return &Manager{
		cloud: o.Cloud, machines: o.Machines, nodes: o.Nodes, executor: o.Executor,
		clusterID: o.ClusterID, events: o.Events, metrics: o.Metrics, trust: o.Trust,
		services: o.Services, adoption: o.Adoption,
		lists: bulklist.New(o.Cloud.BulkLister),
	}
}

// Name returns the balancer name that upstream CCMs derive from a Service's UID.
func (m *Manager) Name(svc *corev1.Service) string { return safety.DerivedName(string(svc.UID)) }

// Get returns the status of the Service's balancer and whether there is one of ours. It
// only reads. With any doubt it returns an error, because a balancer that is said not to
// exist is never deleted. A balancer that belongs to somebody else does not count.
func (m *Manager) Get(ctx context.Context, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return nil, false, err
	}
	defer p.end()
	if p.Disowned() {
		return p.Present(), len(svc.Status.LoadBalancer.Ingress) > 0, nil
	}
	if isDeleting(svc) {
		p.setDeleting()
	}
	f, err := p.findOwned(ctx, p.read)
	if err != nil {
		return nil, false, p.failed(ctx, err)
	}
	p.say(problem.OfProblems(f.conflicts)...)
	if f.observed.Orphans {
		return p.Present(), true, nil
	}
	if !f.observed.Found {
		if svc.DeletionTimestamp != nil {
			p.forget() // nobody calls Delete any more
		}
		return nil, false, nil
	}
	return status.Of(&p.Request, f.observed), true, nil
}

// isDeleting reports whether the Service gives its balancer up: the framework asks whether there is one
// before it has it deleted.
func isDeleting(svc *corev1.Service) bool {
	return svc.DeletionTimestamp != nil || svc.Spec.Type != corev1.ServiceTypeLoadBalancer
}
