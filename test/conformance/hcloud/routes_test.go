package hcloud_test

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// router is a driver with routes.
type router struct {
	cloud.Account
	*cloud.RouteGroup
	server  *emulator.Server
	network emulator.Network
	ids     []cloud.InstanceID
	hops    []netip.Addr
}

func newRouter(t *testing.T, machines int, options emulator.Options) router {
	t.Helper()
	server, network := start(t, options)
	driver := mustConnect(t, variables(server))
	r := router{Account: driver, RouteGroup: driver.Routes, server: server, network: network}
	for _, m := range server.SeedMachines(machines) {
		r.ids = append(r.ids, cloud.InstanceID(strconv.FormatInt(m.ID, 10)))
		r.hops = append(r.hops, netip.MustParseAddr(m.Private[0].IP))
	}
	server.ResetTraffic()
	return r
}

func podNetwork(n int) netip.Prefix { return netip.MustParsePrefix(fmt.Sprintf("10.244.%d.0/24", n)) }

func (r router) create(t *testing.T, n int) error {
	t.Helper()
	err := r.CreateRoute(t.Context(), cloud.Owner{}, r.route(n, n))
	r.server.FinishActions()
	return err
}

// route leads to a machine.
func (r router) route(n, machine int) cloud.Route {
	return cloud.Route{Destination: podNetwork(n), Target: r.ids[machine], NextHop: r.hops[machine]}
}

// A route is a write, and an action that the kernel follows. A pass is one read. 100 are all that a network has.
func TestHundredRoutes(t *testing.T) {
	r := newRouter(t, 101, emulator.Options{Delay: -1})
	for n := range 100 {
		if err := r.create(t, n); !goesOn(err) {
			t.Fatalf("route %d: %v", n, err)
		}
	}
	if total := r.server.Counters().Total; total != 100 {
		t.Errorf("%d requests for 100 routes, want 100", total)
	}
	if err := r.create(t, 100); r.Classify(err).Class != cloud.FailureQuota {
		t.Errorf("one too many: %v", err)
	}
	r.server.ResetTraffic()
	routes, err := r.ListRoutes(t.Context(), cloud.Owner{})
	if err != nil || len(routes) != 100 {
		t.Fatalf("%d routes, %v", len(routes), err)
	}
	for n, route := range routes {
		if route.NextHop != r.hops[n] || route.Destination != podNetwork(n) {
			t.Errorf("route %d: %+v", n, route)
		}
	}
	if total := r.server.Counters().Total; total != 1 {
		t.Errorf("%d requests for a pass, want 1", total)
	}
}

func goesOn(err error) bool {
	_, ok := errors.AsType[*cloud.Running](err)
	return ok
}

// What is as it should be already is no failure, and whoever is in the way is named.
func TestRouteIsThereAlready(t *testing.T) {
	r := newRouter(t, 2, emulator.Options{})
	if err := r.create(t, 0); err != nil && !goesOn(err) {
		t.Fatal(err)
	}
	if err := r.create(t, 0); err != nil {
		t.Errorf("the same again: %v", err)
	}
	err := r.CreateRoute(t.Context(), cloud.Owner{}, r.route(0, 1))
	if r.Classify(err).Class != cloud.FailureInvalid || !strings.Contains(err.Error(), "overlaps with route 10.244.0.0/24") {
		t.Errorf("the same network to another server: %v", err)
	}
	routes, err := r.ListRoutes(t.Context(), cloud.Owner{})
	if err != nil || len(routes) != 1 {
		t.Fatalf("%v, %v", routes, err)
	}
	for range 2 {
		if err := r.DeleteRoute(t.Context(), cloud.Owner{}, routes[0]); err != nil && !goesOn(err) {
			t.Errorf("deleting: %v", err)
		}
		r.server.FinishActions()
	}
	if got := r.server.State().Networks[0].Routes; len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

// A network takes one change at a time; the second one is a conflict, whatever the API calls it.
func TestRouteWhileAnotherIsMade(t *testing.T) {
	for _, conflict := range []bool{false, true} {
		r := newRouter(t, 2, emulator.Options{Delay: -1, Conflict: conflict})
		for n := range 2 {
			err := r.CreateRoute(t.Context(), cloud.Owner{}, r.route(n, n))
			if n == 1 && r.Classify(err).Class != cloud.FailureConflict {
				t.Errorf("conflict %t: %v", conflict, err)
			}
		}
		if total := r.server.Counters().Total; total != 2 {
			t.Errorf("conflict %t: %d requests, want 2", conflict, total)
		}
	}
}

// Routes are only to IPv4 networks of cloud servers in the network.
func TestImpossibleRoutes(t *testing.T) {
	r := newRouter(t, 1, emulator.Options{})
	for name, route := range map[string]cloud.Route{
		"IPv6":             {Destination: netip.MustParsePrefix("fd00::/64"), Target: r.ids[0], NextHop: r.hops[0]},
		"dedicated server": {Destination: podNetwork(1), Target: "robot-1", NextHop: r.hops[0]},
		"not attached":     {Destination: podNetwork(1), Target: r.ids[0]},
	} {
		if err := r.CreateRoute(t.Context(), cloud.Owner{}, route); r.Classify(err).Class != cloud.FailureInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, request := range r.server.Requests() {
		t.Errorf("%s %s", request.Method, request.Path)
	}
	err := r.server.EditNetwork(r.network.ID, func(n *emulator.Network) {
		n.Routes = []emulator.Route{{Destination: "10.244.9.0/24", Gateway: "10.0.200.200"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	routes, err := r.ListRoutes(t.Context(), cloud.Owner{})
	if err != nil || len(routes) != 1 || routes[0].NextHop.String() != "10.0.200.200" || routes[0].Name != "10.0.200.200-10.244.9.0/24" {
		t.Errorf("%+v, %v", routes, err)
	}
	scope := r.RouteScope
	if scope.RoutesTo("robot-1") || scope.RoutesTo(cloud.DescribedInstance("robot-1")) || !scope.RoutesTo(r.ids[0]) ||
		scope.RoutesFor(netip.MustParsePrefix("fd00::/64")) || !scope.RoutesFor(podNetwork(1)) {
		t.Error("what routes can lead to is not what they can be made for")
	}
}

// Routes are there with a network, and load balancers, unless they are switched off.
func TestWhatIsSwitchedOff(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	for name, test := range map[string]struct {
		network, routes, balancers string
		want, balances             bool
	}{
		"on":                {"cluster", "true", "true", true, true},
		"routes off":        {"cluster", "false", "true", false, true},
		"balancers off":     {"cluster", "true", "false", true, false},
		"both off":          {"cluster", "false", "false", false, false},
		"without a network": {"", "true", "true", false, true},
	} {
		values := variables(server)
		values["HCLOUD_NETWORK"], values["HCLOUD_NETWORK_ROUTES_ENABLED"], values["HCLOUD_LOAD_BALANCERS_ENABLED"] = test.network, test.routes, test.balancers
		c := run.Decorate(mustConnect(t, values), run.Options{Descriptor: hcloud.Descriptor()})
		if got := c.Routes != nil; got != test.want || (c.RouteScope != nil) != got {
			t.Errorf("%s: routes %t", name, got)
		}
		if got := c.Balancers != nil; got != test.balances || (c.BulkLister != nil) != got || (c.Defaults != nil) != got || (c.TargetLimit != nil) != got {
			t.Errorf("%s: load balancers %t", name, got)
		}
	}
}
