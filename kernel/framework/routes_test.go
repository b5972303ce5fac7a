package framework

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/route"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

func TestRoutes(t *testing.T) {
	f := &fakeRouting{list: []route.Route{
		{Name: "a", Node: "n1", Destination: netip.MustParsePrefix("10.1.0.0/24")},
		{Name: "b", Destination: netip.MustParsePrefix("fd00:1::/64"), Blackhole: true},
	}}
	retries := 0
	r := &routes{routing: f, calls: drain.New(), retry: func() { retries++ }}
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

// In a full network no pass is asked for before a route is gone, and the controller's events about it, which have the time
// of each attempt in them, are dropped.
func TestFullNetwork(t *testing.T) {
	f, retries := &fakeRouting{err: &route.FullError{Most: 100}}, 0
	r := &routes{routing: f, calls: drain.New(), retry: func() { retries++ }}
	failed := &corev1.Event{Reason: "FailedToCreateRoute", InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "n101"}}
	change := &cloudprovider.Route{TargetNode: "n101", DestinationCIDR: "10.1.0.0/24"}
	if err := r.CreateRoute(t.Context(), "", "", change); err == nil || retries != 0 || !r.quiet(failed) {
		t.Errorf("%v, %d retries, quiet: %t", err, retries, r.quiet(failed))
	}
	f.err = nil
	if err := r.DeleteRoute(t.Context(), "", change); err != nil || retries != 1 {
		t.Errorf("after a deletion: %v, %d retries", err, retries)
	}
	if err := r.DeleteRoute(t.Context(), "", change); err != nil || retries != 1 || r.quiet(failed) {
		t.Errorf("nobody waits: %v, %d retries, quiet: %t", err, retries, r.quiet(failed))
	}
	if (*routes)(nil).quiet(failed) {
		t.Error("without routes events are dropped")
	}
}

// Of a route that the cloud refused no pass is asked for before its pause is over, however often it is tried meanwhile.
func TestRefusedRouteWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeRouting{err: &route.RefusedError{Pause: time.Minute, Err: errors.New("no")}}
		var retries atomic.Int32
		r := &routes{routing: f, calls: drain.New(), retry: func() { retries.Add(1) }}
		failed := &corev1.Event{Reason: "FailedToCreateRoute", InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "n1"}}
		for range 3 {
			if err := r.CreateRoute(t.Context(), "", "", &cloudprovider.Route{TargetNode: "n1", DestinationCIDR: "10.1.0.0/24"}); err == nil || retries.Load() != 0 || !r.quiet(failed) {
				t.Errorf("%v, %d retries, quiet: %t", err, retries.Load(), r.quiet(failed))
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := retries.Load(); got != 1 {
			t.Errorf("%d retries after the pause, want 1", got)
		}
	})
}

// fleet is a driver with six machines, a route to each of them.
type fleet struct{ routed }

func (f *fleet) Instances() cloud.Instances { return &hosts{} }

type hosts struct{ cloud.Instances }

func (h *hosts) ParseProviderID(id string) (cloud.InstanceID, error) {
	return cloud.InstanceID(strings.TrimPrefix(id, "stub://")), nil
}

func (h *hosts) List(context.Context) (cloud.InstanceList, error) {
	list := cloud.InstanceList{Complete: true}
	for n := range 6 {
		id := strconv.Itoa(n)
		list.Items = append(list.Items, cloud.Instance{ID: cloud.InstanceID(id), ProviderID: "stub://" + id, Name: id, State: cloud.StateRunning})
	}
	return list, nil
}

func (f *fleet) ListRoutes(context.Context, cloud.Owner) ([]cloud.Route, error) {
	var routes []cloud.Route
	for n := range 6 {
		destination := netip.MustParsePrefix(fmt.Sprintf("10.0.%d.0/24", n))
		routes = append(routes, cloud.Route{Name: destination.String(), Destination: destination, Target: cloud.InstanceID(strconv.Itoa(n))})
	}
	return routes, nil
}

// leads starts a process that leads: one of the six machines has a Node. It returns the process and
// what its events say of routes.
func leads(t *testing.T, server *fake.Clientset) (*Cloud, func() string) {
	t.Helper()
	c := newCloud(t, &fleet{})
	_, network, _ := net.ParseCIDR("10.0.0.0/16")
	nodes := cluster(t).Core().V1().Nodes()
	only := node("0", "stub://0")
	only.Spec.PodCIDR, only.Spec.PodCIDRs = "10.0.0.0/24", []string{"10.0.0.0/24"}
	put(t, nodes.Informer(), only)
	c.nodes = view.NewNodes(nodes, c.mine)
	c.keepRecords(server.CoordinationV1().Leases("kube-system"), "kube-system", "ccm", func() time.Time { return time.Time{} })
	c.prepareRoutes([]*net.IPNet{network})
	events := &log{}
	c.recorder.Broadcaster.StartEventWatcher(func(e *corev1.Event) {
		if strings.Contains(e.Message, " routes ") { // another brake tells of Nodes
			events.Add(e.InvolvedObject.Name + " " + e.Reason + ": " + e.Message)
		}
	})
	t.Cleanup(c.recorder.Broadcaster.Shutdown)
	return c, func() string {
		synctest.Wait()
		return strings.Join(events.Take(), "\n")
	}
}

// A release lets the routes go that this leader held back by then. How many that are is said: another
// leader held none, and the release has to be given again.
func TestReleaseOfRoutesIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fake.NewClientset(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "ccm"}})
		leases := server.CoordinationV1().Leases("kube-system")
		list := func(c *Cloud, want bool) {
			t.Helper()
			time.Sleep(10 * time.Second)
			_, err := c.routes.ListRoutes(t.Context(), "")
			if _, held := errors.AsType[*route.BrakeError](err); held == want {
				t.Fatalf("routes held: %v", err)
			}
		}
		release := func() {
			lease, err := leases.Get(t.Context(), "ccm", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			metav1.SetMetaDataAnnotation(&lease.ObjectMeta, safety.AnnotationReleasedAt, time.Now().UTC().Format(time.RFC3339))
			if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		first, _ := leads(t, server)
		list(first, false)
		release()
		next, told := leads(t, server)
		list(next, false)
		list(next, false)
		if got := told(); strings.Count(got, "ccm DeletionBrakeReleased") != 1 || !strings.Contains(got, " 0 routes") || !strings.Contains(got, "release again") {
			t.Errorf("told of the lost release: %q", got)
		}
		release()
		list(next, false) // reads it
		list(next, true)
		if got := told(); strings.Count(got, "ccm DeletionBrakeReleased") != 1 || !strings.Contains(got, " 5 routes") || strings.Contains(got, "again") {
			t.Errorf("told of the release: %q", got)
		}
	})
}

// narrow is a fleet whose network does not lead to machine 5.
type narrow struct{ fleet }

func (n *narrow) RoutesTo(id cloud.InstanceID) bool { return id != "5" }

func (n *narrow) RoutesFor(netip.Prefix) bool { return true }

// The route controller sees no Node that is not in the network, or not initialised: it would report it as unreachable.
func TestNodesOutsideOfTheNetwork(t *testing.T) {
	c := newCloud(t, &narrow{})
	for id, want := range map[string]bool{"stub://4": true, "stub://5": false, "": false} {
		if got := c.routable(node("n", id)); got != want {
			t.Errorf("%q: %t", id, got)
		}
	}
	if c := newCloud(t, &fleet{}); !c.routable(node("n", "stub://5")) {
		t.Error("a network that leads everywhere leads not to machine 5")
	}
}
