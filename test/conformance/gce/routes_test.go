package gce_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	conformancefault "github.com/multicloud-ccm/multicloud-ccm/test/conformance/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// router is a lab whose driver has routes.
type router struct {
	lab
	cloud.Routes
	cloud.Operations
}

// owner has a cluster id, which no name of a route may be made of.
var owner = cloud.Owner{Cluster: "7d0c0b5e-5a0e-4d6c-9f57-2f6f4a0d8b11"}

func newRouter(t *testing.T, c client) router {
	t.Helper()
	l := newLab(t, c)
	return router{l, l.driver.Routes, l.driver.Operations}
}

// uid is the UID of the nth Node.
func uid(n int) string { return fmt.Sprintf("0b9f4c1e-7d52-4f0a-8a55-%012d", n) }

// wanted is a route to a new machine.
func (r router) wanted(n int) cloud.Route {
	return cloud.Route{
		Destination: netip.MustParsePrefix(fmt.Sprintf("10.244.%d.0/24", n)), Target: r.AddMachine(fmt.Sprintf("node-%d", n)), NodeUID: uid(n),
	}
}

// create makes a route and lets its operation end.
func (r router) create(route cloud.Route) {
	r.t.Helper()
	r.ends(r.CreateRoute(r.t.Context(), owner, route))
}

// operations are those that a write goes on as.
func operations(err error) []string {
	running, _ := errors.AsType[*cloud.Running](err)
	if running == nil {
		return nil
	}
	return running.Operations
}

func (r router) ends(err error) {
	r.t.Helper()
	ids := operations(err)
	if len(ids) == 0 {
		r.t.Fatalf("a write of Google's goes on after the answer: %v", err)
	}
	r.Settle()
	states, err := r.OperationStates(r.t.Context(), ids)
	if err != nil || len(states) != 1 || states[ids[0]] != (cloud.OperationState{}) {
		r.t.Fatalf("%v: %v", states, err)
	}
}

func (r router) list() []cloud.Route {
	r.t.Helper()
	routes, err := r.ListRoutes(r.t.Context(), owner)
	r.must(err)
	return routes
}

// object is a route as the API answers it.
func (r router) object(project, name string) map[string]any {
	return r.server.State().Objects["projects/"+project+"/global/routes/"+name]
}

// What upstream writes, field by field: the cluster's name up to 26 characters, and the UID of the Node.
func TestRouteIsUpstreams(t *testing.T) {
	const long = "a-cluster-with-a-rather-long-name"
	for cluster, name := range map[string]string{"kubernetes": "kubernetes-" + uid(7), long: long[:26] + "-" + uid(7)} {
		r := newRouter(t, client{cluster: cluster})
		route := cloud.Route{Destination: netip.MustParsePrefix("10.244.7.0/24"), Target: r.AddMachine("web"), NodeUID: uid(7)}
		r.list() // the first use looks up the number of the network's project
		r.server.ResetTraffic()
		r.create(route)
		const links = "https://www.googleapis.com/compute/v1/projects/test-project/"
		want := map[string]any{
			"name": name, "description": "k8s-node-route", "destRange": "10.244.7.0/24", "priority": json.Number("1000"),
			"network": links + "global/networks/default", "nextHopInstance": links + "zones/" + strings.Replace(string(route.Target), "/", "/instances/", 1),
		}
		got := map[string]any{}
		for field := range want {
			got[field] = r.object(project, name)[field]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if reads, writes := r.Requests(); reads != 1 || writes != 1 { // one read is of the operation
			t.Errorf("%d reads and %d writes for a route", reads, writes)
		}
	}
}

// A Node of both families has two routes; upstream takes the refusal of the second for success.
func TestRoutesOfBothFamilies(t *testing.T) {
	r := newRouter(t, client{})
	four := r.wanted(1)
	six := four
	six.Destination = netip.MustParsePrefix("fd00:10:244:1::/64")
	r.create(four)
	r.create(six)
	routes := r.list()
	if len(routes) != 2 || routes[0].Target != four.Target || routes[1].Target != four.Target || len(routes[1].Name) > 63 {
		t.Errorf("%+v", routes)
	}
	for _, route := range routes {
		r.ends(r.DeleteRoute(t.Context(), owner, route))
	}
	if left := r.Leftovers(); left != nil {
		t.Errorf("%q are left", left)
	}
}

// Routes of a cluster whose name begins with ours, of another network, and those that people made are not
// listed, and are not deleted by their name.
func TestForeignRoutes(t *testing.T) {
	r := newRouter(t, client{})
	r.create(r.wanted(1))
	r.ends(r.Neighbour().Routes.CreateRoute(t.Context(), owner, r.wanted(2)))
	for n, change := range []map[string]any{
		{"description": "mine"},
		{"network": "https://www.googleapis.com/compute/v1/projects/test-project/global/networks/other"},
		{"nextHopInstance": "https://www.googleapis.com/compute/v1/projects/other-project/zones/us-central1-a/instances/x"},
	} {
		r.create(r.wanted(10 + n))
		r.must(r.server.Edit("projects/test-project/global/routes/kubernetes-"+uid(10+n), change))
	}
	if routes := r.list(); len(routes) != 1 || routes[0].Name != "kubernetes-"+uid(1) {
		t.Errorf("%+v", routes)
	}
	_, before := r.Requests()
	for _, name := range []string{"kubernetes-2-" + uid(2), "default-route-e8d4a51001", "kubernetes-mine", "kubernetes-" + uid(1) + "/x"} {
		r.must(r.DeleteRoute(t.Context(), owner, cloud.Route{Name: name}))
	}
	if _, after := r.Requests(); after != before {
		t.Errorf("%d writes", after-before)
	}
}

// A pass reads one list, whatever the number of Nodes; the API sends no route of others.
func TestCallsOfAPass(t *testing.T) {
	r := newRouter(t, client{})
	r.server.SeedInstances(1200)
	for n := range 1200 {
		route := cloud.Route{Destination: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(200 + n/256), byte(n), 0}), 24), Target: cloud.InstanceID(fmt.Sprintf("us-central1-a/node-%d", n)), NodeUID: uid(n)}
		if ids := operations(r.CreateRoute(t.Context(), owner, route)); len(ids) != 1 {
			t.Fatal(ids)
		}
	}
	r.server.ResetTraffic()
	if routes := r.list(); len(routes) != 1200 {
		t.Errorf("%d routes", len(routes))
	}
	if reads, writes := r.Requests(); reads != 3 || writes != 0 {
		t.Errorf("%d reads and %d writes for 1,200 routes, want 3 pages", reads, writes)
	}
	for _, request := range r.server.Requests() {
		if request.Bytes > 500*500 {
			t.Errorf("%d bytes for 500 routes", request.Bytes)
		}
	}
}

// S27: a second creation succeeds only where the route that is there is the wanted one.
func TestRouteThatIsThere(t *testing.T) {
	r := newRouter(t, client{})
	route := r.wanted(1)
	r.create(route)
	r.must(r.CreateRoute(t.Context(), owner, route))
	other := route
	other.Destination = netip.MustParsePrefix("10.244.2.0/24")
	err := r.CreateRoute(t.Context(), owner, other)
	if class := r.driver.Classify(err).Class; class != cloud.FailureConflict || !strings.Contains(fmt.Sprint(err), "another route has that name") {
		t.Errorf("class %s: %v", class, err)
	}
}

// An instance that may not forward packets has a route of no use, and the list says so.
func TestInstanceThatMayNotForward(t *testing.T) {
	r := newRouter(t, client{})
	route := r.wanted(1)
	r.create(route)
	for _, may := range []bool{false, true} {
		r.must(r.server.Edit(path(route.Target), map[string]any{"canIpForward": may}))
		if routes := r.list(); len(routes) != 1 || strings.Contains(routes[0].Impaired, "--can-ip-forward") == may {
			t.Errorf("it may: %t: %+v", may, routes)
		}
	}
}

// What cannot be a route says why, and asks for nothing.
func TestImpossibleRoutes(t *testing.T) {
	r := newRouter(t, client{env: map[string]string{"GCE_NODE_PROJECTS": "batch-project"}})
	r.server.Load(emulator.Seed{Projects: []emulator.SeedProject{{ID: "batch-project"}}, Instances: []emulator.Instance{{Project: "batch-project", Name: "web-1"}}})
	route := r.wanted(1)
	elsewhere, nameless := route, route
	elsewhere.Target, nameless.NodeUID = "batch-project/us-central1-a/web-1", "node-1"
	misnamed, err := connect(t, r.address, client{cluster: "My_cluster"})
	r.must(err)
	_, before := r.Requests()
	for want, err := range map[string]error{
		"default":        r.CreateRoute(t.Context(), owner, elsewhere),
		"UUID":           r.CreateRoute(t.Context(), owner, nameless),
		"--cluster-name": misnamed.Routes.CreateRoute(t.Context(), owner, route),
	} {
		if class := r.driver.Classify(err).Class; class != cloud.FailureInvalid || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("want %s, class %s: %v", want, class, err)
		}
	}
	if _, after := r.Requests(); after != before {
		t.Errorf("%d writes", after-before)
	}
}

// What fails after the answer has the class of a refusal at once, and the same text each time.
func TestLateFailure(t *testing.T) {
	r := newRouter(t, client{})
	for code, test := range map[string]struct {
		status int
		class  cloud.Class
	}{
		"QUOTA_EXCEEDED":                      {http.StatusForbidden, cloud.FailureQuota},
		"RESOURCE_ALREADY_EXISTS":             {http.StatusConflict, cloud.FailureConflict},
		"RESOURCE_IN_USE_BY_ANOTHER_RESOURCE": {http.StatusBadRequest, cloud.FailureConflict},
		"RESOURCE_NOT_READY":                  {http.StatusBadRequest, cloud.FailureConflict},
		"RESOURCE_NOT_FOUND":                  {http.StatusNotFound, cloud.FailureNotFound},
		"PERMISSIONS_ERROR":                   {http.StatusForbidden, cloud.FailureUnauthorized},
		"RATE_LIMIT_EXCEEDED":                 {http.StatusForbidden, cloud.FailureThrottled},
		"INTERNAL_ERROR":                      {http.StatusInternalServerError, cloud.FailureTransient},
		"INVALID_FIELD_VALUE":                 {http.StatusBadRequest, cloud.FailureInvalid},
	} {
		r.server.Operations.Fail(emulator.OperationFault{Code: code, Message: "it is so", Status: test.status, Times: 2})
		route := r.wanted(len(code))
		var texts []string
		for range 2 {
			ids := operations(r.CreateRoute(t.Context(), owner, route))
			states, err := r.OperationStates(t.Context(), ids)
			if err != nil || len(ids) != 1 {
				t.Fatalf("%s: %q, %v", code, ids, err)
			}
			failure := states[ids[0]].Err
			if class := r.driver.Classify(failure).Class; class != test.class || !strings.Contains(fmt.Sprint(failure), code+": it is so") {
				t.Errorf("%s has the class %s: %v", code, class, failure)
			}
			texts = append(texts, fmt.Sprint(failure))
		}
		if texts[0] != texts[1] || !strings.Contains(texts[0], "kubernetes-"+route.NodeUID) {
			t.Errorf("%q", texts)
		}
		r.RemoveMachine(route.Target)
	}
	if left := r.Leftovers(); left != nil {
		t.Errorf("%q are left", left)
	}
}

// The states of many operations are one request. One that the list lacks is asked for by itself.
func TestStatesOfManyOperations(t *testing.T) {
	r := newRouter(t, client{delay: -1})
	var ids []string
	for n := range 130 {
		ids = append(ids, operations(r.CreateRoute(t.Context(), owner, r.wanted(n)))...)
	}
	states := func(ids []string, want, reads int) map[string]cloud.OperationState {
		t.Helper()
		r.server.ResetTraffic()
		found, err := r.OperationStates(t.Context(), ids)
		if got, _ := r.Requests(); err != nil || len(found) != want || got != reads {
			t.Errorf("%d states of %d operations by %d requests, want %d by %d: %v", len(found), len(ids), got, want, reads, err)
		}
		return found
	}
	for id, state := range states(ids, 130, 2) {
		if !state.Running {
			t.Errorf("%s has ended: %v", id, state.Err)
		}
	}
	r.Settle()
	for id, state := range states(ids, 130, 2) {
		if state.Running || state.Err != nil {
			t.Errorf("%s: %+v", id, state)
		}
	}
	states(ids[:1], 1, 1)
	states([]string{ids[0], "operation-1"}, 1, 2)
	states([]string{"operation-1"}, 0, 1)
	states([]string{"../x"}, 0, 0)
	if len(r.list()) != 130 {
		t.Error("not all routes are there")
	}
}

// Whatever request of a creation or deletion goes wrong, and however, the next attempt ends it: one route,
// then none.
func TestCrashAtEveryRequest(t *testing.T) {
	for _, broken := range []conformance.Fault{{Status: http.StatusServiceUnavailable}, {Lost: true}} {
		for after := range 3 {
			r := newRouter(t, client{})
			route := r.wanted(1)
			attempt := func(write func() error) {
				r.server.AddFault(conformancefault.After(broken, after))
				if ids := operations(write()); len(ids) > 0 {
					_, _ = r.OperationStates(t.Context(), ids)
				}
				r.Heal()
				r.Settle()
				if err := write(); err != nil && len(operations(err)) == 0 {
					t.Errorf("%s after %d requests: %v", broken, after, err)
				}
				r.Settle()
			}
			attempt(func() error { return r.CreateRoute(t.Context(), owner, route) })
			routes := r.list()
			if len(routes) != 1 || len(r.Leftovers()) != 1 {
				t.Fatalf("%s after %d requests: %+v", broken, after, routes)
			}
			attempt(func() error { return r.DeleteRoute(t.Context(), owner, routes[0]) })
			if left := r.Leftovers(); left != nil {
				t.Errorf("%s after %d requests: %q are left", broken, after, left)
			}
		}
	}
}

// While the operation of a route runs another write of it is a conflict, and of others is none.
func TestWriteWhileAnOperationRuns(t *testing.T) {
	r := newRouter(t, client{delay: -1})
	first, second := r.wanted(1), r.wanted(2)
	for n, route := range []cloud.Route{first, second} {
		if ids := operations(r.CreateRoute(t.Context(), owner, route)); len(ids) != 1 {
			t.Fatalf("%d: %q", n, ids)
		}
	}
	err := r.CreateRoute(t.Context(), owner, first)
	if class := r.driver.Classify(err).Class; class != cloud.FailureConflict {
		t.Errorf("class %s: %v", class, err)
	}
	r.Settle()
	if routes := r.list(); len(routes) != 2 {
		t.Errorf("%+v", routes)
	}
}
