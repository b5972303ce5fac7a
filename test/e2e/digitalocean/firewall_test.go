package digitalocean_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// everyone is the sources of a rule for all clients.
const everyone = "0.0.0.0/0 ::/0"

// admits returns who may reach a port of the nodes through the firewall: networks and
// balancers, sorted, "" when nobody may.
func admits(f *do.Firewall, protocol string, port int) string {
	var sources []string
	for _, r := range f.InboundRules {
		if r.Protocol != protocol || !holds(r.Ports, port) {
			continue
		}
		sources = append(sources, r.Sources.Addresses...)
		for _, id := range r.Sources.LoadBalancerUIDs {
			sources = append(sources, "balancer "+id)
		}
	}
	slices.Sort(sources)
	return strings.Join(slices.Compact(sources), " ")
}

// holds reports whether a port is among "80", "80-90" or "0", which means all.
func holds(ports string, port int) bool {
	low, high, isRange := strings.Cut(ports, "-")
	if !isRange {
		high = low
	}
	from, _ := strconv.Atoi(low)
	to, _ := strconv.Atoi(high)
	return ports == "0" || from <= port && port <= to
}

// firewall waits until the managed firewall is as check wants it.
func firewall(t *testing.T, check func(*do.Firewall) error) do.Firewall {
	t.Helper()
	last := errors.New("there is no firewall")
	var found do.Firewall
	err := env.Cloud.Await(within(t), func(state do.State) bool {
		for _, f := range state.Firewalls {
			if f.Name == firewallName {
				found = f
				last = check(&f)
			}
		}
		return last == nil
	})
	if err != nil {
		t.Fatalf("waiting for the firewall: %v; last state: %v; its rules: %+v", err, last, found.InboundRules)
	}
	return found
}

// opens waits until exactly these sources reach a port.
func opens(t *testing.T, protocol string, port int, sources string) {
	t.Helper()
	firewall(t, func(f *do.Firewall) error {
		if err := same(admits(f, protocol, port), sources); err != nil {
			return fmt.Errorf("%s/%d: %w", protocol, port, err)
		}
		return nil
	})
}

// exposed makes a Service of type NodePort.
func exposed(t *testing.T, annotations map[string]string, ports ...corev1.ServicePort) *service {
	t.Helper()
	return create(t, annotations, func(svc *corev1.Service) {
		svc.Spec.Type, svc.Spec.Ports = corev1.ServiceTypeNodePort, ports
	})
}

func (s *service) nodePort(i int) int { return int(s.get().Spec.Ports[i].NodePort) }

// own makes a Service of type LoadBalancer with one port that no other Service here has.
func own(t *testing.T, annotations map[string]string, edits ...func(*corev1.Service)) (*service, int) {
	t.Helper()
	port := 20_000 + int(serial.Add(1))
	edits = append(edits, func(svc *corev1.Service) { svc.Spec.Ports = []corev1.ServicePort{tcp(int32(port))} })
	return create(t, annotations, edits...), port
}

func TestFirewallNodePorts(t *testing.T) {
	parallel(t)
	s := exposed(t, nil, tcp(80), udp(53))
	web, dns := s.nodePort(0), s.nodePort(1)
	opens(t, "tcp", web, everyone)
	opens(t, "udp", dns, everyone)
	s.edit(func(svc *corev1.Service) { svc.Spec.Ports = svc.Spec.Ports[:1] })
	opens(t, "udp", dns, "")
	opens(t, "tcp", web, everyone)
	s.edit(func(svc *corev1.Service) { svc.Spec.Type = corev1.ServiceTypeClusterIP })
	opens(t, "tcp", web, "")
}

// TestFirewallManaged: false closes what the Service needs, whatever its type; a value that
// is none counts as true.
func TestFirewallManaged(t *testing.T) {
	parallel(t)
	for _, key := range []string{portable + "firewall-managed", "kubernetes.digitalocean.com/firewall-managed"} {
		t.Run(key, func(t *testing.T) {
			parallel(t)
			s := exposed(t, map[string]string{key: "perhaps"}, tcp(80))
			port := s.nodePort(0)
			opens(t, "tcp", port, everyone)
			s.event("ConfigurationIgnored", key, "perhaps", `"true" or "false"`)
			s.annotate(map[string]string{key: "false"})
			opens(t, "tcp", port, "")
			s.unset(key)
			opens(t, "tcp", port, everyone)

			balanced, port := own(t, map[string]string{key: "false"})
			b := balanced.balancer(active)
			balanced.ready()
			opens(t, "tcp", port, "")
			balanced.unset(key)
			opens(t, "tcp", port, everyone)
			firewall(t, func(f *do.Firewall) error { return includes(f, 10256, b.ID) })
		})
	}
}

// includes returns nil when the balancer reaches the port.
func includes(f *do.Firewall, port int, id string) error {
	if got := admits(f, "tcp", port); !strings.Contains(got, "balancer "+id) || strings.Contains(got, "/") {
		return fmt.Errorf("tcp/%d is open for %q and should be for balancer %s", port, got, id)
	}
	return nil
}

// TestFirewallBalancers: packets of a REGIONAL_NETWORK balancer arrive as the clients sent
// them; its health check comes from the balancer. Others come over the VPC.
func TestFirewallBalancers(t *testing.T) {
	parallel(t)
	local := func(svc *corev1.Service) { svc.Spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyLocal }
	limited := func(svc *corev1.Service) {
		svc.Spec.LoadBalancerSourceRanges = []string{"203.0.113.0/24", "2001:db8::/32"}
	}
	for name, test := range map[string]struct {
		annotations map[string]string
		edit        func(*corev1.Service)
		sources     string
		health      func(*corev1.Service) int
	}{
		"network":           {nil, nil, everyone, func(*corev1.Service) int { return 10256 }},
		"source ranges":     {nil, limited, "2001:db8::/32 203.0.113.0/24", func(*corev1.Service) int { return 10256 }},
		"allow rules":       {with("allow-rules", "ip:192.0.2.1"), nil, "192.0.2.1/32", func(*corev1.Service) int { return 10256 }},
		"local":             {nil, local, everyone, func(svc *corev1.Service) int { return int(svc.Spec.HealthCheckNodePort) }},
		"overridden health": {with("override-health-check", "true"), nil, everyone, func(svc *corev1.Service) int { return int(svc.Spec.Ports[0].NodePort) }},
		"internal":          {with("network", "INTERNAL"), nil, "", nil},
		"regional":          {regional(), nil, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			var edits []func(*corev1.Service)
			if test.edit != nil {
				edits = append(edits, test.edit)
			}
			s, port := own(t, test.annotations, edits...)
			svc, b := s.ready()
			if test.health == nil {
				probe, open := own(t, nil) // what comes later shows that the firewall was looked at
				probe.ready()
				opens(t, "tcp", open, everyone)
				opens(t, "tcp", port, "")
				return
			}
			opens(t, "tcp", port, test.sources)
			firewall(t, func(f *do.Firewall) error { return includes(f, test.health(svc), b.ID) })
			if nodePort := int(svc.Spec.Ports[0].NodePort); test.health(svc) != nodePort {
				opens(t, "tcp", nodePort, "")
			}
			s.remove()
			opens(t, "tcp", port, "")
		})
	}
}

// TestFirewallOfABadService: one Service that asks for nonsense keeps what it has and does
// not stop the others. Upstream updates no rule any more.
func TestFirewallOfABadService(t *testing.T) {
	parallel(t)
	bad, port := own(t, nil)
	bad.ready()
	opens(t, "tcp", port, everyone)
	bad.annotate(map[string]string{upstream + "type": "NONSENSE"})
	bad.event("InvalidConfiguration", "NONSENSE")
	good := exposed(t, nil, tcp(80))
	opens(t, "tcp", good.nodePort(0), everyone)
	opens(t, "tcp", port, everyone)
}

// TestFirewallDrift: what was changed by hand is put right with the next change of any
// Service or restart; droplets that were added by hand stay.
func TestFirewallDrift(t *testing.T) {
	ccm := start(t, firewallEnv)
	s := exposed(t, nil, tcp(80))
	port := s.nodePort(0)
	opens(t, "tcp", port, everyone)
	before := firewall(t, func(*do.Firewall) error { return nil })
	tamper := func() {
		err := env.Cloud.Firewalls.Edit(before.ID, func(f *do.Firewall) {
			f.InboundRules, f.OutboundRules, f.Tags = nil, f.OutboundRules[:1], nil
			f.DropletIDs = []int{pool[0].ID}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	whole := func(f *do.Firewall) error {
		if len(f.OutboundRules) != 3 || !slices.Equal(f.Tags, []string{poolTag}) {
			return fmt.Errorf("outbound rules %+v, tags %q", f.OutboundRules, f.Tags)
		}
		return same(fmt.Sprint(f.DropletIDs), fmt.Sprint([]int{pool[0].ID}))
	}
	tamper()
	s.touch()
	opens(t, "tcp", port, everyone)
	firewall(t, whole)

	tamper()
	ccm.restart(firewallEnv)
	opens(t, "tcp", port, everyone)
	firewall(t, whole)

	env.Cloud.ResetTraffic()
	s.touch()
	other := exposed(t, nil, tcp(80))
	opens(t, "tcp", other.nodePort(0), everyone)
	if n := env.Cloud.Counters().Mutating; n != 1 {
		t.Errorf("%d changes for one Service: %s", n, mutations())
	}
}
