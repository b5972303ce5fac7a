package route

import (
	"context"
	"fmt"
	"net/netip"

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
	machines, err := m.machines.At(ctx, hops)
	if err != nil {
		return fmt.Errorf("finding out where %d routes lead: %w", len(hops), err)
	}
	for i, route := range routes {
		if route.NextHop.IsValid() {
			target, known := machines[route.NextHop]
			routes[i].Target, routes[i].Blackhole = target, known && target == ""
		}
	}
	return nil
}

// nextHop is the address of the machine that a new route names; it is not valid where the machine has none, or
// routes name machines.
func (m *Manager) nextHop(ctx context.Context, route cloud.Route) (netip.Addr, error) {
	if !m.cloud.Descriptor.Capabilities.RoutesByAddress {
		return netip.Addr{}, nil
	}
	found, err := m.machines.Lookup(ctx, []cloud.InstanceID{route.Target})
	if err != nil {
		return netip.Addr{}, fmt.Errorf("reading machine %s: %w", route.Target, err)
	}
	machine, exists := found[route.Target]
	if !exists {
		return netip.Addr{}, fmt.Errorf("there is no machine %s", route.Target)
	}
	return machine.NextHop(route.Destination), nil
}
