package hcloud

import (
	"maps"
	"net/netip"
	"slices"
	"time"
)

// Network is a private network. Seeds and edits make it.
type Network struct {
	ID      int64             `json:"id"`
	Name    string            `json:"name"`
	Created time.Time         `json:"created"`
	IPRange string            `json:"ip_range"`
	Subnets []Subnet          `json:"subnets"`
	Routes  []Route           `json:"routes"`
	Labels  map[string]string `json:"labels"`
	// Protected keeps the network from being deleted.
	Protected    bool `json:"-"`
	ExposeRoutes bool `json:"expose_routes_to_vswitch"`
}

// Subnet is a part of a network.
type Subnet struct {
	// Type is "cloud", "server" or "vswitch"; "cloud" when empty.
	Type        string `json:"type"`
	IPRange     string `json:"ip_range"`
	NetworkZone string `json:"network_zone"`
	Gateway     string `json:"gateway"`
	VSwitchID   *int64 `json:"vswitch_id"`
}

// Route leads to a machine of a network.
type Route struct {
	Destination string `json:"destination"`
	Gateway     string `json:"gateway"`
}

func (n *Network) id() int64 { return n.ID }

func (n *Network) resource() resource { return resource{n.ID, "network"} }

type networkView struct {
	Network

	Servers       []int64    `json:"servers"`
	LoadBalancers []int64    `json:"load_balancers"`
	Protection    protection `json:"protection"`
}

type protection struct {
	Delete bool `json:"delete"`
}

// networkView is the network as the API shows it.
func (p *Project) networkView(n *Network) networkView {
	out := networkView{Network: *n, Servers: []int64{}, LoadBalancers: []int64{}, Protection: protection{n.Protected}}
	out.Subnets, out.Routes = append([]Subnet{}, n.Subnets...), append([]Route{}, n.Routes...)
	out.Labels = map[string]string{}
	maps.Copy(out.Labels, n.Labels)
	for _, m := range p.machines.all {
		if m.in(n.ID) != nil {
			out.Servers = append(out.Servers, m.ID)
		}
	}
	for _, b := range p.balancers.all {
		if slices.ContainsFunc(b.PrivateNet, func(a BalancerAttached) bool { return a.Network == n.ID }) {
			out.LoadBalancers = append(out.LoadBalancers, b.ID)
		}
	}
	return out
}

var networkList = listing[*Network]{
	name: "networks",
	order: map[string]func(a, b *Network) int{
		"id": by((*Network).id), "name": by(func(n *Network) string { return n.Name }),
		"created": byTime(func(n *Network) time.Time { return n.Created }),
	},
	nameOf:   func(n *Network) string { return n.Name },
	labelsOf: func(n *Network) map[string]string { return n.Labels },
}

var networkRoutes = map[string]handler{
	"GET /networks":                            listNetworks,
	"GET /networks/{id}":                       getNetwork,
	"POST /networks/{id}/actions/add_route":    addRoute,
	"POST /networks/{id}/actions/delete_route": deleteRoute,
}

func listNetworks(c *call) (reply, error) {
	return networkList.answer(c, c.project.networks.all, func(n *Network) any { return c.project.networkView(n) })
}

func getNetwork(c *call) (reply, error) {
	n, err := found(c, c.project.networks, "network")
	if err != nil {
		return reply{}, err
	}
	return reply{body: map[string]any{"network": c.project.networkView(n)}}, nil
}

// maxRoutes is how many routes a network may have.
const maxRoutes = 100

// publicGateway is the gateway of the public interface of every server.
const publicGateway = "172.31.1.1"

var networkRules = []Rule{
	{ID: "route/ipv4", Where: "add_route delete_route", Text: "the destination is an IPv4 network in its shortest form and the gateway an IPv4 address", Source: fromVendor},
	{ID: "route/destination", Where: "add_route", Text: "the destination overlaps no subnet, no other route, not the first address of the network and not 172.31.1.1; 0.0.0.0/0 may", Source: fromVendor},
	{ID: "route/gateway", Where: "add_route", Text: "the gateway is neither the first address of the network nor 172.31.1.1", Source: fromVendor},
	{ID: "route/gateway-inside", Where: "add_route", Text: "the gateway is an address of the network; whose it is does not matter", Source: guess, IfWrong: "a route to a machine that has left the network is refused; the driver's gateways are addresses of machines in it"},
	{ID: "route/limit", Where: "add_route", Text: "a network has at most 100 routes", Source: fromVendor, Status: 403, Code: "resource_limit_exceeded"},
	{ID: "route/absent", Where: "delete_route", Text: "the route exists, with the same gateway", Source: guess, IfWrong: "another code, or success: the driver takes not_found for done", Status: 404, Code: "not_found"},
}

// routeOf reads the route of a request.
func routeOf(c *call) (Route, error) {
	var body Route
	if err := c.decode(&body); err != nil {
		return body, err
	}
	var f fieldErrors
	destination, err := netip.ParsePrefix(body.Destination)
	f.check(err == nil && destination.Addr().Is4() && destination == destination.Masked(), "route/ipv4", "destination", "%q is no IPv4 network", body.Destination)
	gateway, err := netip.ParseAddr(body.Gateway)
	f.check(err == nil && gateway.Is4(), "route/ipv4", "gateway", "%q is no IPv4 address", body.Gateway)
	return body, f.problem()
}

func addRoute(c *call) (reply, error) {
	n, err := found(c, c.project.networks, "network")
	if err != nil {
		return reply{}, err
	}
	wanted, err := routeOf(c)
	if err != nil {
		return reply{}, err
	}
	return actionReply(c.act("add_route", func() (func(), error) {
		if err := n.fits(wanted); err != nil {
			return nil, err
		}
		return func() { n.Routes = append(slices.Clone(n.Routes), wanted) }, nil
	}, n.resource()))
}

// fits says why a route can't be added.
func (n *Network) fits(wanted Route) error {
	if len(n.Routes) >= maxRoutes {
		return broken("route/limit", "a network can have at most %d routes", maxRoutes)
	}
	destination, gateway := netip.MustParsePrefix(wanted.Destination), netip.MustParseAddr(wanted.Gateway)
	all := netip.MustParsePrefix(n.IPRange)
	first := all.Masked().Addr().Next()
	public := netip.MustParseAddr(publicGateway)
	var f fieldErrors
	f.check(gateway != first && gateway != public, "route/gateway", "gateway", "must not be %s", gateway)
	f.check(all.Contains(gateway), "route/gateway-inside", "gateway", "is not in the network")
	if destination.Bits() > 0 {
		f.check(!destination.Contains(first) && !destination.Contains(public), "route/destination", "destination", "contains a reserved address")
		for _, subnet := range n.Subnets {
			f.check(!destination.Overlaps(netip.MustParsePrefix(subnet.IPRange)), "route/destination", "destination", "overlaps with subnet %s", subnet.IPRange)
		}
	}
	for _, route := range n.Routes {
		other := netip.MustParsePrefix(route.Destination)
		both := destination.Bits() > 0 && other.Bits() > 0
		f.check(destination != other && (!both || !destination.Overlaps(other)), "route/destination", "destination", "overlaps with route %s", route.Destination)
	}
	return f.problem()
}

func deleteRoute(c *call) (reply, error) {
	n, err := found(c, c.project.networks, "network")
	if err != nil {
		return reply{}, err
	}
	unwanted, err := routeOf(c)
	if err != nil {
		return reply{}, err
	}
	return actionReply(c.act("delete_route", func() (func(), error) {
		at := slices.Index(n.Routes, unwanted)
		if at < 0 {
			return nil, broken("route/absent", "route not found")
		}
		return func() { n.Routes = slices.Delete(slices.Clone(n.Routes), at, at+1) }, nil
	}, n.resource()))
}
