package openstack

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

var (
	ours   = cloud.Owner{Cluster: "ours", Cloud: "openstack"}
	theirs = cloud.Owner{Cluster: "theirs", Cloud: "openstack"}
)

const (
	readServer        = "GET /servers/*"
	readPorts         = "GET /ports"
	writePort         = "PUT /ports/*"
	readRouter        = "GET /routers/*"
	writeRouter       = "PUT /routers/*"
	setOwnershipTag   = "PUT /routers/*/tags/*"
	unsetOwnershipTag = "DELETE /routers/*/tags/*"
	addRoute          = "PUT /routers/*/add_extraroutes"
	removeRoute       = "PUT /routers/*/remove_extraroutes"
)

// newRouted starts with a router and two servers, 10.10.0.11 and 10.10.0.12.
func newRouted(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, config.Config{})
	l.limit = "1000"
	l.change(func(w *world) {
		network, subnets := w.network("nodes 10.10.0.0/24 fd00:10::/64")
		l.facts["router"] = w.router(subnets...)
		for name, last := range map[string]string{"one": "11", "two": "12"} {
			l.facts["port of "+name] = w.port(network, "10.10.0."+last, "fd00:10::"+last)
			l.facts[name] = w.server(name, nil, l.facts["port of "+name])
		}
	})
	config := config.Config{Router: l.known("router")}
	config.Global.Region = "RegionOne"
	l.driver = wireDriver(l.driver.services, config, false, "", "")
	return l
}

// known is a fact of newRouted.
func (l *lab) known(name string) string {
	l.Helper()
	return l.fact(name, func(*world) string { return l.facts[name] })
}

func (l *lab) route(cidr, machine string) cloud.Route {
	l.Helper()
	return cloud.Route{Destination: netip.MustParsePrefix(cidr), Target: cloud.InstanceID(l.known(machine))}
}

func (l *lab) create(owner cloud.Owner, cidr, machine string) {
	l.Helper()
	l.must(l.driver.CreateRoute(l.Context(), owner, l.route(cidr, machine)))
}

// routed checks which routes an owner has, "destination machine" each.
func (l *lab) routed(owner cloud.Owner, want ...string) []cloud.Route {
	l.Helper()
	routes, err := l.driver.ListRoutes(l.Context(), owner)
	l.must(err)
	names := map[cloud.InstanceID]string{"": "nowhere", cloud.InstanceID(l.known("one")): "one", cloud.InstanceID(l.known("two")): "two"}
	var got []string
	for _, r := range routes {
		if r.Blackhole != (r.Target == "") {
			l.Errorf("a route with target %q has Blackhole %t", r.Target, r.Blackhole)
		}
		text := fmt.Sprint(r.Destination, " ", names[r.Target])
		if r.Partial {
			text += ", partial"
		}
		got = append(got, text)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		l.Errorf("routes of %s: %q, want %q", owner.Cluster, got, want)
	}
	slices.SortFunc(routes, func(a, b cloud.Route) int { return a.Destination.Compare(b.Destination) })
	return routes
}

// onRouter checks all routes of the router, "destination hop" each.
func (l *lab) onRouter(when string, want ...string) {
	l.Helper()
	got := l.fact("routes "+when, func(w *world) string { return w.routes(l.facts["router"]) })
	if got != strings.Join(want, ", ") {
		l.Errorf("%s the router has %q, want %q", when, got, want)
	}
}

// pairs checks the allowed address pairs of a machine's port.
func (l *lab) pairs(when, machine string, want ...string) {
	l.Helper()
	got := l.fact("pairs of "+machine+" "+when, func(w *world) string { return w.pairs(l.facts["port of "+machine]) })
	if got != strings.Join(want, ", ") {
		l.Errorf("%s the port of %s has pairs %q, want %q", when, machine, got, want)
	}
}

// byHand adds a route as an administrator does, or as upstream.
func (l *lab) byHand(cidr, hop string) {
	l.change(func(w *world) { w.addRoute(l.facts["router"], cidr, hop) })
}

func TestRouteRequests(t *testing.T) {
	l := newRouted(t)
	l.routed(ours)
	l.cost("list none", readRouter)
	l.create(ours, "10.244.1.0/24", "one")
	l.cost("create", readServer, readPorts, readRouter, setOwnershipTag, addRoute, writePort)
	l.create(ours, "10.244.1.0/24", "one")
	l.cost("create again", readServer, readPorts, readRouter)
	l.create(ours, "fd00:244:1::/64", "one")
	l.onRouter("of both families", "10.244.1.0/24 10.10.0.11", "fd00:244:1::/64 fd00:10::11")
	l.pairs("of both families", "one", "10.244.1.0/24", "fd00:244:1::/64")
	l.requests = nil
	routes := l.routed(ours, "10.244.1.0/24 one", "fd00:244:1::/64 one")
	l.cost("list", readRouter, readPorts, readPorts)
	l.must(l.driver.DeleteRoute(t.Context(), ours, routes[0]))
	l.cost("delete", readRouter, readPorts, readPorts, writePort, removeRoute, unsetOwnershipTag)
	l.must(l.driver.DeleteRoute(t.Context(), ours, routes[0]))
	l.cost("delete again", readRouter)
	l.onRouter("afterwards", "fd00:244:1::/64 fd00:10::11")
	l.pairs("afterwards", "one", "fd00:244:1::/64")
}

// TestRoutesOfOthers: what we did not make survives, whatever its destination.
func TestRoutesOfOthers(t *testing.T) {
	l := newRouted(t)
	l.byHand("10.244.9.0/24", "10.10.0.12") // by an administrator, within the pod networks
	l.byHand("10.244.1.0/24", "10.10.0.11") // by upstream
	l.routed(ours)
	l.requests = nil
	l.create(ours, "10.244.1.0/24", "one")
	l.cost("adopt upstream's", readServer, readPorts, readRouter, setOwnershipTag, writePort)
	l.create(theirs, "10.244.2.0/24", "two")
	l.routed(ours, "10.244.1.0/24 one")
	found := l.routed(theirs, "10.244.2.0/24 two")
	l.must(l.driver.DeleteRoute(t.Context(), ours, found[0]))
	l.onRouter("after a deletion of theirs", "10.244.1.0/24 10.10.0.11", "10.244.2.0/24 10.10.0.12", "10.244.9.0/24 10.10.0.12")

	err := l.driver.CreateRoute(t.Context(), ours, l.route("10.244.2.0/24", "one"))
	if class := l.driver.Classify(err).Class; class != cloud.FailureConflict {
		t.Errorf("a second way to the same pods: %v, class %q", err, class)
	}
	for _, route := range l.routed(ours, "10.244.1.0/24 one") {
		l.must(l.driver.DeleteRoute(t.Context(), ours, route))
	}
	l.onRouter("at the end", "10.244.2.0/24 10.10.0.12", "10.244.9.0/24 10.10.0.12")
	l.routed(theirs, "10.244.2.0/24 two")
	l.pairs("at the end", "one")
	l.pairs("at the end", "two", "10.244.2.0/24")
}

// TestRouteMoves: the pod network of a machine that goes is given to another before the first
// route is deleted.
func TestRouteMoves(t *testing.T) {
	l := newRouted(t)
	l.create(ours, "10.244.1.0/24", "one")
	l.create(ours, "10.244.1.0/24", "two")
	for _, route := range l.routed(ours, "10.244.1.0/24 one", "10.244.1.0/24 two") {
		if route.Name == "10.10.0.11" {
			l.must(l.driver.DeleteRoute(t.Context(), ours, route))
		}
	}
	l.routed(ours, "10.244.1.0/24 two")
	l.pairs("after the move", "one")
	l.pairs("after the move", "two", "10.244.1.0/24")
}

// TestRouteOfGoneServer leaves nothing on the port that outlives its server.
func TestRouteOfGoneServer(t *testing.T) {
	l := newRouted(t)
	l.create(ours, "10.244.1.0/24", "one")
	l.change(func(w *world) { w.deleteServer(l.facts["one"]) })
	l.pairs("of the gone server", "one", "10.244.1.0/24")
	for _, route := range l.routed(ours, "10.244.1.0/24 nowhere") {
		l.must(l.driver.DeleteRoute(t.Context(), ours, route))
	}
	l.pairs("at the end", "one")
	l.onRouter("at the end")
	l.routed(ours)
}

// TestRouteWithoutPortSecurity needs no pair, and Neutron would refuse it.
func TestRouteWithoutPortSecurity(t *testing.T) {
	l := newRouted(t)
	l.change(func(w *world) {
		w.call(http.MethodPut, "network", "ports/"+l.facts["port of one"], object{"port": object{"security_groups": []string{}, "port_security_enabled": false}}, nil)
	})
	l.create(ours, "10.244.1.0/24", "one")
	l.cost("create", readServer, readPorts, readRouter, setOwnershipTag, addRoute)
}

// TestRouteInterrupted: each step that fails leaves what the next attempt completes, and
// nothing that existed before is undone.
func TestRouteInterrupted(t *testing.T) {
	l := newRouted(t)
	l.byHand("10.244.1.0/24", "10.10.0.11")
	for i, step := range []string{setOwnershipTag, addRoute, writePort} {
		l.failing(step)
		if err := l.driver.CreateRoute(t.Context(), ours, l.route("10.244.2.0/24", "two")); err == nil {
			t.Errorf("created although %s failed", step)
		}
		l.failing("")
		var partial []string
		routes := []string{"10.244.1.0/24 10.10.0.11"}
		if step == writePort {
			partial, routes = []string{"10.244.2.0/24 two, partial"}, append(routes, "10.244.2.0/24 10.10.0.12")
		}
		l.routed(ours, partial...)
		l.onRouter(fmt.Sprint("after failure ", i), routes...)
	}
	l.create(ours, "10.244.2.0/24", "two")
	l.pairs("of the whole route", "two", "10.244.2.0/24")
	listed := "10.244.2.0/24 two"
	for _, step := range []string{writePort, removeRoute} {
		l.failing(step)
		routes := l.routed(ours, listed)
		if err := l.driver.DeleteRoute(t.Context(), ours, routes[0]); err == nil {
			t.Errorf("deleted although %s failed", step)
		}
	}
	l.failing("")
	for _, route := range l.routed(ours, listed+", partial") {
		l.must(l.driver.DeleteRoute(t.Context(), ours, route))
	}
	l.pairs("at the end", "two")
	l.onRouter("at the end", "10.244.1.0/24 10.10.0.11")
}

// refused checks that the creation of a route is refused, and leaves nothing behind that nothing would find any more.
func (l *lab) refused(when, cidr, machine string, want cloud.Class, left ...string) {
	l.Helper()
	for range 2 {
		err := l.driver.CreateRoute(l.Context(), ours, l.route(cidr, machine))
		if class := l.driver.Classify(err).Class; class != want {
			l.Errorf("%s: %v, class %q, want %q", when, err, class, want)
		}
	}
	l.pairs(when, machine, left...)
	l.ownershipTags(when, 0)
}

// withPairs gives the port of a machine address pairs.
func (l *lab) withPairs(machine string, pairs ...string) {
	l.change(func(w *world) {
		var list []object
		for _, pair := range pairs {
			list = append(list, object{"ip_address": pair})
		}
		w.call(http.MethodPut, "network", "ports/"+l.facts["port of "+machine], object{"port": object{"allowed_address_pairs": list}}, nil)
	})
}

// TestRefusedRoute: one too many changes nothing of the port.
func TestRefusedRoute(t *testing.T) {
	l := newRouted(t)
	l.withPairs("two", "10.99.0.0/24")
	l.change(func(w *world) {
		for n := range 30 { // the most Neutron has by default
			w.addRoute(l.facts["router"], fmt.Sprintf("10.245.%d.0/24", n), "10.10.0.11")
		}
	})
	l.refused("in a full router", "10.244.2.0/24", "two", cloud.FailureQuota, "10.99.0.0/24")
	if slices.Contains(l.requests, writePort) {
		t.Errorf("the port was changed: %q", l.requests)
	}
}

// TestRefusedNextHop: the machine is on a network that the router does not serve, where nothing would look for a pair.
func TestRefusedNextHop(t *testing.T) {
	l := newRouted(t)
	l.change(func(w *world) {
		network, _ := w.network("elsewhere 10.20.0.0/24")
		l.facts["port of three"] = w.port(network, "10.20.0.13")
		l.facts["three"] = w.server("three", nil, l.facts["port of three"])
	})
	l.refused("a next hop elsewhere", "10.244.3.0/24", "three", cloud.FailureInvalid)
	l.onRouter("at the end")
}

// TestRefusedPair: a port takes ten pairs. The route and its ownership tag are taken back, but not a route that was there.
func TestRefusedPair(t *testing.T) {
	l := newRouted(t)
	var ten []string
	for n := range 10 {
		ten = append(ten, fmt.Sprintf("10.99.%d.0/24", n))
	}
	l.withPairs("two", ten...)
	l.refused("a full port", "10.244.2.0/24", "two", cloud.FailureInvalid, ten...)
	l.onRouter("after the refusal")
	l.byHand("10.244.2.0/24", "10.10.0.12")
	l.refused("the route of somebody", "10.244.2.0/24", "two", cloud.FailureInvalid, ten...)
	l.onRouter("at the end", "10.244.2.0/24 10.10.0.12")
}

// TestRouteBrokenOff: what a creation or a deletion left when the process ended is found by its ownership tag, also
// when the machine is gone meanwhile. Pairs of others stay.
func TestRouteBrokenOff(t *testing.T) {
	l := newRouted(t)
	l.withPairs("two", "10.244.7.0/24")
	l.create(ours, "10.244.1.0/24", "one")
	l.change(func(w *world) { w.removeRoute(l.facts["router"], "10.244.1.0/24", "10.10.0.11") })
	l.failing(addRoute)
	if err := l.driver.CreateRoute(t.Context(), ours, l.route("10.244.2.0/24", "two")); err == nil {
		t.Error("created although the second step failed")
	}
	l.failing("")
	l.routed(theirs)
	l.routed(ours, "10.244.1.0/24 one, partial")
	l.change(func(w *world) { w.deleteServer(l.facts["one"]) })
	for _, route := range l.routed(ours, "10.244.1.0/24 nowhere, partial") {
		l.must(l.driver.DeleteRoute(t.Context(), ours, route))
	}
	l.routed(ours)
	l.pairs("at the end", "one")
	l.pairs("at the end", "two", "10.244.7.0/24")
	l.ownershipTags("at the end", 0)
}

// ownershipTags checks how many ownership tags the router has.
func (l *lab) ownershipTags(when string, want int) {
	l.Helper()
	got := l.fact("marks "+when, func(w *world) string {
		var answer struct{ Router struct{ Tags []string } }
		w.call(http.MethodGet, "network", "routers/"+l.facts["router"], nil, &answer)
		return strings.Join(answer.Router.Tags, ", ")
	})
	if len(strings.FieldsFunc(got, func(r rune) bool { return r == ',' })) != want {
		l.Errorf("%s the router has the marks %q, want %d", when, got, want)
	}
}

// TestRoutesWithoutAtomicChanges: somebody else's route is not lost when the whole list has to
// be written.
func TestRoutesWithoutAtomicChanges(t *testing.T) {
	l := newRouted(t)
	l.driver.services.Extension["extraroute-atomic"] = false
	l.before[writeRouter] = func() { l.world.addRoute(l.facts["router"], "10.244.9.0/24", "10.10.0.12") }
	if err := l.driver.CreateRoute(t.Context(), ours, l.route("10.244.1.0/24", "one")); err == nil {
		t.Error("the router changed meanwhile, but the whole list was written")
	}
	l.requests = nil
	l.create(ours, "10.244.1.0/24", "one")
	l.cost("create", readServer, readPorts, readRouter, readRouter, writeRouter, writePort)
	l.onRouter("in between", "10.244.1.0/24 10.10.0.11", "10.244.9.0/24 10.10.0.12")
	for _, route := range l.routed(ours, "10.244.1.0/24 one") {
		l.must(l.driver.DeleteRoute(t.Context(), ours, route))
	}
	l.onRouter("at the end", "10.244.9.0/24 10.10.0.12")
}
