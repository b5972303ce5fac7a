package route

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// What the route controller would do, with nothing done.
func TestPlan(t *testing.T) {
	f := newFixture(run.Live)
	f.nodes = []*corev1.Node{
		node("kept", "1", "10.0.1.0/24", "fd00:1::/64"),
		node("moved", "2", "10.0.2.0/24"),
		node("new", "", "10.0.3.0/24"),
		node("partial", "4", "10.0.4.0/24"),
	}
	f.cloud.routes = []cloud.Route{
		route("r1", "10.0.1.0/24", "1"),
		route("r2", "10.0.2.0/24", "9"),
		route("r4", "10.0.4.0/24", "4"),
		route("r5", "10.0.5.0/24", "5"),
	}
	f.cloud.routes[2].Partial, f.cloud.routes[3].Blackhole = true, true
	p, err := New(f.options).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := p.Text(&text); err != nil {
		t.Fatal(err)
	}
	const want = `Routes on c
  - delete route 10.0.2.0/24: 9 (no node of this cluster has this pod network)
  - delete route 10.0.5.0/24: 5 (its machine is gone)
  + create route fd00:1::/64: kept (1) (the node has this pod network)
  + create route 10.0.2.0/24: moved (2) (the node has this pod network)
  ! blocked: node "new" has no provider id (create route 10.0.3.0/24: new)
  + create route 10.0.4.0/24: partial (4) (the node has this pod network)
Plan: 3 to create, 0 to update, 2 to delete, 1 blocked.
`
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", &text, want)
	}
	if len(f.cloud.created)+len(f.cloud.deleted) > 0 {
		t.Error("a plan was executed")
	}
}

// The brake stops the plan as it would stop the pass.
func TestPlanBraked(t *testing.T) {
	f := newFixture(run.Live)
	f.nodes = []*corev1.Node{node("a", "1")}
	f.brake.limit = 0
	f.cloud.routes = []cloud.Route{route("r2", "10.0.2.0/24", "2")}
	f.machines.exist["2"] = true
	p, err := New(f.options).Plan(t.Context())
	if _, braked := errors.AsType[*BrakeError](err); !braked || len(p.Operations) > 0 {
		t.Errorf("plan %v, error %v", p, err)
	}
}

// The route controller works on what begins or ends in a pod network.
func TestConcerned(t *testing.T) {
	m := &Manager{Options: Options{ClusterCIDRs: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/48")}}}
	for destination, want := range map[string]bool{
		"10.1.7.0/24": true, "10.1.0.0/16": true, "10.0.0.0/15": true, "fd00:1:0:7::/64": true, "fd00:1::1/128": true,
		"10.2.0.0/24": false, "0.0.0.0/0": false, "10.0.0.0/8": false, "::/0": false, "fd00:2::/64": false,
	} {
		if got := m.concerned(cloud.Route{Destination: netip.MustParsePrefix(destination)}); got != want {
			t.Errorf("%s: %t", destination, got)
		}
	}
}
