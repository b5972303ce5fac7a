// Package firewall keeps the one packet filter in front of all nodes of a cluster: it
// computes the openings all Services need together, and writes them when they differ.
package firewall

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	// Cloud may have no Firewalls, or disabled ones: then nothing is done.
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
// others; its error is part of the returned one. What has no room is left out by turns, see
// share; what nobody needs is closed all the same. What the cloud refuses stops only its namespace.
func (m *Manager) Reconcile(ctx context.Context, services []*corev1.Service, balancerOf BalancerOf) (plan.Plan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.Enabled() {
		return m.plan(nil), nil
	}
	ctx = cloud.WithPriority(ctx, cloud.PriorityBegun)
	observed, err := m.Cloud.Firewalls.ObserveFirewall(ctx)
	if err != nil {
		return m.plan(nil), fmt.Errorf("observing firewall: %w", err)
	}
	defer m.warnings.Round()
	needs, failures := m.needs(services, balancerOf, observed)
	desired, left := share(needs, m.limits())
	m.tell(left)
	p, err := m.bring(ctx, observed, desired)
	if err != nil {
		failures = append(failures, err)
	}
	if refused(err) {
		failures = append(failures, m.withoutRefused(ctx, needs, desired, err))
	}
	return p, errors.Join(failures...)
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

func (m *Manager) needs(services []*corev1.Service, balancerOf BalancerOf, observed cloud.ObservedFirewall) ([]need, []error) {
	var needs []need
	var failures []error
	needed := map[types.UID][]cloud.Opening{}
	for _, svc := range services {
		managed, warning := m.Managed(svc)
		if warning != "" {
			m.warn(svc, event.ConfigurationIgnored, warning)
		}
		if !managed {
			continue
		}
		own, err := m.openingsOf(svc, balancerOf)
		if err != nil {
			failures = append(failures, fmt.Errorf("firewall of Service %s/%s: %w", svc.Namespace, svc.Name, err))
			own = held(svc, m.before(svc, observed))
		}
		needed[svc.UID] = own
		own, denied := m.Denied.cut(own)
		if len(denied) > 0 {
			m.warn(svc, event.FirewallPortDenied, fmt.Sprintf("%s stays closed on the nodes: this cluster never opens it for clients", list(denied)))
		}
		needs = append(needs, need{svc, own})
	}
	m.needed = needed
	return needs, failures
}

// before returns what was open for a Service: what it needed in the last pass. The first pass of
// a process knows only what is open for all.
func (m *Manager) before(svc *corev1.Service, observed cloud.ObservedFirewall) []cloud.Opening {
	if m.needed == nil {
		return observed.Openings
	}
	return m.needed[svc.UID]
}

func (m *Manager) warn(svc *corev1.Service, reason event.Reason, message string) {
	m.warnings.Record(event.About("Service", svc), reason, message)
}

// tell says on each Service what of it has no room.
func (m *Manager) tell(left []need) {
	n := 0
	for _, c := range left {
		n += len(c.openings)
		m.warn(c.service, event.FirewallFull, fmt.Sprintf(
			"%s stays closed on the nodes: the cloud's firewall holds %d rules, which namespaces share; adjoining ports with the same source ranges are one rule",
			list(c.openings), m.limits().rules))
	}
	m.Metrics.Set(metric.FirewallLeftOut, float64(n), m.Cloud.Name)
}

// openingsOf returns what one Service needs.
//
//	type          openings
//	NodePort      its node ports, from everywhere
//	LoadBalancer  what the driver says, narrowed to the Service's source ranges
//	others        none
func (m *Manager) openingsOf(svc *corev1.Service, balancerOf BalancerOf) ([]cloud.Opening, error) {
	switch {
	case svc.Spec.Type == corev1.ServiceTypeNodePort && svc.DeletionTimestamp == nil:
		return m.nodePorts(svc), nil
	case svc.Spec.Type == corev1.ServiceTypeLoadBalancer && svc.Spec.LoadBalancerClass == nil:
		return m.balancer(svc, balancerOf)
	default:
		return nil, nil
	}
}

func (m *Manager) nodePorts(svc *corev1.Service) []cloud.Opening {
	var openings []cloud.Opening
	for _, port := range svc.Spec.Ports {
		if port.NodePort == 0 {
			continue
		}
		protocol := protocolOf(port)
		if !filterable(protocol) {
			m.warn(svc, event.ConfigurationIgnored, fmt.Sprintf("the firewall cannot open node port %d for %s", port.NodePort, protocol))
			continue
		}
		openings = append(openings, cloud.Opening{
			PortRange: cloud.PortRange{Protocol: protocol, From: int(port.NodePort), To: int(port.NodePort)}, Sources: everywhere(),
		})
	}
	return openings
}

// balancer returns the openings of a LoadBalancer Service. A driver that panics here must not
// pass for one that needs nothing: that would close what is open.
func (m *Manager) balancer(svc *corev1.Service, balancerOf BalancerOf) ([]cloud.Opening, error) {
	ranges, err := sourceRanges(svc)
	if err != nil {
		return nil, err
	}
	b, id, err := balancerOf(svc)
	if err != nil {
		return nil, err
	}
	openings, err := run.Contain(func() []cloud.Opening { return m.Cloud.Firewalls.BalancerOpenings(b, id) })
	if err != nil {
		return nil, fmt.Errorf("openings of balancer %q: %w", b.Name, err)
	}
	var own []cloud.Opening
	for _, opening := range openings {
		opening.Balancers = slices.DeleteFunc(slices.Clone(opening.Balancers), func(id string) bool { return id == "" })
		if opening.Sources, err = narrow(opening.Sources, ranges); err != nil {
			return nil, err
		}
		if len(opening.Sources)+len(opening.Balancers) > 0 {
			own = append(own, opening)
		}
	}
	return own, nil
}

func protocolOf(port corev1.ServicePort) cloud.Protocol {
	if port.Protocol == "" {
		return cloud.ProtocolTCP
	}
	return cloud.Protocol(port.Protocol)
}

func filterable(p cloud.Protocol) bool { return p == cloud.ProtocolTCP || p == cloud.ProtocolUDP }
