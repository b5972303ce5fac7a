package inspect

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

func TestHappened(t *testing.T) {
	first, last := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), metav1.NewTime(time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC))
	for count, want := range map[int32]string{0: "once, at 2026-01-02 04:00:00", 1: "once, at 2026-01-02 04:00:00", 2: "2 times since 03:04:05, last at 2026-01-02 04:00:00"} {
		if got := happened(corev1.Event{Count: count, FirstTimestamp: first, LastTimestamp: last}); got != want {
			t.Errorf("%d: %q, want %q", count, got, want)
		}
	}
}

// TestPendingSince has events of a balancer that was made, and is changed since.
func TestPendingSince(t *testing.T) {
	at := func(reason string, first, last int) corev1.Event {
		when := func(minute int) metav1.Time { return metav1.NewTime(time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC)) }
		return corev1.Event{Reason: reason, FirstTimestamp: when(first), LastTimestamp: when(last)}
	}
	for name, tt := range map[string]struct {
		events []corev1.Event
		want   string
	}{
		"none":                   {nil, "working on it;"},
		"made once, changed now": {[]corev1.Event{at("EnsuringLoadBalancer", 1, 7), at("EnsuredLoadBalancer", 2, 5), at("CloudFailure", 7, 9), at("SyncLoadBalancerFailed", 8, 9)}, "working on it since 2026-01-02 03:07:00;"},
		"new":                    {[]corev1.Event{at("SyncLoadBalancerFailed", 3, 9), at("EnsuringLoadBalancer", 2, 9)}, "working on it since 2026-01-02 03:02:00;"},
		"changed elsewhere":      {[]corev1.Event{at("EnsuredLoadBalancer", 2, 5)}, "working on it;"},
	} {
		var e Explanation
		var out strings.Builder
		explainBalancer(&e, loadbalancer.Explanation{Observed: cloud.Observed{Found: true, State: cloud.BalancerPending}}, tt.events)
		if err := e.Text(&out, layout.Page{}); err != nil || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: %v, %s; want %q", name, err, out.String(), tt.want)
		}
	}
}

// A Node is no target of a load balancer that is not there, and that listens nowhere.
func TestPartsOfWhatIsNotThere(t *testing.T) {
	i := &Inspector{cluster: Cluster{Nodes: []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "worker-1"}}}}}
	for want, observed := range map[string]cloud.Observed{"": {}, "Listeners, Targets": {Found: true}} {
		var e Explanation
		i.explainParts(&e, &loadbalancer.Explanation{Observed: observed, Nodes: []loadbalancer.NodeRole{{Node: "worker-1", Machine: "7", Target: true}}})
		var got []string
		for _, s := range e.Sections {
			got = append(got, s.Title)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A health check is that of a listener or of all, and says nothing that the cloud does not.
func TestListeners(t *testing.T) {
	http := cloud.Health{Protocol: cloud.ProtocolHTTP, Port: 10256, Path: "/healthz", Interval: 10 * time.Second, Timeout: 5 * time.Second, Healthy: 2, Unhealthy: 3,
		ProviderFields: map[string]string{"proxy": "true"}}
	traffic := cloud.Health{Protocol: cloud.ProtocolTCP, Interval: 10 * time.Second}
	listeners := []cloud.Listener{
		{Protocol: cloud.ProtocolHTTPS, Port: 443, TargetProtocol: cloud.ProtocolHTTP, TargetPort: 30443, ProviderFields: map[string]string{"certificate": "c"}},
		{Protocol: cloud.ProtocolUDP, Port: 53, TargetProtocol: cloud.ProtocolUDP, TargetPort: 30053, Health: &traffic},
	}
	for want, b := range map[string]cloud.Balancer{
		"Listeners\n" +
			"  tcp/443       HTTPS to HTTP 30443\n" +
			"  udp/53        UDP to 30053           (health check: interval 10s, protocol TCP)\n" +
			"  health check  that of all listeners  (healthy 2, interval 10s, path /healthz, port 10256, protocol HTTP, proxy true, timeout 5s, unhealthy 3)\n": {Listeners: listeners, Health: &http},
		"Listeners\n! none  the load balancer listens on no port\n": {},
	} {
		var e Explanation
		var out strings.Builder
		explainListeners(&e, &b)
		if err := e.Text(&out, layout.Page{}); err != nil || !strings.HasSuffix(out.String(), want) {
			t.Errorf("%v\n%s, want\n%s", err, out.String(), want)
		}
	}
}

// What a warning says is not said again as the error.
func TestErrorIsSaidOnce(t *testing.T) {
	wrong := &cloud.Invalid{Field: "example.com/size", Value: "huge", Want: "want small"}
	for n, warnings := range [][]plan.Warning{{{Reason: "InvalidConfiguration", Message: wrong.Error()}}, nil} {
		var e Explanation
		explainPlan(&e, plan.Entry{Warnings: warnings, Error: plan.NewFailure(errors.Join(wrong))})
		if facts := e.Sections[0].Facts; len(facts) != 1 || !strings.Contains(facts[0].Value, "huge") {
			t.Errorf("%d: %+v", n, facts)
		}
	}
}
