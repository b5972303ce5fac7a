package firewall

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// proxyHealthPort is where kube-proxy answers GET /healthz.
const proxyHealthPort = 10256

// needs returns what each Service needs, and why it cannot be found out for some.
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
			last := m.needed[svc.UID]
			if m.needed == nil { // the first pass of a process knows only what is open for all
				last = observed.Openings
			}
			own = held(svc, last)
		}
		needed[svc.UID] = own
		own, denied := m.Denied.cut(own)
		if len(denied) > 0 {
			m.warn(svc, event.FirewallPortDenied, fmt.Sprintf("%s stays closed on the nodes: this cluster never opens it for clients", list(denied)))
		}
		n := need{svc, own}
		if _, ports := n.parts(); len(ports) > 0 { // a health check alone is of no use, and would wait for room
			needs = append(needs, n)
		}
	}
	m.needed = needed
	return needs, failures
}

// held returns the part of the present openings that a Service may be the reason for: those
// on its ports. It is for a Service whose needs cannot be found out, so that a typing error in
// an annotation or a failed call does not cut its traffic off.
func held(svc *corev1.Service, present []cloud.Opening) []cloud.Opening {
	var kept []cloud.Opening
	keep := func(protocol cloud.Protocol, port int32) {
		rule := cloud.Opening{PortRange: cloud.PortRange{Protocol: protocol, From: int(port), To: int(port)}}
		kept = append(kept, onPorts(present, rule)...)
	}
	for _, port := range svc.Spec.Ports {
		keep(protocolOf(port), port.Port)
		keep(protocolOf(port), port.NodePort)
		// A health check may be TCP to the node port of a UDP one.
		keep(cloud.ProtocolTCP, port.NodePort)
	}
	keep(cloud.ProtocolTCP, svc.Spec.HealthCheckNodePort)
	keep(cloud.ProtocolTCP, proxyHealthPort)
	return kept
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
