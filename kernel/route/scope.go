package route

import (
	"fmt"
	"net/netip"

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
		m.tell(told, node.Name, event.RouteLeftOut, fmt.Sprintf("the cloud's network has no routes for %v of this node: they are left out", out))
	}
	return routes
}

// notices are what Nodes are told in one pass.
type notices map[string]bool

// tell tells a Node something that it was not told in the pass before.
func (m *Manager) tell(told notices, name string, reason event.Reason, text string) {
	key := name + " " + text
	m.mu.Lock()
	before := m.told[key]
	m.mu.Unlock()
	told[key] = true
	if before || m.events == nil {
		return
	}
	_, uid, _ := m.target(name) // without a UID where the Node has just gone
	m.events.Record(event.Object{Kind: "Node", Name: name, UID: uid}, reason, text)
}
