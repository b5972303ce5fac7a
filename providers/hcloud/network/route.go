// Package network is about the routes of a network.
package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/server"
)

// Routes are those of one network. They have nothing an ownership tag could be in.
type Routes struct {
	API *hcloud.Client
	// ID is that of the network.
	ID int64
}

// Most is how many routes a network holds.
const Most = 100

// RoutesTo implements cloud.RouteScope: dedicated servers are not in the network, even where a vSwitch
// connects them with it.
func (r *Routes) RoutesTo(machine cloud.InstanceID) bool {
	_, isDedicated, err := server.Number(machine)
	return err == nil && !isDedicated
}

// RoutesFor implements cloud.RouteScope: networks have no IPv6.
func (r *Routes) RoutesFor(destination netip.Prefix) bool { return destination.Addr().Is4() }

// ListRoutes implements cloud.Routes with one request.
func (r *Routes) ListRoutes(ctx context.Context, _ cloud.Owner) ([]cloud.Route, error) {
	network, err := r.Read(ctx)
	if err != nil {
		return nil, err
	}
	routes := make([]cloud.Route, 0, len(network.Routes))
	for _, present := range network.Routes {
		destination, gateway := prefixOf(present.Destination), addrOf(present.Gateway)
		routes = append(routes, cloud.Route{Name: gateway.String() + "-" + destination.String(), Destination: destination, NextHop: gateway})
	}
	return routes, nil
}

// CreateRoute implements cloud.Routes.
func (r *Routes) CreateRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	refuse := func(field, value, want string) error {
		return &cloud.Invalid{Field: field + " of the route", Value: value, Want: want}
	}
	switch {
	case !r.RoutesFor(route.Destination):
		return refuse("destination", route.Destination.String(), "networks of Hetzner have IPv4 routes only")
	case !r.RoutesTo(route.Target):
		return refuse("target", string(route.Target), "dedicated servers are not in the network")
	case !route.NextHop.IsValid():
		return refuse("target", string(route.Target), fmt.Sprintf("want a server in the network %d: attach it", r.ID))
	}
	action, _, err := r.API.Network.AddRoute(ctx, &hcloud.Network{ID: r.ID}, hcloud.NetworkAddRouteOpts{Route: request(route)})
	return r.settle(ctx, "creating", route, action, err)
}

// DeleteRoute implements cloud.Routes.
func (r *Routes) DeleteRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	action, _, err := r.API.Network.DeleteRoute(ctx, &hcloud.Network{ID: r.ID}, hcloud.NetworkDeleteRouteOpts{Route: request(route)})
	return r.settle(ctx, "deleting", route, action, err)
}

// settle returns what a write came to: nil when it was refused because the route is as it has to be already.
// Which code says so is not documented, so the network is read after every refusal that may mean it.
func (r *Routes) settle(ctx context.Context, doing string, route cloud.Route, action *hcloud.Action, err error) error {
	if err == nil {
		return api.Goes(action)
	}
	refused := api.Failed(fmt.Sprintf("%s the route to %s by %s", doing, route.Destination, route.NextHop), err)
	switch api.Classify(err).Class {
	case cloud.FailureInvalid, cloud.FailureNotFound, cloud.FailureConflict:
	default:
		return refused
	}
	if hcloud.IsError(err, hcloud.ErrorCodeLocked, hcloud.ErrorCodeConflict) {
		return refused
	}
	network, err := r.Read(ctx)
	if err != nil {
		return errors.Join(refused, err)
	}
	there := false
	for _, present := range network.Routes {
		there = there || prefixOf(present.Destination) == route.Destination && addrOf(present.Gateway) == route.NextHop
	}
	if there == (doing == "creating") {
		return nil
	}
	return refused
}

// Read reads the network. That there is none is an error.
func (r *Routes) Read(ctx context.Context) (*hcloud.Network, error) {
	doing := fmt.Sprintf("reading the network %d", r.ID)
	network, _, err := r.API.Network.GetByID(ctx, r.ID)
	switch {
	case err != nil:
		return nil, api.Failed(doing, err)
	case network == nil:
		return nil, api.Absent(doing)
	case network.ID != r.ID:
		return nil, fmt.Errorf("%s: %w", doing, cloud.ErrIncomplete)
	}
	return network, nil
}

func request(route cloud.Route) hcloud.NetworkRoute {
	to := route.Destination
	return hcloud.NetworkRoute{
		Destination: &net.IPNet{IP: to.Addr().AsSlice(), Mask: net.CIDRMask(to.Bits(), to.Addr().BitLen())}, Gateway: route.NextHop.AsSlice(),
	}
}

func addrOf(ip net.IP) netip.Addr {
	addr, _ := netip.AddrFromSlice(ip)
	return addr.Unmap()
}

func prefixOf(n *net.IPNet) netip.Prefix {
	if n == nil {
		return netip.Prefix{}
	}
	bits, _ := n.Mask.Size()
	return netip.PrefixFrom(addrOf(n.IP), bits)
}
