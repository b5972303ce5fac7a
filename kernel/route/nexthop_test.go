package route

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

var (
	hop1, hop2, hop3 = netip.MustParseAddr("10.9.0.1"), netip.MustParseAddr("10.9.0.2"), netip.MustParseAddr("10.9.0.3")
	gateway          = netip.MustParseAddr("10.9.0.4")
)

func byAddress(destination string, hop netip.Addr) cloud.Route {
	return cloud.Route{Name: hop.String(), Destination: netip.MustParsePrefix(destination), NextHop: hop}
}

// A route that names an address is that of the machine which has it, a black hole where no machine has, and left
// alone where nobody knows. Nobody is asked about routes that are not ours to delete.
func TestRoutesByAddress(t *testing.T) { synctest.Test(t, routesByAddress) }

func routesByAddress(t *testing.T) {
	f := newFixture(run.Live)
	can := &f.options.Cloud.Descriptor.Capabilities
	can.RoutesUntagged, can.RoutesByAddress = true, true
	f.options.Cloud.RouteScope = narrow{}
	f.options.ClusterCIDRs = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/16")}
	f.nodes = []*corev1.Node{node("a", "1", "10.0.1.0/24"), node("rack", "rack", "10.0.4.0/24"), node("b", "2", "10.0.2.0/24")}
	f.machines.at = map[netip.Addr]cloud.InstanceID{hop1: "1", hop2: ""}
	f.cloud.routes = []cloud.Route{
		byAddress("10.0.1.0/24", hop1), byAddress("10.0.9.0/24", hop2), byAddress("10.0.8.0/24", hop3),
		byAddress("10.0.4.0/24", gateway), byAddress("0.0.0.0/0", gateway), byAddress("10.1.0.0/24", gateway),
	}
	m := New(f.options)
	got, err := m.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Route{{hop1.String(), "a", netip.MustParsePrefix("10.0.1.0/24"), false}, {hop2.String(), "", netip.MustParsePrefix("10.0.9.0/24"), true}}
	if diff := cmp.Diff(want, got, comparePrefixes); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
	if !slices.Equal(f.machines.asked, []netip.Addr{hop1, hop2, hop3}) {
		t.Errorf("asked for %v", f.machines.asked)
	}
	f.machines.exist["2"] = true
	f.machines.addresses = []cloud.Address{
		{Type: cloud.AddressHostname, Address: "b"}, {Type: cloud.AddressExternalIP, Address: "192.0.2.1"},
		{Type: cloud.AddressInternalIP, Address: "fd00::2"}, {Type: cloud.AddressInternalIP, Address: hop2.String()},
	}
	destination := netip.MustParsePrefix("10.0.2.0/24")
	if err := m.Create(t.Context(), "b", destination); err != nil || !slices.Equal(f.cloud.created, []cloud.Route{{Destination: destination, Target: "2", NextHop: hop2}}) {
		t.Errorf("created %v, %v", f.cloud.created, err)
	}
	delete(f.machines.exist, "2")
	if err := m.Create(t.Context(), "b", destination); err == nil || len(f.cloud.created) != 1 {
		t.Errorf("a route to a machine that is gone: %v, %v", err, f.cloud.created)
	}
}

// Some routes of a cloud with ownership tags name an address. One whose address cannot be told to be anybody's stays that of
// the Node which wants it; another one is neither shown nor deleted.
func TestSomeRoutesByAddress(t *testing.T) {
	f := newFixture(run.Live)
	f.nodes = []*corev1.Node{node("a", "1", "10.0.1.0/24"), node("b", "2", "10.0.2.0/24"), node("c", "3", "10.0.3.0/24")}
	f.machines.at = map[netip.Addr]cloud.InstanceID{hop1: "1"}
	f.cloud.routes = []cloud.Route{byAddress("10.0.1.0/24", hop1), route("r2", "10.0.2.0/24", "2"), byAddress("10.0.3.0/24", hop3), byAddress("10.0.4.0/24", hop3)}
	got, err := New(f.options).List(t.Context())
	want := []Route{{hop1.String(), "a", netip.MustParsePrefix("10.0.1.0/24"), false}, {"r2", "b", netip.MustParsePrefix("10.0.2.0/24"), false}, {hop3.String(), "c", netip.MustParsePrefix("10.0.3.0/24"), false}}
	if diff := cmp.Diff(want, got, comparePrefixes); diff != "" || err != nil {
		t.Errorf("routes (-want +got):\n%s, %v", diff, err)
	}
	if !slices.Equal(f.machines.asked, []netip.Addr{hop1, hop3, hop3}) {
		t.Errorf("asked for %v", f.machines.asked)
	}
}

// A list can lack a machine that runs. The route of its Node does not go for that.
func TestListWithoutTheMachine(t *testing.T) {
	for name, test := range map[string]struct {
		exists    bool
		addresses []cloud.Address
		err       error
		node      string
	}{
		"it has the address": {exists: true, addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.9.0.9"}, {Type: cloud.AddressInternalIP, Address: hop1.String()}}, node: "a"},
		"it has another":     {exists: true, addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.9.0.9"}}},
		"it is gone":         {},
		"it cannot be read":  {err: errors.New("no answer"), node: "a"},
	} {
		f := newFixture(run.Live)
		f.nodes = []*corev1.Node{node("a", "1", "10.0.1.0/24")}
		f.machines.at, f.machines.addresses, f.machines.lookup = map[netip.Addr]cloud.InstanceID{hop1: ""}, test.addresses, test.err
		f.machines.exist["1"] = test.exists
		f.cloud.routes = []cloud.Route{byAddress("10.0.1.0/24", hop1)}
		got, err := New(f.options).List(t.Context())
		want := []Route{{hop1.String(), test.node, netip.MustParsePrefix("10.0.1.0/24"), test.node == ""}}
		if diff := cmp.Diff(want, got, comparePrefixes); diff != "" || err != nil {
			t.Errorf("%s: routes (-want +got):\n%s, %v", name, diff, err)
		}
	}
}

// The cloud is not asked for more routes than its network holds, and one event tells the Node. When one goes
// there is room.
func TestFullNetwork(t *testing.T) { synctest.Test(t, fullNetwork) }

func fullNetwork(t *testing.T) {
	f, events := newFixture(run.Live), &notes{}
	f.options.Events = events
	f.options.Cloud.Descriptor.Capabilities.MaxRoutes = 3
	f.options.Cloud.Descriptor.Capabilities.RoutesUntagged = true
	f.machines.exist = map[cloud.InstanceID]bool{"1": true, "2": true, "3": true}
	for n := range 3 {
		f.nodes = append(f.nodes, node(fmt.Sprint(n), fmt.Sprint(n), fmt.Sprintf("10.0.%d.0/24", n)))
	}
	f.cloud.routes = []cloud.Route{route("nat", "0.0.0.0/0", "nat"), route("0", "10.0.0.0/24", "0")} // the first is somebody else's
	m := New(f.options)
	list := func() []Route {
		t.Helper()
		listed, err := m.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return listed
	}
	listed := list()
	plan, err := m.Plan(t.Context())
	if err != nil || len(plan.Operations) != 2 || plan.Operations[0].Blocked != "" || !strings.Contains(plan.Operations[1].Blocked, "3 routes") {
		t.Errorf("planned %+v, %v", plan.Operations, err)
	}
	if err := m.Create(t.Context(), "1", podCIDRs(f.nodes[1])[0]); err != nil {
		t.Fatal(err)
	}
	create := func() error { return m.Create(t.Context(), "2", podCIDRs(f.nodes[2])[0]) }
	for range 2 {
		if err := create(); err == nil || len(f.cloud.created) != 1 {
			t.Errorf("one too many: %v, created %v", err, f.cloud.created)
		}
	}
	if len(*events) != 2 || (*events)[0] != (*events)[1] || !strings.Contains((*events)[0], "2 RouteLimitReached: no route to 10.0.2.0/24") {
		t.Errorf("events: %q", *events) // equal ones are written once
	}
	f.cloud.routes = append(f.cloud.routes, f.cloud.created...)
	list()
	if err := m.Delete(t.Context(), listed[0]); err != nil {
		t.Fatal(err)
	}
	if err := create(); err != nil {
		t.Errorf("there is room: %v", err)
	}
}
