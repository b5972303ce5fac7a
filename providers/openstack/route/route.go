package route

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// The routes of the router that [Route] router-id names have ownership tags (routeTag):
//
//	route on the router                  listed  deleted  created again
//	with our tag                         yes     yes      no change
//	without, same destination and hop    no      no       gets the tag: upstream made it, or its maker
//	                                                      asked for the same
//	another to the same destination      no      no       refused: Neutron would spread packets over both
//	any other                            no      no       -
//
//	none, but a pair with our tag         partly  yes      is completed
//
// So what upstream leaves behind comes under our control node by node, and the routes of
// administrators and of other clusters stay whatever their destination.
//
// The ownership tag is set first and removed last, so that all of a route can be found by it: creation goes
// on from the machine to the router and deletion starts there too, each step harmless to repeat. A
// creation that the cloud refuses is undone at once.
var _ cloud.Routes = (*Table)(nil)

// ListRoutes implements cloud.Routes with three requests for a thousand machines, or with one
// when there are no routes. The Name of a route is its next hop. One of which only the address pair
// is there, because its creation or deletion was broken off, is partial.
func (t *Table) ListRoutes(ctx context.Context, owner cloud.Owner) ([]cloud.Route, error) {
	r, err := t.getRouter(ctx)
	if err != nil {
		return nil, err
	}
	owned, unused := r.owned(owner)
	if len(owned) == 0 && len(unused) == 0 {
		return nil, nil
	}
	ports, err := t.neighbours(ctx, len(unused) > 0)
	if err != nil {
		return nil, err
	}
	machines := machinesAt(ports)
	var routes []cloud.Route
	list := func(route extraRoute, partial bool) {
		target := machines[route.NextHop]
		routes = append(routes, cloud.Route{
			Name: route.NextHop.String(), Destination: route.Destination, Target: target, Blackhole: target == "", Partial: partial,
		})
	}
	for _, route := range owned {
		list(route, false)
	}
	for _, route := range pairsOf(owner, ports, unused) {
		list(route, true)
	}
	return routes, nil
}

// neighbours are the ports on the networks of the router, with their address pairs where those are
// asked for.
func (t *Table) neighbours(ctx context.Context, pairs bool) ([]neutron.Port, error) {
	links, err := t.links(ctx)
	if err != nil {
		return nil, err
	}
	if len(links) == 0 {
		// Neutron takes no route without an interface: what is not seen may be there.
		return nil, fmt.Errorf("router %s has routes, but these credentials see none of its interfaces", t.router)
	}
	fields := []string{"id", "device_id", "device_owner", "fixed_ips"}
	if pairs {
		fields = append(fields, "allowed_address_pairs")
	}
	ports, err := neutron.Ports(ctx, t.network, url.Values{"network_id": links, "fields": fields})
	if err != nil {
		return nil, fmt.Errorf("listing ports beside router %s: %w", t.router, err)
	}
	return ports, nil
}

// machinesAt are the machines of ports, by address.
func machinesAt(ports []neutron.Port) map[netip.Addr]cloud.InstanceID {
	machines := map[netip.Addr]cloud.InstanceID{}
	for _, p := range ports {
		if p.Machine() == "" {
			continue
		}
		for _, fixed := range p.FixedIPs {
			machines[fixed.Address] = cloud.InstanceID(p.Machine())
		}
	}
	return machines
}

// CreateRoute implements cloud.Routes. The next hop is the machine's first InternalIP of the
// destination's family.
func (t *Table) CreateRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	if !t.extension[extensionTags] {
		return refused(cloud.FailureInvalid, "a route needs a mark, and Neutron lacks the extension %s", extensionTags)
	}
	wanted, via, err := t.towards(ctx, route)
	if err != nil {
		return err
	}
	r, err := t.getRouter(ctx)
	if err != nil {
		return err
	}
	if other, taken := r.taken(owner, wanted); taken {
		return refused(cloud.FailureConflict, "%s already leads to %s by a route this cluster does not own: remove that route, or give the cluster other pod networks", wanted.Destination, other.NextHop)
	}
	if err := t.lay(ctx, r, routeTag(owner, wanted), wanted, via); err != nil {
		return fmt.Errorf("adding a route to router %s: %w", t.router, err)
	}
	return nil
}

// lay makes what is missing of a route: its ownership tag, the address pair, the route itself. What the cloud
// refuses for good is undone: the pair lets the machine send from foreign addresses. A pair that
// was there before the ownership tag is not ours.
func (t *Table) lay(ctx context.Context, r *router, ownershipTag string, wanted extraRoute, via neutron.Port) error {
	tagged := slices.Contains(r.Tags, ownershipTag)
	if !tagged {
		if err := t.tag(ctx, ownershipTag); err != nil {
			return err
		}
	}
	paired, err := t.permit(ctx, via, wanted.Destination)
	if err == nil && !slices.Contains(r.Routes, wanted) {
		err = t.add(ctx, wanted)
	}
	if err == nil || !t.refuses(err) || slices.Contains(r.Routes, wanted) {
		return err
	}
	if tagged || paired {
		if undo := t.forbid(ctx, wanted); undo != nil {
			return errors.Join(err, undo)
		}
	}
	return errors.Join(err, t.untag(ctx, ownershipTag))
}

// refuses reports whether the cloud has certainly not done what failed, and will not do it soon
// either.
func (t *Table) refuses(err error) bool {
	switch api.Classify(err).Class {
	case cloud.FailureInvalid, cloud.FailureQuota, cloud.FailureUnauthorized, cloud.FailureNotFound:
		return true
	}
	return false
}

// taken finds a route to the same destination by another hop that the owner has no ownership tag on.
func (r *router) taken(owner cloud.Owner, wanted extraRoute) (extraRoute, bool) {
	for _, other := range r.Routes {
		if other.Destination == wanted.Destination && other.NextHop != wanted.NextHop && !slices.Contains(r.Tags, routeTag(owner, other)) {
			return other, true
		}
	}
	return extraRoute{}, false
}

// towards returns the route as Neutron has it, and the port of the machine it leads to.
func (t *Table) towards(ctx context.Context, route cloud.Route) (extraRoute, neutron.Port, error) {
	id := string(route.Target)
	addresses, ports, found, err := t.machines.Addresses(ctx, id)
	if err != nil {
		return extraRoute{}, neutron.Port{}, err
	}
	if !found {
		return extraRoute{}, neutron.Port{}, refused(cloud.FailureNotFound, "server %s, the target of %s, does not exist", id, route.Destination)
	}
	for _, a := range addresses {
		hop, err := netip.ParseAddr(a.Address)
		if err != nil || a.Type != cloud.AddressInternalIP || hop.Is4() != route.Destination.Addr().Is4() {
			continue
		}
		for _, p := range ports {
			if p.Has(hop) {
				return extraRoute{route.Destination, hop}, p, nil
			}
		}
	}
	return extraRoute{}, neutron.Port{}, refused(cloud.FailureInvalid, "server %s has no InternalIP of the family of %s on a port of its own", id, route.Destination)
}

// DeleteRoute implements cloud.Routes. What has no ownership tag of ours is left as it is.
func (t *Table) DeleteRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	hop, err := netip.ParseAddr(route.Name)
	if err != nil {
		return fmt.Errorf("next hop of route %s: %w", route.Destination, err)
	}
	unwanted := extraRoute{route.Destination, hop}
	r, err := t.getRouter(ctx)
	if err != nil {
		return err
	}
	ownershipTag := routeTag(owner, unwanted)
	if !slices.Contains(r.Tags, ownershipTag) {
		return nil
	}
	if err := t.forbid(ctx, unwanted); err != nil {
		return err
	}
	if slices.Contains(r.Routes, unwanted) {
		if err := t.remove(ctx, unwanted); err != nil {
			return fmt.Errorf("removing a route from router %s: %w", t.router, err)
		}
	}
	if err := t.untag(ctx, ownershipTag); err != nil {
		return err
	}
	return t.sweep(ctx, r, owner, ownershipTag)
}

// sweep removes the owner's ownership tags of which neither a route nor a pair is left: those of creations
// that were broken off at the very beginning, or whose port is gone. It costs nothing where there
// are none.
func (t *Table) sweep(ctx context.Context, r *router, owner cloud.Owner, done string) error {
	_, unused := r.owned(owner)
	unused = slices.DeleteFunc(unused, func(ownershipTag string) bool { return ownershipTag == done })
	if len(unused) == 0 {
		return nil
	}
	ports, err := t.neighbours(ctx, true)
	if err != nil {
		return err
	}
	left := pairsOf(owner, ports, unused)
	for _, ownershipTag := range unused {
		if slices.ContainsFunc(left, func(route extraRoute) bool { return routeTag(owner, route) == ownershipTag }) {
			continue
		}
		if err := t.untag(ctx, ownershipTag); err != nil {
			return err
		}
	}
	return nil
}
