package target

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// allEligible is a cloud that takes every machine.
type allEligible struct{ cloud.Balancers }

func (allEligible) Eligible(cloud.Balancer, cloud.Target) string { return "" }

func TestSkips(t *testing.T) {
	skipped := skips{}
	for i := range 12 {
		skipped.add(fmt.Sprintf("n%02d", 11-i), "it is small")
	}
	skipped.add("x", "it is big")
	want := "x: it is big; n00, n01, n02 and 9 more: it is small"
	if got := skipped.String(); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestAtMost(t *testing.T) {
	zones := map[cloud.InstanceID]string{"a": "x", "b": "x", "c": "x", "d": "y"}
	for _, test := range []struct {
		limit    int
		zones    map[cloud.InstanceID]string
		attached []cloud.InstanceID
		taken    []cloud.InstanceID
		left     string
	}{
		{0, nil, []cloud.InstanceID{"c"}, []cloud.InstanceID{"a", "b", "c", "d"}, ""},
		{9, nil, []cloud.InstanceID{"c"}, []cloud.InstanceID{"a", "b", "c", "d"}, ""},
		{4, nil, []cloud.InstanceID{"c"}, []cloud.InstanceID{"a", "b", "c", "d"}, ""},
		{2, nil, []cloud.InstanceID{"c"}, []cloud.InstanceID{"a", "c"}, "node-b, node-d"},
		{1, nil, []cloud.InstanceID{"c"}, []cloud.InstanceID{"c"}, "node-a, node-b, node-d"},
		{1, zones, []cloud.InstanceID{"c"}, []cloud.InstanceID{"c"}, "node-a, node-b, node-d"},
		{2, zones, []cloud.InstanceID{"c"}, []cloud.InstanceID{"c", "d"}, "node-a, node-b"},
		{3, zones, []cloud.InstanceID{"c"}, []cloud.InstanceID{"a", "c", "d"}, "node-b"},
		// More serve than there are places.
		{1, zones, []cloud.InstanceID{"d", "b"}, []cloud.InstanceID{"b"}, "node-a, node-c, node-d"},
		// What serves and is no candidate any more takes no place.
		{2, nil, []cloud.InstanceID{"gone", "c"}, []cloud.InstanceID{"a", "c"}, "node-b, node-d"},
		// Of one zone two serve already: neither makes way for the first of another one.
		{2, zones, []cloud.InstanceID{"a", "b"}, []cloud.InstanceID{"a", "b"}, "node-c, node-d"},
	} {
		var c Candidates
		for _, id := range []cloud.InstanceID{"a", "b", "c", "d"} {
			c.Targets = append(c.Targets, cloud.Target{InstanceID: id, NodeName: "node-" + string(id), Zone: test.zones[id]})
		}
		left := skips{}
		taken := targetsOf(cloud.Balancer{}, c, test.attached, Rules{Balancers: allEligible{}, Limit: test.limit}, left.add)
		want := ""
		if test.left != "" {
			want = fmt.Sprintf("%s: a balancer has at most %d targets", test.left, test.limit)
		}
		if got := left.String(); !slices.Equal(taken, test.taken) || got != want {
			t.Errorf("limit %d, attached %v: %v and %q, want %v and %q", test.limit, test.attached, taken, got, test.taken, want)
		}
	}
}

// A target of which only the address is known may be that of a machine that can't be read.
func TestUnknownTargetsStayWhileMachinesAreDoubtful(t *testing.T) {
	known := cloud.Target{InstanceID: "a", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}}}
	observed := cloud.Observed{Balancer: cloud.Balancer{Targets: []cloud.InstanceID{cloud.UnknownInstance("10.0.0.1"), cloud.UnknownInstance("10.0.0.9")}}}
	attached := observed.Resolve([]cloud.Target{known}).Balancer.Targets
	if diff := cmp.Diff([]cloud.InstanceID{cloud.UnknownInstance("10.0.0.9"), "a"}, attached); diff != "" {
		t.Fatalf("targets by address (-want +got):\n%s", diff)
	}
	for doubts, want := range map[int][]cloud.InstanceID{0: {"a"}, 1: {cloud.UnknownInstance("10.0.0.9"), "a"}} {
		c := Candidates{Targets: []cloud.Target{known}, unknown: make([]unknownTarget, doubts)}
		got := targetsOf(cloud.Balancer{}, c, attached, Rules{Balancers: allEligible{}}, skips{}.add)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d doubtful machines: targets (-want +got):\n%s", doubts, diff)
		}
	}
}
