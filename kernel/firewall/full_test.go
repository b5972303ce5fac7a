package firewall

import (
	"fmt"
	"strings"
	"testing"
	"time"

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
// firewall holds. What nobody wants is closed all the same, and the other namespaces keep
// their ports, also when the process is a new one.
func TestOneNamespaceDoesNotFreezeTheFirewall(t *testing.T) {
	f := newLimited(run.Live, 10)
	f.cloud.refuses = 10
	gone, greedy, other := scattered("shop", "gone", 32000, 1), scattered("greedy", "many", 30000, 50), scattered("shop", "web", 31001, 2)
	if _, err := f.reconcile(t.Context(), gone, other); err != nil {
		t.Fatal(err)
	}
	for range 2 {
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
		f.manager = New(f.manager.Options)
	}
}

// TestWhatBecomesFree is the oldest Service's that waits, whichever came first to the firewall.
func TestWhatBecomesFree(t *testing.T) {
	f := newLimited(run.Live, 2)
	first, older, younger := scattered("shop", "first", 32000, 2), scattered("b", "older", 30000, 1), scattered("a", "younger", 31000, 1)
	first.CreationTimestamp.Time, older.CreationTimestamp.Time, younger.CreationTimestamp.Time = time.Unix(9, 0), time.Unix(1, 0), time.Unix(2, 0)
	less := scattered("shop", "first", 32000, 1)
	less.CreationTimestamp = first.CreationTimestamp
	for i, step := range []struct {
		services []*corev1.Service
		want     string
	}{
		{[]*corev1.Service{first}, "tcp/32000, tcp/32002"},
		{[]*corev1.Service{younger, first}, "tcp/32000, tcp/32002"},
		{[]*corev1.Service{younger, first, older}, "tcp/32000, tcp/32002"},
		{[]*corev1.Service{younger, less, older}, "tcp/30000, tcp/32000"},
		{[]*corev1.Service{younger, first, older}, "tcp/30000, tcp/32000"},
		{[]*corev1.Service{younger, first}, "tcp/31000, tcp/32000"},
	} {
		if _, err := f.reconcile(t.Context(), step.services...); err != nil {
			t.Fatal(err)
		}
		if got := list(f.cloud.firewall.Openings); got != step.want {
			t.Errorf("step %d: open are %s, want %s", i, got, step.want)
		}
	}
}

// TestCheckOfALaterBalancer: the ports of a balancer are open before it has an id. Its health check has the room
// that is free, or that of one of its ports, before an older Service that waits.
func TestCheckOfALaterBalancer(t *testing.T) {
	f := newLimited(run.Live, 3)
	first, older := scattered("shop", "first", 32000, 1), scattered("shop", "older", 31000, 3)
	web := service("web", corev1.ServiceTypeLoadBalancer, port(443, 30002, "TCP"))
	older.CreationTimestamp.Time, web.CreationTimestamp.Time = time.Unix(1, 0), time.Unix(9, 0)
	for i, step := range []struct {
		id       string
		ports    []int
		services []*corev1.Service
		want     string
	}{
		{"", []int{443}, []*corev1.Service{first, web}, "tcp/443, tcp/32000"},
		{"1", []int{443}, []*corev1.Service{first, web, older}, "tcp/443, tcp/10256, tcp/32000"},
		{"", []int{443, 445}, []*corev1.Service{first, web}, "tcp/443, tcp/445, tcp/32000"},
		{"1", []int{443, 445}, []*corev1.Service{first, web, older}, "tcp/443, tcp/10256, tcp/32000"},
		{"2", []int{443, 445}, []*corev1.Service{first, web, older}, "tcp/443, tcp/10256, tcp/32000"},
	} {
		f.through("web", step.id, 10256, step.ports...)
		if _, err := f.reconcile(t.Context(), step.services...); err != nil {
			t.Fatal(err)
		}
		if got := list(f.cloud.firewall.Openings); got != step.want {
			t.Errorf("step %d: open are %s, want %s", i, got, step.want)
		}
	}
	if check := f.cloud.firewall.Openings[1]; sourcesOf(check) != "balancer 2" {
		t.Errorf("the check is open to %s, want that of the present balancer", sourcesOf(check))
	}
}

// TestExchangedSources: other source ranges are no reason to lose a port, whoever waits.
func TestExchangedSources(t *testing.T) {
	f := newLimited(run.Live, 2)
	older, web := scattered("shop", "older", 31000, 1), service("web", corev1.ServiceTypeLoadBalancer, port(443, 30002, "TCP"))
	older.CreationTimestamp.Time, web.CreationTimestamp.Time = time.Unix(1, 0), time.Unix(9, 0)
	f.through("web", "1", 10256, 443)
	for _, ranges := range []string{a, b, c} {
		web.Spec.LoadBalancerSourceRanges = []string{ranges}
		services := []*corev1.Service{web, older}
		if ranges == a {
			services = services[:1]
		}
		if _, err := f.reconcile(t.Context(), services...); err != nil {
			t.Fatal(err)
		}
		if open := f.cloud.firewall.Openings; list(open) != "tcp/443, tcp/10256" || sourcesOf(open[0]) != ranges {
			t.Errorf("open are %s, to %s; want 443 to %s", list(open), sourcesOf(open[0]), ranges)
		}
	}
}

// TestRoomIsNoEvent: that rules become free, which are too few for who waits, is no news.
func TestRoomIsNoEvent(t *testing.T) {
	f := newLimited(run.Live, 2)
	f.through("web", "1", 10256, 443)
	web := service("web", corev1.ServiceTypeLoadBalancer, port(443, 30002, "TCP"))
	for _, n := range []int{2, 1} {
		if _, err := f.reconcile(t.Context(), web, scattered("shop", "first", 32000, n)); err != nil {
			t.Fatal(err)
		}
		if n == 2 {
			web.CreationTimestamp.Time = time.Unix(9, 0)
		}
	}
	if len(f.events) != 1 {
		t.Errorf("events %q, want one", f.events)
	}
}

// gauge keeps the last value of a metric.
type gauge struct {
	metric.Discard
	value float64
}

func (g *gauge) Set(_ *metric.Definition, value float64, _ ...string) { g.value = value }

// TestLeftOutIsSaid: once on each Service concerned, and in a metric. Nobody learns a name of
// another namespace.
func TestLeftOutIsSaid(t *testing.T) {
	f := newLimited(run.Live, 10)
	g := &gauge{}
	f.manager.Metrics = g
	services := []*corev1.Service{
		scattered("greedy", "many", 30000, 20), scattered("shop", "web", 31001, 2), scattered("greedy", "few", 32000, 4), scattered("shop", "api", 32101, 1),
	}
	for i, svc := range services {
		svc.CreationTimestamp.Time = time.Unix(int64(i), 0)
	}
	for range 3 {
		if _, err := f.reconcile(t.Context(), services...); err != nil {
			t.Fatal(err)
		}
	}
	const end = "; adjoining ports with the same source ranges are one rule"
	want := recorder{
		"Service greedy/many FirewallFull the cloud's firewall, which holds 10 rules, has no room for tcp/30020, tcp/30022, tcp/30024, tcp/30026, tcp/30028, tcp/30030, tcp/30032, tcp/30034, tcp/30036, tcp/30038; rules wanted: 10; free ones go to the oldest Service that waits; before this one: none" + end,
		"Service shop/web FirewallFull the cloud's firewall, which holds 10 rules, has no room for tcp/31001, tcp/31003; rules wanted: 2; free ones go to the oldest Service that waits; before this one: 1 of other namespaces" + end,
		"Service greedy/few FirewallFull the cloud's firewall, which holds 10 rules, has no room for tcp/32000, tcp/32002, tcp/32004, tcp/32006; rules wanted: 4; free ones go to the oldest Service that waits; before this one: many, 1 of other namespaces" + end,
		"Service shop/api FirewallFull the cloud's firewall, which holds 10 rules, has no room for tcp/32101; rules wanted: 1; free ones go to the oldest Service that waits; before this one: web, 2 of other namespaces" + end,
	}
	if diff := cmp.Diff(want, f.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if g.value != 17 {
		t.Errorf("the metric is %g, want 17", g.value)
	}
	if _, err := f.reconcile(t.Context(), services[1]); err != nil || g.value != 0 {
		t.Errorf("with room for all the metric is %g, want 0 (%v)", g.value, err)
	}
}

// TestManyThatWait: a long queue is not counted, so that one Service that goes is not an event on all.
func TestManyThatWait(t *testing.T) {
	f := newLimited(run.Live, 1)
	var services []*corev1.Service
	for i := range 40 {
		svc := scattered("shop", fmt.Sprintf("s%02d", i), int32(30000+2*i), 1)
		svc.CreationTimestamp.Time = time.Unix(int64(i), 0)
		services = append(services, svc)
	}
	if _, err := f.reconcile(t.Context(), services...); err != nil {
		t.Fatal(err)
	}
	if n := len(f.events); n != 39 || !strings.Contains(f.events[38], "before this one: 10 Services or more;") {
		t.Errorf("%d events, the last is %q", n, f.events[n-1])
	}
	if _, err := f.reconcile(t.Context(), services[1:]...); err != nil {
		t.Fatal(err)
	}
	if n := len(f.events); n != 39+10 {
		t.Errorf("%d events more, want 10", n-39)
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

// TestCheckWithoutPorts: of a Service whose ports are all denied the health check is not opened either, and does not wait.
func TestCheckWithoutPorts(t *testing.T) {
	f := newLimited(run.Live, 1)
	f.through("web", "1", 10256, 22)
	services := []*corev1.Service{service("web", corev1.ServiceTypeLoadBalancer, port(22, 30002, "TCP")), scattered("shop", "first", 32000, 1)}
	if _, err := f.reconcile(t.Context(), services...); err != nil {
		t.Fatal(err)
	}
	if got := list(f.cloud.firewall.Openings); got != "tcp/32000" {
		t.Errorf("open are %s, want tcp/32000", got)
	}
	if len(f.events) != 1 || !strings.Contains(f.events[0], "FirewallPortDenied") {
		t.Errorf("events %q, want FirewallPortDenied alone", f.events)
	}
}
