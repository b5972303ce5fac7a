package conformance

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var (
	owner   = cloud.Owner{Cluster: "conformance", Cloud: "conformance"}
	foreign = cloud.Owner{Cluster: "another-cluster", Cloud: "conformance"}
)

func (s *suite) routes(t *testing.T) {
	s.each(t, []check{
		{"without routes the list is empty", noRoutes},
		{"create, list, delete", routeLifeCycle},
		{"creating twice makes one route", routeTwice},
		{"routes of other clusters are not listed", foreignRoutes},
		{"a route whose machine is gone can be deleted", deadRoute},
		{"listing writes nothing", listRoutesOnlyReads},
		{"what is left of a creation broken off anywhere is found", brokenOffRoute},
	})
}

// routerOf is the driver's routes with everything that has to succeed.
type router struct {
	*fixture
	cloud.Routes
}

func routerOf(f *fixture) router {
	f.Helper()
	if f.driver.Routes == nil {
		f.Fatal("the descriptor says Routes, but the driver has none")
	}
	return router{f, settledRoutes{f.driver.Routes, f}}
}

// route adds a machine and returns a route to it.
func (r router) route(n int) cloud.Route {
	return r.aimed(cloud.Route{
		Destination: netip.MustParsePrefix(fmt.Sprintf("10.244.%d.0/24", n)),
		Target:      r.control.AddMachine(fmt.Sprintf("node-%d", n)),
		NodeUID:     nodeUID(n),
	})
}

// aimed returns a route with the address of its machine, where routes name that.
func (f *fixture) aimed(route cloud.Route) cloud.Route {
	f.Helper()
	if f.suite.Descriptor.Capabilities.RoutesByAddress {
		found, err := f.driver.Machines.Get(f.ctx(), route.Target)
		f.must(err, "Get")
		route.NextHop = found[route.Target].NextHop(route.Destination)
	}
	return route
}

// resolve finds the machines of routes that name addresses, as the kernel does.
func (r router) resolve(routes []cloud.Route) {
	r.Helper()
	if !slices.ContainsFunc(routes, func(route cloud.Route) bool { return route.NextHop.IsValid() }) {
		return
	}
	machines, err := r.driver.Machines.List(r.ctx())
	r.must(err, "List")
	for n, route := range routes {
		routes[n].Blackhole = route.Blackhole || route.NextHop.IsValid()
		for _, machine := range machines.Items {
			if machine.NextHop(route.Destination) == route.NextHop {
				routes[n].Target, routes[n].Blackhole = machine.ID, false
			}
		}
	}
}

// nodeUID has the form of the UIDs that an API server gives.
func nodeUID(n int) string { return fmt.Sprintf("5f0c2b6e-6a1d-4c7e-9b3f-%012d", n) }

func (r router) create(owner cloud.Owner, route cloud.Route) {
	r.Helper()
	r.must(r.CreateRoute(r.ctx(), owner, route), "CreateRoute")
	r.control.Settle()
}

func (r router) list() []cloud.Route {
	r.Helper()
	routes, err := r.ListRoutes(r.ctx(), owner)
	r.must(err, "ListRoutes")
	r.resolve(routes)
	slices.SortFunc(routes, func(a, b cloud.Route) int { return a.Destination.Addr().Compare(b.Destination.Addr()) })
	return routes
}

// expect compares destinations and targets of all listed routes.
func (r router) expect(want ...cloud.Route) []cloud.Route {
	r.Helper()
	listed := r.list()
	show := func(routes []cloud.Route) (shown []string) {
		for _, route := range routes {
			shown = append(shown, fmt.Sprintf("%s to %s", route.Destination, route.Target))
		}
		return shown
	}
	if difference := cmp.Diff(show(want), show(listed)); difference != "" {
		r.Fatalf("routes (-want +got):\n%s", difference)
	}
	return listed
}

func noRoutes(f *fixture) { routerOf(f).expect() }

func routeLifeCycle(f *fixture) {
	r := routerOf(f)
	first, second := r.route(1), r.route(2)
	r.create(owner, first)
	r.create(owner, second)
	listed := r.expect(first, second)
	if listed[0].Name == "" || listed[0].Blackhole {
		f.Errorf("a listed route needs a name and no black hole: %+v", listed[0])
	}
	r.must(r.DeleteRoute(r.ctx(), owner, listed[0]), "DeleteRoute")
	f.control.Settle()
	r.expect(second)
	r.must(r.DeleteRoute(r.ctx(), owner, listed[0]), "deleting a route that is gone")
	r.expect(second)
}

func routeTwice(f *fixture) {
	r := routerOf(f)
	route := r.route(1)
	r.create(owner, route)
	if err := r.CreateRoute(r.ctx(), owner, route); err != nil && f.driver.Classify(err).Class != cloud.FailureConflict {
		f.Errorf("creating a route that is there: %v; want success or a conflict", err)
	}
	f.control.Settle()
	r.expect(route)
}

func foreignRoutes(f *fixture) {
	if f.suite.Descriptor.Capabilities.RoutesUntagged {
		f.Skip("the cloud's routes have no marks: the kernel takes those to Nodes' machines for its own")
	}
	r := routerOf(f)
	ours, theirs := r.route(1), r.route(2)
	another := r
	if named, ok := f.control.(Neighbour); ok {
		another.Routes = settledRoutes{named.Neighbour().Routes, f}
	}
	another.create(foreign, theirs)
	r.expect()
	r.create(owner, ours)
	r.expect(ours)
}

func deadRoute(f *fixture) {
	r := routerOf(f)
	route := r.route(1)
	r.create(owner, route)
	f.control.RemoveMachine(route.Target)
	for _, left := range r.list() { // some clouds remove the route themselves
		if !left.Blackhole {
			f.Errorf("Blackhole is false although the machine is gone: %+v", left)
		}
		r.must(r.DeleteRoute(r.ctx(), owner, left), "DeleteRoute")
	}
	f.control.Settle()
	r.expect()
}

func listRoutesOnlyReads(f *fixture) {
	r := routerOf(f)
	r.create(owner, r.route(1))
	_, before := f.control.Requests()
	r.list()
	if _, after := f.control.Requests(); after != before {
		f.Errorf("%d writes", after-before)
	}
}

// mostRouteWrites is how many writes a route may take.
const mostRouteWrites = 10

// brokenOffRoute breaks a creation off at each of its writes, and the machine goes before another
// attempt: nobody asks for the route any more, so it has to be listed to be deleted.
func brokenOffRoute(f *fixture) {
	r := routerOf(f)
	for after := 0; ; after++ {
		route := r.route(after + 1)
		f.control.Fail(Fault{Status: 503, Writes: true}, after)
		err := r.CreateRoute(f.ctx(), owner, route)
		f.control.Heal()
		f.control.Settle()
		f.control.RemoveMachine(route.Target)
		for _, left := range r.list() {
			r.must(r.DeleteRoute(r.ctx(), owner, left), "DeleteRoute")
		}
		f.control.Settle()
		r.expect()
		if err == nil {
			f.nothingLeft()
			return
		}
		if after == mostRouteWrites {
			f.Fatalf("a route took more than %d writes; the last failed with: %v", mostRouteWrites, err)
		}
	}
}
