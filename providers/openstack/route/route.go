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
//	with our tag, but without a pair      partly  yes      is completed
//
// So what upstream leaves behind comes under our control node by node, and the routes of
// administrators and of other clusters stay whatever their destination.
//
// The ownership tag is set first and removed last, so that all of a route can be found by it. Creation goes on from the router,
// which refuses most, to the port of the machine, and deletion the other way round, each step harmless to repeat. What a creation
// has made when the cloud refuses its next step is taken back at once.
var _ cloud.Routes = (*Table)(nil)

// ListRoutes implements cloud.Routes with three requests for a thousand machines, or with one
// when there are no routes. The Name of a route is its next hop. One of which only the address pair
// is there, or all but that, because its creation or deletion was broken off, is partial.
func (t *Table) ListRoutes(ctx context.Context, owner cloud.Owner) ([]cloud.Route, error) {
	r, err := t.getRouter(ctx)
	if err != nil {
		return nil, err
	}
	owned, unused := r.owned(owner)
	if len(owned) == 0 && len(unused) == 0 {
		return nil, nil
	}
	ports, err := t.neighbours(ctx)
	if err != nil {
		return nil, err
	}
	at := portsAt(ports)
	var routes []cloud.Route
	list := func(route extraRoute, partial bool) {
		target := cloud.InstanceID(at[route.NextHop].Machine())
		routes = append(routes, cloud.Route{
			Name: route.NextHop.String(), Destination: route.Destination, Target: target, Blackhole: target == "", Partial: partial,
		})
	}
	for _, route := range owned {
		hop, known := at[route.NextHop]
		// Whoever may not see the pairs of a port sees none of them missing.
		list(route, known && hop.Pairs != nil && t.lacksPair(hop, route.Destination))
	}
	for _, route := range pairsOf(owner, ports, unused) {
		list(route, true)
	}
	return routes, nil
}

// neighbours are the ports on the networks of the router.
func (t *Table) neighbours(ctx context.Context) ([]neutron.Port, error) {
	links, err := t.links(ctx)
	if err != nil {
		return nil, err
	}
	if len(links) == 0 {
		// Neutron takes no route without an interface: what is not seen may be there.
		return nil, fmt.Errorf("router %s has routes, but these credentials see none of its interfaces", t.router)
	}
	fields := []string{"id", "device_id", "device_owner", "fixed_ips", "allowed_address_pairs", "port_security_enabled"}
	ports, err := neutron.Ports(ctx, t.network, url.Values{"network_id": links, "fields": fields})
	if err != nil {
		return nil, fmt.Errorf("listing ports beside router %s: %w", t.router, err)
	}
	return ports, nil
}

// portsAt are the ports of machines, by address.
func portsAt(ports []neutron.Port) map[netip.Addr]neutron.Port {
	at := map[netip.Addr]neutron.Port{}
	for _, p := range ports {
		if p.Machine() == "" {
			continue
		}
		for _, fixed := range p.FixedIPs {
			at[fixed.Address] = p
		}
	}
	return at
}

// CreateRoute implements cloud.Routes. The next hop is the InternalIP of the machine that has a route of the owner's to the
// destination, else its first one of the destination's family.
func (t *Table) CreateRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	if !t.extension[extensionTags] {
		return refused(cloud.FailureInvalid, "a route needs a mark, and Neutron lacks the extension %s", extensionTags)
	}
	hops, err := t.towards(ctx, route)
	if err != nil {
		return err
	}
	r, err := t.getRouter(ctx)
	if err != nil {
		return err
	}
	at := max(0, slices.IndexFunc(hops, func(h hop) bool {
		return slices.Contains(r.Routes, h.route) && slices.Contains(r.Tags, routeTag(owner, h.route))
	}))
	wanted, via := hops[at].route, hops[at].via
	if other, taken := r.taken(owner, wanted); taken {
		return refused(cloud.FailureConflict, "%s already leads to %s by a route this cluster does not own: remove that route, or give the cluster other pod networks", wanted.Destination, other.NextHop)
	}
	if err := t.lay(ctx, r, routeTag(owner, wanted), wanted, via); err != nil {
		return fmt.Errorf("adding a route to router %s: %w", t.router, err)
	}
	return nil
}

// lay makes what is missing of a route: its ownership tag, the route itself, the address pair of the port. The pair comes last: it
// lets the machine send from foreign addresses, and to change it changes the filter of a port that serves. Where the cloud refuses
// a step for good, what was made before is taken back:
//
//	refused    taken back                            stays
//	the tag    -
//	the route  the tag; of a creation that was       -
//	           broken off also its pair
//	the pair   the route and the tag, those of them  a route that was there, with its tag
//	           that were made now
func (t *Table) lay(ctx context.Context, r *router, ownershipTag string, wanted extraRoute, via neutron.Port) error {
	tagged, routed := slices.Contains(r.Tags, ownershipTag), slices.Contains(r.Routes, wanted)
	if !tagged {
		if err := t.tag(ctx, ownershipTag); err != nil {
			return err
		}
	}
	if !routed {
		if err := t.add(ctx, wanted); err != nil {
			if !api.Classify(err).Class.Final() {
				return err
			}
			if tagged {
				err = errors.Join(err, t.forbidAt(ctx, via, wanted.Destination))
			}
			return errors.Join(err, t.untag(ctx, ownershipTag))
		}
	}
	err := t.permit(ctx, via, wanted.Destination)
	if err == nil || !api.Classify(err).Class.Final() {
		return err
	}
	if !routed {
		if undo := t.remove(ctx, wanted); undo != nil {
			return errors.Join(err, undo)
		}
	}
	if !tagged || !routed {
		err = errors.Join(err, t.untag(ctx, ownershipTag))
	}
	return err
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

// hop is a route as Neutron has it, and the port of the machine it leads to.
type hop struct {
	route extraRoute
	via   neutron.Port
}

// towards returns the hops by which a machine can be reached, at least one.
func (t *Table) towards(ctx context.Context, route cloud.Route) (hops []hop, err error) {
	id := string(route.Target)
	addresses, ports, found, err := t.machines.Addresses(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, refused(cloud.FailureNotFound, "server %s, the target of %s, does not exist", id, route.Destination)
	}
	for _, a := range addresses {
		next, err := netip.ParseAddr(a.Address)
		if err != nil || a.Type != cloud.AddressInternalIP || next.Is4() != route.Destination.Addr().Is4() {
			continue
		}
		if at := slices.IndexFunc(ports, func(p neutron.Port) bool { return p.Has(next) }); at >= 0 {
			hops = append(hops, hop{extraRoute{route.Destination, next}, ports[at]})
		}
	}
	if len(hops) > 0 {
		return hops, nil
	}
	return nil, refused(cloud.FailureInvalid, "server %s has no InternalIP of the family of %s on a port of its own", id, route.Destination)
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
	ports, err := t.neighbours(ctx)
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
