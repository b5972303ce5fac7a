package framework

import (
	"context"
	"errors"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/route"
)

func TestRoutes(t *testing.T) {
	f := &fakeRouting{list: []route.Route{
		{Name: "a", Node: "n1", Destination: netip.MustParsePrefix("10.1.0.0/24")},
		{Name: "b", Destination: netip.MustParsePrefix("fd00:1::/64"), Blackhole: true},
	}}
	retries := 0
	r := &routes{routing: f, gate: newGate(), retry: func() { retries++ }}
	got, err := r.ListRoutes(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	want := []*cloudprovider.Route{
		{Name: "a", TargetNode: "n1", DestinationCIDR: "10.1.0.0/24"},
		{Name: "b", DestinationCIDR: "fd00:1::/64", Blackhole: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
	if err := errors.Join(r.CreateRoute(context.Background(), "", "", want[0]), r.DeleteRoute(context.Background(), "", want[0])); err != nil || retries != 0 {
		t.Errorf("error %v, %d retries", err, retries)
	}
	f.err = errors.New("no")
	if r.CreateRoute(context.Background(), "", "", want[0]) == nil || r.DeleteRoute(context.Background(), "", want[0]) == nil {
		t.Error("no error")
	}
	if retries != 2 {
		t.Errorf("%d retries, want one for each failure", retries)
	}
	if list, err := r.ListRoutes(context.Background(), ""); err == nil {
		t.Errorf("a failed list is %v", list)
	}
	if r.CreateRoute(context.Background(), "", "", &cloudprovider.Route{DestinationCIDR: "x"}) == nil {
		t.Error("no error for nonsense")
	}
}
