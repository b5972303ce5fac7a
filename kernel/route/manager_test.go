package route

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// fakeCloud is a route table.
type fakeCloud struct {
	routes  []cloud.Route
	err     error
	lists   int
	created []cloud.Route
	deleted []cloud.Route
	owner   cloud.Owner
	writing atomic.Int32
}

func (f *fakeCloud) ListRoutes(_ context.Context, owner cloud.Owner) ([]cloud.Route, error) {
	f.lists++
	f.owner = owner
	return append([]cloud.Route(nil), f.routes...), f.err
}

func (f *fakeCloud) CreateRoute(_ context.Context, _ cloud.Owner, r cloud.Route) error {
	if f.writing.Add(1) > 1 {
		return errors.New("two writes at once")
	}
	defer f.writing.Add(-1)
	time.Sleep(time.Second)
	f.created = append(f.created, r)
	return f.err
}

func (f *fakeCloud) DeleteRoute(_ context.Context, _ cloud.Owner, r cloud.Route) error {
	f.deleted = append(f.deleted, r)
	return f.err
}

// fakeMachines has the machines of its map; provider-IDs are "x://<id>".
type fakeMachines struct {
	exist   map[cloud.InstanceID]bool
	err     error
	lookups int
	// at answers what is asked for, addresses whose owners it names.
	at    map[netip.Addr]cloud.InstanceID
	asked []netip.Addr
	// addresses are those of every machine.
	addresses []cloud.Address
	// lookup is what look-ups alone fail with.
	lookup error
}

func (f *fakeMachines) Lookup(_ context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	f.lookups++
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		if f.exist[id] {
			found[id] = cloud.Instance{ID: id, Addresses: f.addresses}
		}
	}
	return found, errors.Join(f.err, f.lookup)
}

func (f *fakeMachines) At(_ context.Context, addresses []netip.Addr) (map[netip.Addr]cloud.InstanceID, error) {
	f.asked = append(f.asked, addresses...)
	return f.at, f.err
}

func (f *fakeMachines) ProviderID(node *corev1.Node) (cloud.InstanceID, error) {
	if node.Spec.ProviderID == "" {
		return "", fmt.Errorf("node %q has no provider id", node.Name)
	}
	return cloud.InstanceID(node.Spec.ProviderID[len("x://"):]), nil
}

// fakeBrake lets a number of keys through.
type fakeBrake struct {
	limit int
	keys  map[string]bool
	total int
}

var errBrake = errors.New("brake")

func (f *fakeBrake) Allow(_ context.Context, total int, keys ...string) (allowed []string, err error) {
	f.total = total
	for _, key := range keys {
		if !f.keys[key] && len(f.keys) >= f.limit {
			return allowed, errBrake
		}
		f.keys[key] = true
		allowed = append(allowed, key)
	}
	return allowed, nil
}

type fixture struct {
	cloud    *fakeCloud
	machines *fakeMachines
	brake    *fakeBrake
	nodes    []*corev1.Node
	plans    []plan.Plan
	options  Options
}

func newFixture(mode run.Mode) *fixture {
	f := &fixture{
		cloud:    &fakeCloud{},
		machines: &fakeMachines{exist: map[cloud.InstanceID]bool{}},
		brake:    &fakeBrake{limit: 2, keys: map[string]bool{}},
	}
	c := &run.Cloud{Name: "c", Routes: f.cloud}
	f.options = Options{
		Cloud: c, Machines: f.machines, Brake: f.brake, ClusterID: "k1",
		Nodes:    func() []*corev1.Node { return f.nodes },
		Executor: run.NewExecutor(c, mode, nil, func(p plan.Plan) { f.plans = append(f.plans, p) }),
	}
	return f
}

func node(name, id string, cidrs ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{PodCIDRs: cidrs}}
	if id != "" {
		n.Spec.ProviderID = "x://" + id
	}
	return n
}

func route(name, destination, target string) cloud.Route {
	return cloud.Route{Name: name, Destination: netip.MustParsePrefix(destination), Target: cloud.InstanceID(target)}
}

var comparePrefixes = cmpopts.EquateComparable(netip.Prefix{}, netip.Addr{})

func TestList(t *testing.T) {
	f := newFixture(run.Live)
	f.nodes = []*corev1.Node{
		node("a", "1", "10.0.1.0/24", "fd00:1::/64"),
		node("new", "", "10.0.3.0/24"),
		node("old", "5"),
		node("rack", string(cloud.DescribedInstance("rack")), "10.0.4.0/24"),
	}
	f.nodes[2].Spec.PodCIDR = "10.0.5.0/24"
	f.cloud.routes = []cloud.Route{
		route("r1", "10.0.1.0/24", "1"),
		route("r6", "fd00:1::/64", "1"),
		route("r2", "10.0.2.0/24", "2"),    // of a machine no node has
		route("r3", "10.0.3.0/24", "3"),    // of a node that has no provider-ID yet
		route("r4", "10.0.4.0/24", "1"),    // of a machine that only its Node describes: somebody made it, through another one
		route("r5", "10.0.5.7/24", "5"),    // with host bits, of a node with podCIDR only
		route("r7", "10.0.1.128/25", "77"), // inside a node's network, but not it
	}
	f.cloud.routes[2].Blackhole = true
	got, err := New(f.options).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Route{
		{"r1", "a", netip.MustParsePrefix("10.0.1.0/24"), false},
		{"r6", "a", netip.MustParsePrefix("fd00:1::/64"), false},
		{"r2", "", netip.MustParsePrefix("10.0.2.0/24"), true},
		{"r5", "old", netip.MustParsePrefix("10.0.5.0/24"), false},
		{"r7", "", netip.MustParsePrefix("10.0.1.128/25"), false},
	}
	if diff := cmp.Diff(want, got, comparePrefixes); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
	if want := (cloud.Owner{Cluster: "k1", Cloud: "c"}); f.cloud.owner != want {
		t.Errorf("owner = %+v, want %+v", f.cloud.owner, want)
	}
}

func TestListNeedsACompleteAnswer(t *testing.T) {
	broken := errors.New("page 2 failed")
	tests := map[string]func(*fixture){
		"the list fails":          func(f *fixture) { f.cloud.err = broken },
		"a route leads nowhere":   func(f *fixture) { f.cloud.routes = append(f.cloud.routes, cloud.Route{Name: "odd"}) },
		"machines cannot be read": func(f *fixture) { f.machines.err = broken },
	}
	for name, spoil := range tests {
		f := newFixture(run.Live)
		f.nodes = []*corev1.Node{node("a", "1", "10.0.1.0/24")}
		f.cloud.routes = []cloud.Route{route("r2", "10.0.2.0/24", "2")}
		spoil(f)
		if routes, err := New(f.options).List(t.Context()); err == nil || routes != nil {
			t.Errorf("%s: List = %v, %v; want an error", name, routes, err)
		}
	}
}

func TestBrake(t *testing.T) {
	tests := map[string]struct {
		nodes  []*corev1.Node
		routes int    // 10.0.<i>.0/24 to machine <i>
		gone   []int  // machines
		cidrs  string // cluster network
		err    error
	}{
		"nothing doomed":               {[]*corev1.Node{node("1", "1", "10.0.1.0/24"), node("2", "2", "10.0.2.0/24")}, 2, nil, "", nil},
		"as many as the brake allows":  {[]*corev1.Node{node("1", "1", "10.0.1.0/24")}, 3, nil, "", nil},
		"one too many":                 {[]*corev1.Node{node("1", "1", "10.0.1.0/24")}, 4, nil, "", errBrake},
		"but that machine is gone":     {[]*corev1.Node{node("1", "1", "10.0.1.0/24")}, 4, []int{3}, "", nil},
		"no nodes at all":              {nil, 1, nil, "", errNoNodes},
		"no nodes, no machines":        {nil, 4, []int{1, 2, 3, 4}, "", nil},
		"no nodes, no routes":          {nil, 0, nil, "", nil},
		"all outside the pod networks": {[]*corev1.Node{node("1", "1")}, 4, nil, "10.9.0.0/16", nil},
		"all inside the pod networks":  {[]*corev1.Node{node("1", "1")}, 4, nil, "10.0.0.0/16", errBrake},
		"the nodes are not ready yet": {
			[]*corev1.Node{node("1", "", "10.0.1.0/24"), node("2", "", "10.0.2.0/24"), node("3", "", "10.0.3.0/24")}, 3, nil, "", nil,
		},
		"the networks moved to other machines": {
			[]*corev1.Node{node("1", "2", "10.0.1.0/24"), node("2", "3", "10.0.2.0/24"), node("3", "1", "10.0.3.0/24")}, 3, nil, "", errBrake,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(run.Live)
			f.nodes = test.nodes
			for i := 1; i <= test.routes; i++ {
				f.cloud.routes = append(f.cloud.routes, route(fmt.Sprint("r", i), fmt.Sprintf("10.0.%d.0/24", i), fmt.Sprint(i)))
				f.machines.exist[cloud.InstanceID(fmt.Sprint(i))] = true
			}
			for _, i := range test.gone {
				delete(f.machines.exist, cloud.InstanceID(fmt.Sprint(i)))
			}
			if test.cidrs != "" {
				f.options.ClusterCIDRs = []netip.Prefix{netip.MustParsePrefix(test.cidrs)}
			}
			_, err := New(f.options).List(t.Context())
			if !errors.Is(err, test.err) {
				t.Fatalf("error = %v, want %v", err, test.err)
			}
			if _, ok := errors.AsType[*BrakeError](err); ok != (test.err != nil) {
				t.Errorf("error = %#v, want a *BrakeError", err)
			}
			if f.brake.total != 0 && f.brake.total != test.routes {
				t.Errorf("the brake was told of %d routes, want %d", f.brake.total, test.routes)
			}
			if name == "nothing doomed" && f.machines.lookups != 0 {
				t.Error("machines were looked up for nothing")
			}
		})
	}
}

func TestBlackholesDoNotCount(t *testing.T) {
	f := newFixture(run.Live)
	f.nodes = []*corev1.Node{node("1", "1", "10.0.1.0/24")}
	for i := range 9 {
		r := route("r", fmt.Sprintf("10.1.%d.0/24", i), "9")
		r.Blackhole = true
		f.cloud.routes = append(f.cloud.routes, r)
	}
	if routes, err := New(f.options).List(t.Context()); err != nil || len(routes) != 9 || f.machines.lookups != 0 {
		t.Errorf("%d routes, %v, %d lookups; want all without asking", len(routes), err, f.machines.lookups)
	}
}

func TestRelease(t *testing.T) {
	f := newFixture(run.Live)
	f.nodes = []*corev1.Node{node("1", "1", "10.0.1.0/24")}
	add := func(from, to int) {
		for i := from; i <= to; i++ {
			f.cloud.routes = append(f.cloud.routes, route("r", fmt.Sprintf("10.0.%d.0/24", i), fmt.Sprint(i)))
			f.machines.exist[cloud.InstanceID(fmt.Sprint(i))] = true
		}
	}
	add(1, 6)
	m := New(f.options)
	list := func(want error) {
		t.Helper()
		if _, err := m.List(t.Context()); !errors.Is(err, want) {
			t.Errorf("error = %v, want %v", err, want)
		}
	}
	early := time.Now()
	list(errBrake)
	list(errBrake)
	if got := m.Release(early); got != 0 { // given when none of this was to be seen
		t.Errorf("%d released", got)
	}
	list(errBrake)
	if got := m.Release(time.Now()); got != 5 {
		t.Errorf("%d released, want 5", got)
	}
	list(nil)
	list(nil)  // still released while they last
	add(7, 12) // nobody spoke of these
	list(errBrake)
}

func TestCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(run.Live)
		f.nodes = []*corev1.Node{node("a", "1"), node("new", "")}
		m := New(f.options)
		done := make(chan error)
		for i := range 20 {
			go func() { done <- m.Create(t.Context(), "a", netip.MustParsePrefix(fmt.Sprintf("10.0.%d.7/24", i))) }()
		}
		for range 20 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		want := cloud.Route{Destination: netip.MustParsePrefix("10.0.1.0/24"), Target: "1"}
		if len(f.cloud.created) != 20 || !slices.Contains(f.cloud.created, want) {
			t.Errorf("created %v, want 20 with %v", f.cloud.created, want)
		}
		for _, name := range []string{"new", "foreign"} {
			if err := m.Create(t.Context(), name, want.Destination); err == nil {
				t.Errorf("a route to node %q was created", name)
			}
		}
	})
}

// slowCloud takes a second for each route.
type slowCloud struct {
	fakeCloud
	uids chan string
}

func (s *slowCloud) CreateRoute(_ context.Context, _ cloud.Owner, r cloud.Route) error {
	time.Sleep(time.Second)
	s.uids <- r.NodeUID
	return nil
}

// Routes that are objects of their own are made at once, those of one destination one after the other.
func TestRoutesApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, slow := newFixture(run.Live), &slowCloud{uids: make(chan string, 100)}
		f.nodes = []*corev1.Node{node("a", "1")}
		f.nodes[0].UID = "uid"
		f.options.Cloud.Routes, f.options.Cloud.Descriptor.Capabilities.RoutesApart = slow, true
		m, begun, done := New(f.options), time.Now(), make(chan error)
		for n := range 30 {
			go func() { done <- m.Create(t.Context(), "a", netip.MustParsePrefix(fmt.Sprintf("10.0.%d.0/24", n/2))) }()
		}
		for range 30 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if uid := <-slow.uids; uid != "uid" {
				t.Errorf("the UID of the Node is %q", uid)
			}
		}
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("30 routes to 15 destinations took %v, want 2s", took)
		}
	})
}

func TestDelete(t *testing.T) {
	f := newFixture(run.Live)
	r := route("r2", "10.0.2.0/24", "2")
	f.cloud.routes = []cloud.Route{r}
	f.nodes = []*corev1.Node{node("a", "1", "10.0.1.0/24")}
	m := New(f.options)
	listed, err := m.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Delete(t.Context(), listed[0]); err != nil {
		t.Fatal(err)
	}
	// A new process has not listed yet.
	if err := New(f.options).Delete(t.Context(), listed[0]); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]cloud.Route{r, r}, f.cloud.deleted, comparePrefixes); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if f.cloud.lists != 2 {
		t.Errorf("%d lists, want 2", f.cloud.lists)
	}
	stranger := Route{Name: "r9", Destination: netip.MustParsePrefix("10.0.9.0/24")}
	if err := m.Delete(t.Context(), stranger); err != nil || len(f.cloud.deleted) != 2 {
		t.Errorf("deleting a route that is not ours: %v, %v", err, f.cloud.deleted)
	}
	f.cloud.err = errors.New("boom")
	if err := m.Delete(t.Context(), listed[0]); !errors.Is(err, f.cloud.err) {
		t.Errorf("error = %v, want the cloud's", err)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	f := newFixture(run.DryRun)
	f.nodes = []*corev1.Node{node("a", "1")}
	f.cloud.routes = []cloud.Route{route("r2", "10.0.2.0/24", "2")}
	m := New(f.options)
	if err := m.Create(t.Context(), "a", netip.MustParsePrefix("10.0.1.0/24")); err != nil {
		t.Error(err)
	}
	if err := m.Delete(t.Context(), Route{Name: "r2", Node: "b", Destination: netip.MustParsePrefix("10.0.2.0/24")}); err != nil {
		t.Error(err)
	}
	if len(f.cloud.created)+len(f.cloud.deleted) != 0 {
		t.Errorf("wrote %v, %v", f.cloud.created, f.cloud.deleted)
	}
	want := []plan.Plan{
		{Cloud: "c", Subject: "routes", Operations: []cloud.Operation{{Verb: cloud.Create, Kind: cloud.KindRoute, Key: "10.0.1.0/24", After: "a (1)"}}},
		{Cloud: "c", Subject: "routes", Operations: []cloud.Operation{{Verb: cloud.Delete, Kind: cloud.KindRoute, Key: "10.0.2.0/24", Before: "b (2)"}}},
	}
	if diff := cmp.Diff(want, f.plans, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
}

// Without ownership tags, ours is what leads to a machine of a node, or nowhere any more, and only within
// the cluster's pod networks.
func TestRoutesWithoutOwnershipTags(t *testing.T) {
	f := newFixture(run.Live)
	f.options.Cloud.Descriptor.Capabilities.RoutesUntagged = true
	f.options.ClusterCIDRs = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/16")}
	f.machines.exist = map[cloud.InstanceID]bool{"1": true, "2": true, "nat": true}
	f.nodes = []*corev1.Node{node("a", "1", "10.0.1.0/24"), node("b", "2", "10.0.2.0/24")}
	blackhole := func(r cloud.Route) cloud.Route { r.Blackhole = true; return r }
	f.cloud.routes = []cloud.Route{
		route("1", "10.0.1.0/24", "1"),
		route("1", "10.0.9.0/24", "1"), // another of ours, stale
		route("nat", "10.0.3.0/24", "nat"),
		route("nat", "0.0.0.0/0", "nat"),
		route("2", "192.168.0.0/24", "2"), // somebody made our node a router
		blackhole(route("3", "10.0.4.0/24", "3")),
		blackhole(route("eni-1", "10.0.5.0/24", "")),
		blackhole(route("eni-2", "172.16.0.0/24", "")),
	}
	manager := New(f.options)
	got, err := manager.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Route{
		{"1", "a", netip.MustParsePrefix("10.0.1.0/24"), false},
		{"1", "a", netip.MustParsePrefix("10.0.9.0/24"), false},
		{"3", "", netip.MustParsePrefix("10.0.4.0/24"), true},
		{"eni-1", "", netip.MustParsePrefix("10.0.5.0/24"), true},
	}
	if diff := cmp.Diff(want, got, comparePrefixes); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
	if err := manager.Delete(t.Context(), Route{Name: "nat", Destination: netip.MustParsePrefix("10.0.3.0/24")}); err != nil || len(f.cloud.deleted) > 0 {
		t.Errorf("a route that is not ours: %v, deleted %v", err, f.cloud.deleted)
	}
}

// A black hole to the machine that has to have the route, and a route that is not everywhere yet.
func TestWantedRoutesThatAreNotWhole(t *testing.T) {
	f := newFixture(run.Live)
	f.machines.exist = map[cloud.InstanceID]bool{"1": true, "2": true, "3": true}
	f.nodes = []*corev1.Node{node("off", "1", "10.0.1.0/24"), node("half", "2", "10.0.2.0/24"), node("moved", "3", "10.0.3.0/24")}
	f.cloud.routes = []cloud.Route{
		{Name: "1", Destination: netip.MustParsePrefix("10.0.1.0/24"), Target: "1", Blackhole: true},
		{Name: "2", Destination: netip.MustParsePrefix("10.0.2.0/24"), Target: "2", Partial: true},
		{Name: "2", Destination: netip.MustParsePrefix("10.0.3.0/24"), Target: "2", Partial: true},
		{Name: "3", Destination: netip.MustParsePrefix("10.0.3.0/24"), Target: "3", Partial: true},
	}
	got, err := New(f.options).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Route{
		{"1", "off", netip.MustParsePrefix("10.0.1.0/24"), false},
		{"2", "half", netip.MustParsePrefix("10.0.3.0/24"), false}, // no node wants it: it goes
	}
	if diff := cmp.Diff(want, got, comparePrefixes); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
}

// narrow is a network without IPv6 that leads to no machine in the rack.
type narrow struct{}

func (narrow) RoutesTo(id cloud.InstanceID) bool { return id != "rack" }

func (narrow) RoutesFor(destination netip.Prefix) bool { return destination.Addr().Is4() }

// notes collects events.
type notes []string

func (n *notes) Record(object event.Object, reason event.Reason, message string) {
	*n = append(*n, object.Name+" "+reason.Name+": "+message)
}

// What keeps packets from arriving is said once, and again when it comes back.
func TestImpairedRoute(t *testing.T) {
	f, events := newFixture(run.Live), &notes{}
	f.options.Events = events
	f.nodes = []*corev1.Node{node("a", "1", "10.0.1.0/24"), node("b", "2", "10.0.2.0/24")}
	m := New(f.options)
	for _, problem := range []string{"it is off", "it is off", "", "it is off"} {
		bad := route("r1", "10.0.1.0/24", "1")
		bad.Impaired = problem
		f.cloud.routes = []cloud.Route{bad, route("r2", "10.0.2.0/24", "2")}
		if got, err := m.List(t.Context()); err != nil || len(got) != 2 {
			t.Fatalf("%v, %v", got, err)
		}
	}
	if len(*events) != 2 || (*events)[0] != "a RouteImpaired: the route to 10.0.1.0/24 is there, but it is off" {
		t.Errorf("events: %q", *events)
	}
}

// What can have no route is left out where the rest can have one, and one event says so. A Node outside of the
// network, and the routes that somebody made to it, are left alone.
func TestNarrowNetwork(t *testing.T) {
	f, events := newFixture(run.Live), &notes{}
	f.options.Cloud.RouteScope, f.options.Events = narrow{}, events
	f.options.Cloud.Descriptor.Capabilities.RoutesUntagged = true
	f.nodes = []*corev1.Node{
		node("dual", "1", "10.0.1.0/24", "fd00:1::/64"), node("six", "2", "fd00:2::/64"), node("rack", "rack", "10.0.3.0/24", "fd00:3::/64"), node("four", "4", "10.0.4.0/24"),
	}
	hand := route("r3", "10.0.3.0/24", "")
	hand.Blackhole = true // by a gateway that is no machine's
	f.cloud.routes = []cloud.Route{route("r1", "10.0.1.0/24", "1"), hand}
	m := New(f.options)
	want := []Route{{"r1", "dual", netip.MustParsePrefix("10.0.1.0/24"), false}, {"", "dual", netip.MustParsePrefix("fd00:1::/64"), false}}
	list := func() {
		t.Helper()
		got, err := m.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, comparePrefixes); diff != "" {
			t.Errorf("routes (-want +got):\n%s", diff)
		}
	}
	for range 3 {
		list()
	}
	if len(*events) != 1 || !strings.Contains((*events)[0], "dual RouteLeftOut") || !strings.Contains((*events)[0], "fd00:1::/64") {
		t.Errorf("events: %q", *events)
	}
	again := f.nodes[0].DeepCopy()
	again.UID = "made again"
	f.nodes[0] = again
	list()
	if len(*events) != 2 {
		t.Errorf("events once the Node was made again: %q", *events)
	}
}
