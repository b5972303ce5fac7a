package openstack

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The routes of the router that [Route] router-id names have marks (routeMark):
//
//	route on the router                  listed  deleted  created again
//	with our mark                        yes     yes      no change
//	without, same destination and hop    no      no       gets the mark: upstream made it, or its maker
//	                                                      asked for the same
//	another to the same destination      no      no       refused: Neutron would spread packets over both
//	any other                            no      no       -
//
// So what upstream leaves behind comes under our control node by node, and the routes of
// administrators and of other clusters stay whatever their destination.
//
// Creation goes from the machine to the router and deletion starts there too, each step harmless
// to repeat: a route is listed until nothing else is left of it.
var _ cloud.Routes = (*Driver)(nil)

// ListRoutes implements cloud.Routes with three requests for a thousand machines, or with one
// when there are no routes. The Name of a route is its next hop.
func (d *Driver) ListRoutes(ctx context.Context, owner cloud.Owner) ([]cloud.Route, error) {
	r, err := d.getRouter(ctx)
	if err != nil {
		return nil, err
	}
	owned := r.owned(owner)
	if len(owned) == 0 {
		return nil, nil
	}
	machines, err := d.neighbours(ctx)
	if err != nil {
		return nil, err
	}
	routes := make([]cloud.Route, len(owned))
	for i, route := range owned {
		target := machines[route.NextHop]
		routes[i] = cloud.Route{
			Name: route.NextHop.String(), Destination: route.Destination, Target: target, Blackhole: target == "",
		}
	}
	return routes, nil
}

// neighbours are the machines on the networks of the router, by address.
func (d *Driver) neighbours(ctx context.Context) (map[netip.Addr]cloud.InstanceID, error) {
	links, err := d.links(ctx)
	if err != nil {
		return nil, err
	}
	if len(links) == 0 {
		// Neutron takes no route without an interface: what is not seen may be there.
		return nil, fmt.Errorf("router %s has routes, but these credentials see none of its interfaces", d.config.router)
	}
	ports, err := d.ports(ctx, url.Values{"network_id": links, "fields": {"id", "device_id", "device_owner", "fixed_ips"}})
	if err != nil {
		return nil, fmt.Errorf("listing ports beside router %s: %w", d.config.router, err)
	}
	machines := map[netip.Addr]cloud.InstanceID{}
	for _, p := range ports {
		if p.machine() == "" {
			continue
		}
		for _, fixed := range p.FixedIPs {
			machines[fixed.Address] = cloud.InstanceID(p.machine())
		}
	}
	return machines, nil
}

// CreateRoute implements cloud.Routes. The next hop is the machine's first InternalIP of the
// destination's family.
func (d *Driver) CreateRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	if !d.extension[extensionTags] {
		return refused(cloud.FailureInvalid, "a route needs a mark, and Neutron lacks the extension %s", extensionTags)
	}
	wanted, via, err := d.towards(ctx, route)
	if err != nil {
		return err
	}
	r, err := d.getRouter(ctx)
	if err != nil {
		return err
	}
	if other, taken := r.taken(owner, wanted); taken {
		return refused(cloud.FailureConflict, "%s already leads to %s by a route this cluster does not own: remove that route, or give the cluster other pod networks", wanted.Destination, other.NextHop)
	}
	if err := d.permit(ctx, via, wanted.Destination); err != nil {
		return err
	}
	if mark := routeMark(owner, wanted); !slices.Contains(r.Tags, mark) {
		if err := d.tag(ctx, mark); err != nil {
			return err
		}
	}
	if slices.Contains(r.Routes, wanted) {
		return nil
	}
	if err := d.add(ctx, wanted); err != nil {
		return fmt.Errorf("adding a route to router %s: %w", d.config.router, err)
	}
	return nil
}

// taken finds a route to the same destination by another hop that the owner has no mark on.
func (r *router) taken(owner cloud.Owner, wanted extraRoute) (extraRoute, bool) {
	for _, other := range r.Routes {
		if other.Destination == wanted.Destination && other.NextHop != wanted.NextHop && !slices.Contains(r.Tags, routeMark(owner, other)) {
			return other, true
		}
	}
	return extraRoute{}, false
}

// towards returns the route as Neutron has it, and the port of the machine it leads to.
func (d *Driver) towards(ctx context.Context, route cloud.Route) (extraRoute, port, error) {
	id := string(route.Target)
	s, err := d.getServer(ctx, id)
	if err != nil {
		return extraRoute{}, port{}, fmt.Errorf("reading server %s: %w", id, err)
	}
	if s == nil {
		return extraRoute{}, port{}, refused(cloud.FailureNotFound, "server %s, the target of %s, does not exist", id, route.Destination)
	}
	ports, err := d.ports(ctx, url.Values{"device_id": {id}})
	if err != nil {
		return extraRoute{}, port{}, fmt.Errorf("listing ports of server %s: %w", id, err)
	}
	w, err := d.wire(ctx, ports)
	if err != nil {
		return extraRoute{}, port{}, err
	}
	for _, a := range d.config.networking.addresses(s, w) {
		hop, err := netip.ParseAddr(a.Address)
		if err != nil || a.Type != cloud.AddressInternalIP || hop.Is4() != route.Destination.Addr().Is4() {
			continue
		}
		for _, p := range ports {
			if p.has(hop) {
				return extraRoute{route.Destination, hop}, p, nil
			}
		}
	}
	return extraRoute{}, port{}, refused(cloud.FailureInvalid, "server %s has no InternalIP of the family of %s on a port of its own", id, route.Destination)
}

// DeleteRoute implements cloud.Routes. What has no mark of ours is left as it is.
func (d *Driver) DeleteRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	hop, err := netip.ParseAddr(route.Name)
	if err != nil {
		return fmt.Errorf("next hop of route %s: %w", route.Destination, err)
	}
	unwanted := extraRoute{route.Destination, hop}
	r, err := d.getRouter(ctx)
	if err != nil {
		return err
	}
	mark := routeMark(owner, unwanted)
	if !slices.Contains(r.Tags, mark) {
		return nil
	}
	if err := d.forbid(ctx, unwanted); err != nil {
		return err
	}
	if slices.Contains(r.Routes, unwanted) {
		if err := d.remove(ctx, unwanted); err != nil {
			return fmt.Errorf("removing a route from router %s: %w", d.config.router, err)
		}
	}
	return d.untag(ctx, mark)
}
