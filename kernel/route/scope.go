package route

import (
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// leftOut are the pod networks that can have no route, as if they had one: the route controller is content
// with the Node then. A Node of which none can have a route is not among them: its routes fail.
func (m *Manager) leftOut(nodes directory) []Route {
	scope := m.cloud.RouteScope
	if scope == nil {
		return nil
	}
	var routes []Route
	told := map[types.UID]bool{}
	for _, node := range m.nodes() {
		id, err := m.machines.ProviderID(node)
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
		told[node.UID] = true
		m.tell(node, out)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = told
	return routes
}

// tell writes one event for each Node.
func (m *Manager) tell(node *corev1.Node, out []netip.Prefix) {
	m.mu.Lock()
	told := m.told[node.UID]
	m.mu.Unlock()
	if told || m.events == nil {
		return
	}
	object := event.Object{Kind: "Node", Name: node.Name, UID: string(node.UID)}
	m.events.Record(object, event.RouteLeftOut, fmt.Sprintf("the cloud's network has no routes for %v of this node: they are left out", out))
}
