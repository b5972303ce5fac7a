package route

import (
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// leftOut are the pod networks that can have no route, as if they had one: the route controller is content
// with the Node then. A Node of which none can have a route is not among them: its routes fail.
func (m *Manager) leftOut(nodes directory) []Route {
	scope := m.Cloud.RouteScope
	if scope == nil {
		return nil
	}
	var routes []Route
	for _, node := range m.Nodes() {
		id, err := m.Machines.ProviderID(node)
		if _, routed := nodes.byID[id]; err != nil || !routed {
			continue
		}
		var out []netip.Prefix
		cidrs := podCIDRs(node)
		for _, cidr := range cidrs {
			if !scope.RoutesFor(cidr) {
				out = append(out, cidr)
			}
		}
		if len(out) == 0 || len(out) == len(cidrs) {
			continue
		}
		for _, cidr := range out {
			routes = append(routes, Route{Node: node.Name, Destination: cidr})
		}
		m.tell(node, event.RouteLeftOut, fmt.Sprintf("the cloud's network has no routes for %v of this node: they are left out", out))
	}
	return routes
}

// tell tells a Node something that it was not told in the List before.
func (m *Manager) tell(node *corev1.Node, reason event.Reason, text string) {
	m.notices.Record(event.About("Node", node), reason, text)
}
