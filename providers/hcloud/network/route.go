// Package network is about the routes of a network.
package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/server"
)

// Routes are those of one network. They have nothing a mark could be in.
type Routes struct {
	API      *hcloud.Client
	Machines *server.Machines
	// ID is that of the network.
	ID int64
}

// maxRoutes is the most routes of a network.
const maxRoutes = 100

// RoutesTo implements cloud.RouteScope: dedicated servers are not in the network, even where a vSwitch
// connects them with it.
func (r *Routes) RoutesTo(machine cloud.InstanceID) bool {
	_, isDedicated, err := server.Number(machine)
	return err == nil && !isDedicated
}

// RoutesFor implements cloud.RouteScope: networks have no IPv6.
func (r *Routes) RoutesFor(destination netip.Prefix) bool { return destination.Addr().Is4() }

// ListRoutes implements cloud.Routes. A route whose gateway is no server's leads nowhere. Where there are
// routes, all servers are read to know whose their gateways are.
func (r *Routes) ListRoutes(ctx context.Context, _ cloud.Owner) ([]cloud.Route, error) {
	network, err := r.read(ctx)
	if err != nil || len(network.Routes) == 0 {
		return nil, err
	}
	owners, err := r.owners(ctx)
	if err != nil {
		return nil, err
	}
	routes := make([]cloud.Route, 0, len(network.Routes))
	for _, present := range network.Routes {
		destination, gateway := prefixOf(present.Destination), addrOf(present.Gateway)
		target, known := owners[gateway]
		routes = append(routes, cloud.Route{Name: name(gateway, destination), Destination: destination, Target: target, Blackhole: !known})
	}
	return routes, nil
}

// owners are the servers of the network by their address in it.
func (r *Routes) owners(ctx context.Context) (map[netip.Addr]cloud.InstanceID, error) {
	servers, err := r.Machines.Servers(ctx)
	if err != nil {
		return nil, err
	}
	if !servers.Complete {
		return nil, fmt.Errorf("listing servers, whose addresses routes lead to: %w", cloud.ErrIncomplete)
	}
	owners := make(map[netip.Addr]cloud.InstanceID, len(servers.Items))
	for _, s := range servers.Items {
		if attached := s.PrivateNetFor(&hcloud.Network{ID: r.ID}); attached != nil {
			owners[addrOf(attached.IP)] = server.ID(s.ID)
		}
	}
	return owners, nil
}

// CreateRoute implements cloud.Routes.
func (r *Routes) CreateRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	if !r.RoutesFor(route.Destination) {
		return &cloud.Invalid{Field: "destination of the route", Value: route.Destination.String(), Want: "networks of Hetzner have IPv4 routes only"}
	}
	gateway, err := r.gateway(ctx, route.Target)
	if err != nil {
		return fmt.Errorf("creating the route to %s: %w", route.Destination, err)
	}
	wanted := request(route.Destination, gateway)
	action, _, err := r.API.Network.AddRoute(ctx, &hcloud.Network{ID: r.ID}, hcloud.NetworkAddRouteOpts{Route: wanted})
	if err != nil {
		return r.settle(ctx, wanted, true, api.Failed(fmt.Sprintf("creating the route to %s by %s", route.Destination, gateway), err))
	}
	return api.Goes(action)
}

// gateway is the address of a machine in the network.
func (r *Routes) gateway(ctx context.Context, machine cloud.InstanceID) (netip.Addr, error) {
	number, isDedicated, err := server.Number(machine)
	if err != nil {
		return netip.Addr{}, err
	}
	if isDedicated {
		return netip.Addr{}, &cloud.Invalid{Field: "target of the route", Value: string(machine), Want: "dedicated servers are not in the network"}
	}
	s, err := r.Machines.Server(ctx, number)
	if err != nil {
		return netip.Addr{}, err
	}
	if s == nil {
		return netip.Addr{}, api.Absent("reading the server " + string(machine))
	}
	if attached := s.PrivateNetFor(&hcloud.Network{ID: r.ID}); attached != nil && attached.IP != nil {
		return addrOf(attached.IP), nil
	}
	return netip.Addr{}, &cloud.Invalid{Field: "target of the route", Value: string(machine), Want: fmt.Sprintf("want a server in the network %d: attach it", r.ID)}
}

// DeleteRoute implements cloud.Routes.
func (r *Routes) DeleteRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	text, _, _ := strings.Cut(route.Name, "-")
	gateway, err := netip.ParseAddr(text)
	if err != nil {
		return fmt.Errorf("deleting the route %q: want <gateway>-<destination>: %w", route.Name, err)
	}
	unwanted := request(route.Destination, gateway)
	action, _, err := r.API.Network.DeleteRoute(ctx, &hcloud.Network{ID: r.ID}, hcloud.NetworkDeleteRouteOpts{Route: unwanted})
	if err != nil {
		return r.settle(ctx, unwanted, false, api.Failed(fmt.Sprintf("deleting the route to %s by %s", route.Destination, gateway), err))
	}
	return api.Goes(action)
}

// settle returns nil when a write was refused because the route is as it has to be already. Which code
// says so is not documented, so the network is read after every refusal that may mean it.
func (r *Routes) settle(ctx context.Context, route hcloud.NetworkRoute, wanted bool, refused error) error {
	switch api.Classify(refused).Class {
	case cloud.FailureQuota:
		return fmt.Errorf("the network %d has no room for another route, the most are %d: %w", r.ID, maxRoutes, refused)
	case cloud.FailureInvalid, cloud.FailureNotFound, cloud.FailureConflict:
	default:
		return refused
	}
	if hcloud.IsError(refused, hcloud.ErrorCodeLocked, hcloud.ErrorCodeConflict) {
		return refused
	}
	network, err := r.read(ctx)
	if err != nil {
		return errors.Join(refused, err)
	}
	there := false
	for _, present := range network.Routes {
		there = there || prefixOf(present.Destination) == prefixOf(route.Destination) && present.Gateway.Equal(route.Gateway)
	}
	switch {
	case there == wanted:
		return nil
	case wanted && len(network.Routes) >= maxRoutes:
		return fmt.Errorf("the network %d has %d routes, which is the most: %w", r.ID, len(network.Routes), refused)
	default:
		return refused
	}
}

func (r *Routes) read(ctx context.Context) (*hcloud.Network, error) {
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

func name(gateway netip.Addr, destination netip.Prefix) string {
	return gateway.String() + "-" + destination.String()
}

func request(destination netip.Prefix, gateway netip.Addr) hcloud.NetworkRoute {
	return hcloud.NetworkRoute{
		Destination: &net.IPNet{IP: destination.Addr().AsSlice(), Mask: net.CIDRMask(destination.Bits(), destination.Addr().BitLen())},
		Gateway:     gateway.AsSlice(),
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
