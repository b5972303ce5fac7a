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

func TestSkipText(t *testing.T) {
	var skipped []skip
	for i := range 12 {
		skipped = append(skipped, skip{fmt.Sprintf("n%02d", 11-i), "it is small"})
	}
	skipped = append(skipped, skip{"x", "it is big"})
	want := "x: it is big; n00, n01, n02 and 9 more: it is small"
	if got := skipText(skipped); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestAtMost(t *testing.T) {
	ids := []cloud.InstanceID{"d", "a", "c", "b"}
	attached := []cloud.InstanceID{"c"}
	zones := map[cloud.InstanceID]string{"a": "x", "b": "x", "c": "x", "d": "y"}
	tests := []struct {
		limit       int
		zones       map[cloud.InstanceID]string
		taken, left []cloud.InstanceID
	}{
		{0, nil, []cloud.InstanceID{"a", "b", "c", "d"}, nil},
		{9, nil, []cloud.InstanceID{"a", "b", "c", "d"}, nil},
		{4, nil, []cloud.InstanceID{"a", "b", "c", "d"}, nil},
		{2, nil, []cloud.InstanceID{"a", "c"}, []cloud.InstanceID{"b", "d"}},
		{1, nil, []cloud.InstanceID{"c"}, []cloud.InstanceID{"a", "b", "d"}},
		{1, zones, []cloud.InstanceID{"c"}, []cloud.InstanceID{"d", "a", "b"}},
		{2, zones, []cloud.InstanceID{"c", "d"}, []cloud.InstanceID{"a", "b"}},
		{3, zones, []cloud.InstanceID{"a", "c", "d"}, []cloud.InstanceID{"b"}},
	}
	// Of one zone two serve already: neither makes way for the first of another one.
	if taken, _ := atMost(2, slices.Clone(ids), []cloud.InstanceID{"a", "b"}, func(id cloud.InstanceID) string { return zones[id] }); !slices.Equal(taken, []cloud.InstanceID{"a", "b"}) {
		t.Errorf("of a and b, which serve, and d of another zone: %v", taken)
	}
	for _, test := range tests {
		taken, left := atMost(test.limit, slices.Clone(ids), attached, func(id cloud.InstanceID) string { return test.zones[id] })
		if !slices.Equal(taken, test.taken) || !slices.Equal(left, test.left) {
			t.Errorf("limit %d: %v and %v, want %v and %v", test.limit, taken, left, test.taken, test.left)
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
		got, _ := targetsOf(cloud.Balancer{}, c, attached, Rules{Balancers: allEligible{}})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d doubtful machines: targets (-want +got):\n%s", doubts, diff)
		}
	}
}
