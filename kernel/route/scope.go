package route

import (
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// leftOut are the pod networks that can have no route, as if they had one: the route controller is content
// with the Node then. A Node of which none can have a route is not among them: its routes fail.
func (m *Manager) leftOut(nodes directory, told notices) []Route {
	scope := m.cloud.RouteScope
	if scope == nil {
		return nil
	}
	var routes []Route
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
		m.tell(told, node, event.RouteLeftOut, fmt.Sprintf("the cloud's network has no routes for %v of this node: they are left out", out))
	}
	return routes
}

// notices are what Nodes are told in one pass.
type notices map[string]bool

// tell tells a Node something that it was not told in the pass before. A Node that was made again under its
// name is another one.
func (m *Manager) tell(told notices, node *corev1.Node, reason event.Reason, text string) {
	object := event.Object{Kind: "Node", Name: node.Name, UID: string(node.UID)}
	key := object.Name + " " + object.UID + " " + text
	m.mu.Lock()
	before := m.told[key]
	m.mu.Unlock()
	told[key] = true
	if before || m.events == nil {
		return
	}
	m.events.Record(object, reason, text)
}
