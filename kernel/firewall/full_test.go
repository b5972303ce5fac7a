package firewall

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// scattered returns a NodePort Service with n node ports that have gaps between them.
func scattered(namespace, name string, first int32, n int) *corev1.Service {
	var ports []corev1.ServicePort
	for i := range int32(n) {
		ports = append(ports, port(80+i, first+2*i, "TCP"))
	}
	return with(service(name, corev1.ServiceTypeNodePort, ports...), func(s *corev1.Service) { s.Namespace = namespace })
}

// TestOneNamespaceDoesNotFreezeTheFirewall: fifty scattered node ports are more than the
// firewall holds. What nobody wants is closed all the same, and the other namespaces have
// their ports.
func TestOneNamespaceDoesNotFreezeTheFirewall(t *testing.T) {
	f := newLimited(run.Live, 10)
	f.cloud.refuses = 10
	gone := scattered("shop", "gone", 32000, 1)
	if _, err := f.reconcile(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	greedy, other := scattered("greedy", "many", 30000, 50), scattered("shop", "web", 31001, 2)
	if _, err := f.reconcile(t.Context(), greedy, other); err != nil {
		t.Error(err)
	}
	if len(admitted(f.cloud.firewall.Openings, 32000)) > 0 {
		t.Error("the port of a deleted Service is still open")
	}
	for _, port := range []int{31001, 31003} {
		if len(admitted(f.cloud.firewall.Openings, port)) == 0 {
			t.Errorf("port %d of the other namespace is closed", port)
		}
	}
	if n := len(f.cloud.firewall.Openings); n != 10 {
		t.Errorf("%d rules, want all 10 to be used", n)
	}
}

// gauge keeps the last value of a metric.
type gauge struct {
	metric.Discard
	value float64
}

func (g *gauge) Set(_ *metric.Definition, value float64, _ ...string) { g.value = value }

// TestLeftOutIsSaid: once on each Service concerned, and in a metric.
func TestLeftOutIsSaid(t *testing.T) {
	f := newLimited(run.Live, 10)
	g := &gauge{}
	f.manager.Metrics = g
	services := []*corev1.Service{scattered("greedy", "many", 30000, 20), scattered("shop", "web", 31001, 2), scattered("greedy", "few", 32000, 4)}
	for range 3 {
		if _, err := f.reconcile(t.Context(), services...); err != nil {
			t.Fatal(err)
		}
	}
	want := recorder{
		"Service greedy/many FirewallFull tcp/30008, tcp/30010, tcp/30012, tcp/30014, tcp/30016, tcp/30018, tcp/30020, tcp/30022, tcp/30024, tcp/30026, 6 more stays closed on the nodes: the cloud's firewall holds 10 rules, which namespaces share; adjoining ports with the same source ranges are one rule",
	}
	if diff := cmp.Diff(want, f.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if g.value != 16 {
		t.Errorf("the metric is %g, want 16", g.value)
	}
	if _, err := f.reconcile(t.Context(), services[1]); err != nil || g.value != 0 {
		t.Errorf("with room for all the metric is %g, want 0 (%v)", g.value, err)
	}
}

// TestClosingsHappenWhenTheCloudRefuses: the cloud takes less than it says. What nobody wants
// is closed, what was open and is wanted stays, nothing is opened.
func TestClosingsHappenWhenTheCloudRefuses(t *testing.T) {
	f := newFixture(run.Live)
	stays, gone := scattered("shop", "stays", 30000, 2), scattered("shop", "gone", 32000, 2)
	if _, err := f.reconcile(t.Context(), stays, gone); err != nil {
		t.Fatal(err)
	}
	f.cloud.refuses = 5
	for range 2 {
		_, err := f.reconcile(t.Context(), stays, scattered("shop", "fresh", 31001, 9))
		if !cloud.IsClass(err, cloud.FailureQuota) {
			t.Errorf("error = %v, want that of the cloud", err)
		}
		for port, open := range map[int]bool{30000: true, 30002: true, 32000: false, 32002: false, 31001: false} {
			if got := len(admitted(f.cloud.firewall.Openings, port)) > 0; got != open {
				t.Errorf("port %d is open: %v, want %v", port, got, open)
			}
		}
	}
	if f.cloud.applied != 4 { // the first pass, refused, closed, refused
		t.Errorf("%d writes, want 4", f.cloud.applied)
	}
}

func (f *fakeCloud) refuse(openings []cloud.Opening) error {
	poisoned := f.poison > 0 && len(admitted(openings, f.poison)) > 0
	if !poisoned && (f.refuses == 0 || len(openings) <= f.refuses) {
		return nil
	}
	return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureQuota}, Op: "applying", Err: fmt.Errorf("%d rules", len(openings))}
}
