// Package firewall keeps the one packet filter in front of all nodes of a cluster: it
// computes the openings all Services need together, and writes them when they differ.
package firewall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Options are what a Manager works with.
type Options struct {
	// Cloud may have no Firewalls: then nothing is done.
	Cloud    *run.Cloud
	Executor *run.Executor
	// Managed says whether openings are made for a Service at all, and what is wrong with
	// the annotation that says so, or "". nil means that all are managed.
	Managed func(svc *corev1.Service) (managed bool, warning string)
	// Denied are ports that are never opened for clients.
	Denied Ports
	// Events and Metrics may be nil.
	Events  event.Recorder
	Metrics metric.Sink
}

// BalancerOf returns the balancer of a Service as it is, or will be, and its id, "" while
// it does not exist.
type BalancerOf func(svc *corev1.Service) (b cloud.Balancer, id string, err error)

// Manager manages the firewall of one cloud.
type Manager struct {
	Options
	warnings event.Once

	mu sync.Mutex // held during Reconcile: there is only one firewall
	// needed is what each Service needed in the last pass, nil before the first.
	needed map[types.UID][]cloud.Opening
}

// New returns a Manager.
func New(o Options) *Manager {
	if o.Managed == nil {
		o.Managed = func(*corev1.Service) (bool, string) { return true, "" }
	}
	o.Metrics = metric.OrDiscard(o.Metrics)
	return &Manager{Options: o, warnings: event.Once{Next: o.Events}}
}

// Enabled reports whether there is a firewall to manage.
func (m *Manager) Enabled() bool {
	return m.Cloud.Firewalls != nil
}

// Reconcile brings the firewall to what all Services together need, and returns what it did
// (in DryRun: would do). The services must come from a synced cache, because what
// none of them needs is closed.
//
// A Service whose needs cannot be found out keeps the openings it has and does not stop the
// others; its error is part of the returned one. What has no room waits, see share; what
// nobody needs is closed all the same. What the cloud refuses stops only its namespace.
func (m *Manager) Reconcile(ctx context.Context, services []*corev1.Service, balancerOf BalancerOf) (plan.Plan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.Enabled() {
		return m.plan(nil), nil
	}
	ctx = cloud.WithPriority(ctx, cloud.PriorityBegun)
	observed, err := m.observe(ctx)
	if err != nil {
		return m.plan(nil), err
	}
	defer m.warnings.Round()
	needs, failures := m.needs(services, balancerOf, observed)
	desired, waiting := share(needs, observed.Openings, m.limits())
	m.tell(waiting)
	p, err := m.bring(ctx, observed, desired)
	if refused(err) {
		err = errors.Join(err, m.withoutRefused(ctx, needs, desired, err))
	}
	return p, errors.Join(append(failures, err)...)
}

func (m *Manager) observe(ctx context.Context) (cloud.ObservedFirewall, error) {
	observed, err := m.Cloud.Firewalls.ObserveFirewall(ctx)
	if err != nil {
		return observed, fmt.Errorf("observing firewall: %w", err)
	}
	return observed, nil
}

func (m *Manager) plan(operations []cloud.Operation) plan.Plan {
	return plan.Plan{Cloud: m.Cloud.Name, Subject: "firewall", Operations: operations}
}

func (m *Manager) limits() limits {
	c := m.Cloud.Descriptor.Capabilities
	return limits{rules: c.FirewallRules, sources: c.FirewallSources}
}

// bring makes the firewall let in what is desired.
func (m *Manager) bring(ctx context.Context, observed cloud.ObservedFirewall, desired []cloud.Opening) (plan.Plan, error) {
	desired, err := m.Cloud.Firewalls.NormalizeFirewall(m.limits().split(desired))
	if err != nil {
		return m.plan(nil), fmt.Errorf("normalizing firewall: %w", err)
	}
	p := m.plan(diff(observed, desired))
	err = m.Executor.Execute(ctx, "firewall", p, func(ctx context.Context) error {
		return m.Cloud.Firewalls.ApplyFirewall(ctx, observed, desired)
	})
	if err != nil {
		return p, fmt.Errorf("applying firewall: %w", err)
	}
	return p, nil
}

// tell says on each Service what of it waits, and what for, but not how much is free: that changes with others.
func (m *Manager) tell(waiting []need) {
	n, l := 0, m.limits()
	for i, w := range waiting {
		n += len(w.openings)
		m.warn(w.service, event.FirewallFull, fmt.Sprintf(
			"the cloud's firewall, which holds %d rules, has no room for %s; rules wanted: %d; free ones go to the oldest Service that waits; before this one: %s; adjoining ports with the same source ranges are one rule",
			l.rules, list(w.openings), l.of(w.openings...), before(waiting[:i], w.service.Namespace)))
	}
	m.Metrics.Set(metric.FirewallLeftOut, float64(n), m.Cloud.Name)
}

// before says which Services are older. A tenant learns no name of another namespace. Of many it says
// only that they are many: else each one that goes would be an event on all others.
func before(older []need, namespace string) string {
	if len(older) >= 10 {
		return "10 Services or more"
	}
	var names []string
	for _, o := range older {
		if o.service.Namespace == namespace {
			names = append(names, o.service.Name)
		}
	}
	if others := len(older) - len(names); others > 0 {
		names = append(names, fmt.Sprintf("%d of other namespaces", others))
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

func (m *Manager) warn(svc *corev1.Service, reason event.Reason, message string) {
	m.warnings.Record(event.About("Service", svc), reason, message)
}
