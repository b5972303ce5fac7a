package firewall

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// TestPortsOfNodesStayClosed: a Service cannot open SSH, etcd or the kubelet to its clients, also
// where that was open before. Its other ports are, and so is its health check.
func TestPortsOfNodesStayClosed(t *testing.T) {
	f := newFixture(run.Live)
	f.cloud.firewall = cloud.ObservedFirewall{Found: true, ID: "fw", Openings: []cloud.Opening{tcp(22, 22, everyone...)}}
	f.through("attack", "1", 10256, 22, 443, 2379, 10250, 10256)
	attack := service("attack", corev1.ServiceTypeLoadBalancer, port(22, 0, "TCP"))
	node := service("node", corev1.ServiceTypeNodePort, port(80, 10250, "TCP"), port(81, 30081, "TCP"))
	for range 2 {
		if _, err := f.reconcile(t.Context(), attack, node); err != nil {
			t.Fatal(err)
		}
	}
	want := []cloud.Opening{tcp(443, 443, everyone...), tcpFrom(10256, "1"), tcp(30081, 30081, everyone...)}
	if diff := cmp.Diff(want, f.cloud.firewall.Openings, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("openings (-want +got):\n%s", diff)
	}
	if len(f.events) != 2 {
		t.Errorf("%d events, want one on each Service: %q", len(f.events), f.events)
	}
	for i, ports := range []string{"tcp/22, tcp/2379, tcp/10250, tcp/10256 ", "tcp/10250 "} {
		if i < len(f.events) && !strings.Contains(f.events[i], " FirewallPortDenied "+ports) {
			t.Errorf("event %q, want FirewallPortDenied for %s", f.events[i], ports)
		}
	}
}

// TestBadServiceHoldsNoDeniedPort: what a Service with a bad annotation keeps is not more than
// what a good one may have.
func TestBadServiceHoldsNoDeniedPort(t *testing.T) {
	f := newFixture(run.Live)
	f.cloud.firewall = cloud.ObservedFirewall{Found: true, ID: "fw", Openings: []cloud.Opening{tcp(22, 22, everyone...), tcp(443, 443, a)}}
	f.balancers["bad"] = cloud.Balancer{Name: "panic"}
	_, _ = f.reconcile(t.Context(), service("bad", corev1.ServiceTypeLoadBalancer, port(22, 0, "TCP"), port(443, 0, "TCP")))
	if diff := cmp.Diff([]cloud.Opening{tcp(443, 443, a)}, f.cloud.firewall.Openings, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("openings (-want +got):\n%s", diff)
	}
}

// TestBadServiceHoldsNothingOfOthers: a Service with a bad annotation that names another's port
// does not keep it open when the other goes.
func TestBadServiceHoldsNothingOfOthers(t *testing.T) {
	f := newFixture(run.Live)
	f.through("web", "1", 10256, 443)
	if _, err := f.reconcile(t.Context(), service("web", corev1.ServiceTypeLoadBalancer, port(443, 0, "TCP"))); err != nil {
		t.Fatal(err)
	}
	f.balancers["bad"] = cloud.Balancer{Name: "panic"}
	for range 2 {
		_, _ = f.reconcile(t.Context(), service("bad", corev1.ServiceTypeLoadBalancer, port(443, 0, "TCP")))
	}
	if len(f.cloud.firewall.Openings) > 0 {
		t.Errorf("open: %s", list(f.cloud.firewall.Openings))
	}
}

func TestCut(t *testing.T) {
	mixed := tcp(20, 30, everyone...)
	mixed.Balancers = []string{"1"}
	check := tcpFrom(22, "1")
	tests := map[string]struct {
		ports       []string
		in          cloud.Opening
		kept, taken []cloud.Opening
	}{
		"none":         {nil, tcp(22, 22, a), []cloud.Opening{tcp(22, 22, a)}, nil},
		"all of it":    {[]string{"22"}, udp(tcp(22, 22, a)), nil, []cloud.Opening{udp(tcp(22, 22, a))}},
		"in a range":   {[]string{"22", "24-25"}, tcp(20, 30, a), []cloud.Opening{tcp(20, 21, a), tcp(23, 23, a), tcp(26, 30, a)}, []cloud.Opening{tcp(22, 22, a), tcp(24, 25, a)}},
		"at its ends":  {[]string{"1-20", "30-99"}, tcp(20, 30, a), []cloud.Opening{tcp(21, 29, a)}, []cloud.Opening{tcp(20, 20, a), tcp(30, 30, a)}},
		"a check":      {[]string{"22"}, check, []cloud.Opening{check}, nil},
		"both at once": {[]string{"20-30"}, mixed, []cloud.Opening{{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 20, To: 30}, Balancers: []string{"1"}}}, []cloud.Opening{tcp(20, 30, everyone...)}},
	}
	for name, test := range tests {
		ports, err := ParsePorts(test.ports)
		if err != nil {
			t.Fatal(err)
		}
		kept, taken := ports.cut([]cloud.Opening{test.in})
		if diff := cmp.Diff(test.kept, kept, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: kept (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(test.taken, taken, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: taken (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzParsePorts(f *testing.F) {
	for _, seed := range append(DefaultDenied(), "", " 22 ", "0", "65536", "9-1", "1-2-3", "-", "+22", "a") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ports, err := ParsePorts([]string{text})
		for _, r := range ports {
			if err != nil || r.From < 1 || r.To > 65535 || r.From > r.To {
				t.Errorf("ParsePorts(%q) = %v, %v", text, ports, err)
			}
		}
		if err == nil && len(ports) == 0 && strings.TrimSpace(text) != "" {
			t.Errorf("ParsePorts(%q) found nothing and nothing wrong", text)
		}
	})
}
