package openstack

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// steady is what it costs to see that nothing has changed.
var steady = []string{"GET /lbaas/loadbalancers/*", "GET /floatingips"}

// whole is what it costs to read a balancer of which nothing is known.
func whole(pools int) []string {
	requests := []string{steady[0], "GET /lbaas/listeners", "GET /lbaas/pools"}
	for range pools {
		requests = append(requests, "GET /lbaas/pools/*/members")
	}
	return append(requests, steady[1:]...)
}

// TestBalancerRequests is the life of a balancer, request by request.
func TestBalancerRequests(t *testing.T) {
	l := newLab(t, config.Config{Balancer: config.Balancer{Provider: "amphora", Method: config.MethodRoundRobin, CascadeDelete: true, MaxShared: 2}})
	l.limit = "1000"
	l.change(func(w *world) {
		network, subnets := w.network("nodes 10.10.0.0/24")
		l.facts["subnet"] = subnets[0]
		l.facts["one"] = w.port(network, "10.10.0.11")
	})
	config := l.driver.config
	config.Balancer.Placement.Subnet = l.known("subnet")
	l.driver = wireDriver(l.driver.services, config, false, "kubernetes", "openstack")
	in := cloud.Input{
		Spec: cloud.Spec{
			Owner:      cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "u-1", Cloud: "openstack"},
			Options:    map[string]string{option.Internal.Name: "true"},
			HealthPort: 10256,
			Ports:      []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}, {Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443}},
		},
		Environment: cloud.Environment{
			Candidates: []cloud.Target{{InstanceID: "one", NodeName: "one", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.10.0.11"}}}},
		},
	}

	in = l.pass(in, "creation")
	l.cost("creation", "GET /lbaas/loadbalancers", "GET /floatingips", "POST /lbaas/loadbalancers")
	in = l.wait(in)
	l.cost("first look", append(whole(2), "GET /security-groups")...)
	in = l.pass(in, "nothing, at once")
	l.cost("nothing, a moment after a change", whole(2)...)
	l.rest()
	in = l.pass(in, "nothing, later")
	l.cost("nothing, of which too little is known", whole(2)...)
	in = l.pass(in, "nothing, again")
	l.cost("nothing", steady...)

	in.Candidates = nil
	for range in.Ports {
		in = l.wait(l.pass(in, "no targets"))
	}
	l.once("no targets", "PUT /lbaas/pools/*/members", "PUT /lbaas/pools/*/members")
	in.Options[option.ForwardedFor.Name] = "true"
	in.Ports = in.Ports[:1]
	for range 8 {
		in = l.wait(l.pass(in, "another protocol"))
	}
	l.once("another protocol, and a port less",
		"POST /lbaas/pools", "POST /lbaas/listeners", "DELETE /lbaas/listeners/*", "POST /lbaas/listeners", // the new listener has been tried before the old one goes
		"DELETE /lbaas/pools/*", "DELETE /lbaas/pools/*", // the old pool, and that of the port that is not wanted
		"DELETE /lbaas/listeners/*", "DELETE /lbaas/listeners/*") // the trial, and the port that is not wanted
	observed, err := l.driver.Observe(t.Context(), in)
	l.must(err)
	l.requests = nil
	_, err = l.apply(cloud.Change{Input: in, Before: observed})
	l.must(err)
	l.cost("deletion", "DELETE /lbaas/loadbalancers/*")
}

// pass makes the first change that is due, and returns the spec with what was observed.
func (l *lab) pass(in cloud.Input, what string) cloud.Input {
	l.Helper()
	observed, err := l.driver.Observe(l.Context(), in)
	l.must(err)
	in.Findings, in.ID = observed.Findings, observed.ID
	after, _, err := l.driver.Normalize(in)
	l.must(err)
	for _, c := range in.Candidates {
		after.Targets = append(after.Targets, c.InstanceID)
	}
	progress, err := l.apply(cloud.Change{Input: in, Before: observed, After: &after})
	if err != nil {
		l.Fatalf("%s: %v", what, err)
	}
	if progress.Observed != nil {
		in.ID = progress.Observed.ID
	}
	if observed.Found {
		in.Last = &observed
	}
	return in
}

// wait observes until the balancer takes changes; only the last look counts.
func (l *lab) wait(in cloud.Input) cloud.Input {
	l.Helper()
	for {
		before := len(l.requests)
		observed, err := l.driver.Observe(l.Context(), in)
		l.must(err)
		if observed.State != cloud.BalancerPending {
			in.Last = &observed
			return in
		}
		l.requests = l.requests[:before]
		if l.world != nil {
			time.Sleep(200 * time.Millisecond)
		}
	}
}

// rest lets what was read become a proof of what is.
func (l *lab) rest() {
	if l.world != nil {
		time.Sleep(4 * time.Second) // Octavia's stamps are whole seconds
	}
}

// once checks which writes there were since the last look.
func (l *lab) once(what string, want ...string) {
	l.Helper()
	l.requests = slices.DeleteFunc(l.requests, func(r string) bool { return strings.HasPrefix(r, "GET ") })
	l.cost(what, want...)
}

// apply carries out the steps of a change that are due, as the kernel does.
func (l *lab) apply(change cloud.Change) (cloud.Progress, error) {
	l.Helper()
	b, _ := composite.Balancers(cloudtest.Driver(l.driver))
	return b.Apply(l.Context(), change)
}
