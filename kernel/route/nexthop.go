package route

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// resolve fills in the machines of routes that name an address. Of a route that is nobody's to delete it is not
// asked, and one whose machine cannot be said has none.
func (m *Manager) resolve(ctx context.Context, routes []cloud.Route, nodes directory) error {
	var hops []netip.Addr
	for _, route := range routes {
		if route.NextHop.IsValid() && m.concerned(route) && !nodes.undecided(route) {
			hops = append(hops, route.NextHop)
		}
	}
	if len(hops) == 0 {
		return nil
	}
	machines, err := m.Machines.At(ctx, hops)
	if err != nil {
		return fmt.Errorf("finding out where %d routes lead: %w", len(hops), err)
	}
	for i, route := range routes {
		if route.NextHop.IsValid() {
			target, known := machines[route.NextHop]
			routes[i].Target, routes[i].Blackhole = target, known && target == ""
		}
	}
	m.confirm(ctx, routes, nodes)
	return nil
}

// confirm asks for the machines of Nodes whose routes lead to an address that no known machine has. A list can lack
// a machine that runs, and the route of a Node that is there must not go for that.
//
//	the Node's machine         nobody has the address  that is not known
//	has the address            the route leads to it   the same
//	has another, or is gone    it is a black hole      the route leads to it, for all that is known
//	cannot be read             the route leads to it   the same
func (m *Manager) confirm(ctx context.Context, routes []cloud.Route, nodes directory) {
	doubtful := map[int]cloud.InstanceID{}
	for i, route := range routes {
		if id := nodes.wanted[route.Destination]; id != "" && route.NextHop.IsValid() && route.Target == "" {
			doubtful[i] = id
		}
	}
	if len(doubtful) == 0 {
		return
	}
	found, err := m.Machines.Lookup(ctx, slices.Sorted(maps.Values(doubtful)))
	for i, id := range doubtful {
		machine, exists := found[id]
		if !routes[i].Blackhole || err != nil && !exists || exists && machine.HasInternal(routes[i].NextHop) {
			routes[i].Target, routes[i].Blackhole = id, false
		}
	}
}

// nextHop is the address of the machine that a new route names; it is not valid where the machine has none, or
// routes name machines.
func (m *Manager) nextHop(ctx context.Context, route cloud.Route) (netip.Addr, error) {
	if !m.Cloud.Descriptor.Capabilities.RoutesByAddress {
		return netip.Addr{}, nil
	}
	found, err := m.Machines.Lookup(ctx, []cloud.InstanceID{route.Target})
	if err != nil {
		return netip.Addr{}, fmt.Errorf("reading machine %s: %w", route.Target, err)
	}
	machine, exists := found[route.Target]
	if !exists {
		return netip.Addr{}, fmt.Errorf("there is no machine %s", route.Target)
	}
	return machine.NextHop(route.Destination), nil
}
