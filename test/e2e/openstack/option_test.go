package openstack_test

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

// TestKeptFloatingIP outlives the Service, and the next one can have it.
func TestKeptFloatingIP(t *testing.T) {
	s := newSite(t, siteOptions{})
	first := s.service("web", annotated(own+"keep-floatingip", "true"))
	s.ensure(first)
	address := first.Status.LoadBalancer.Ingress[0].IP
	s.remove(first)
	second := s.service("api", annotated("multicloud-ccm.io/address", address))
	s.ensure(second)
	if got := second.Status.LoadBalancer.Ingress[0].IP; got != address {
		t.Errorf("the second Service is at %s, want the kept %s", got, address)
	}
	third := s.service("thief", func(svc *corev1.Service) { svc.Spec.LoadBalancerIP = address })
	if err := s.try(third); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("an address that is in use: %v", err)
	}
	s.remove(third)
	fourth := s.service("another-thief", annotated("multicloud-ccm.io/address", address))
	if err := s.try(fourth); err == nil || !strings.Contains(err.Error(), "multicloud-ccm.io/address") {
		t.Errorf("an address that is in use: %v", err)
	}
	s.remove(fourth)
	second.Annotations["service.beta.kubernetes.io/openstack-internal-load-balancer"] = "true"
	s.ensure(second)
	if ips := s.all(s.project.Network, "floatingips", "floatingips", nil); len(ips) != 1 || ips[0]["port_id"] != nil {
		t.Errorf("the kept floating IP is not ours to delete, and has to be detached: %v", ips)
	}
	s.remove(second)
}

func TestHostname(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", annotated(own+"hostname", "www.example.com"))
	s.ensure(svc)
	if got := svc.Status.LoadBalancer.Ingress; len(got) != 1 || got[0].Hostname != "www.example.com" || got[0].IP != "" {
		t.Errorf("status %v", got)
	}
	address := svc.Annotations[own+"load-balancer-address"]
	delete(svc.Annotations, own+"hostname")
	svc.Annotations[own+"proxy-protocol"] = "true"
	s.ensure(svc)
	if got := svc.Status.LoadBalancer.Ingress; got[0].IP != address || got[0].IPMode == nil || *got[0].IPMode != corev1.LoadBalancerIPModeProxy {
		t.Errorf("status %+v", got[0])
	}
	named := on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\nenable-ingress-hostname=true\ningress-hostname-suffix=sslip.io\n"})
	named.ensure(svc)
	if got := svc.Status.LoadBalancer.Ingress; got[0].Hostname != address+".sslip.io" {
		t.Errorf("status %+v", got[0])
	}
	named.remove(svc)
}

// TestOneByOne is about providers that can't take several changes in one request.
func TestOneByOne(t *testing.T) {
	s := newSite(t, siteOptions{})
	s = on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\nprovider-requires-serial-api-calls=true\ncascade-delete=false\ncreate-monitor=true\n"})
	clean := s.leavesNothing()
	svc := s.service("web", func(svc *corev1.Service) { svc.Spec.Ports = svc.Spec.Ports[:1] })
	s.ensure(svc)
	if b := s.look(svc); memberNames(b) != "node-0 node-1" || b.monitors[80] == nil {
		t.Errorf("members %q, monitor %v", memberNames(b), b.monitors[80])
	}
	for _, r := range s.traffic.take() {
		if strings.HasPrefix(r, "PUT") && strings.HasSuffix(r, "/members") {
			t.Errorf("%s writes several members", r)
		}
	}
	s.remove(svc)
	if slices.ContainsFunc(s.traffic.take(), func(r string) bool { return strings.Contains(r, "cascade") }) {
		t.Error("the deletion cascades")
	}
	clean()
}

// TestOVN is the provider that can do less; the lab refuses what it can't.
func TestOVN(t *testing.T) {
	s := newSite(t, siteOptions{})
	s = on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\nlb-provider=ovn\nmanage-security-groups=true\n"})
	svc := s.service("web", annotated(corev1.AnnotationLoadBalancerSourceRangesKey, "203.0.113.0/24"))
	s.ensure(svc)
	b := s.look(svc)
	if b.lb["provider"] != "ovn" || b.pools[80]["lb_algorithm"] != "SOURCE_IP_PORT" {
		t.Errorf("provider %v, method %v", b.lb["provider"], b.pools[80]["lb_algorithm"])
	}
	if got := s.rules(svc); !slices.Contains(got, "ingress tcp 30080 203.0.113.0/24") {
		t.Errorf("source ranges are in no rule: %q", got)
	}
	s.traffic.take()
	s.ensure(svc)
	if requests, writes := about(s.traffic.take()); writes != 0 {
		t.Errorf("nothing has changed: %q", requests)
	}
	svc.Annotations[own+"x-forwarded-for"] = "true"
	if err := s.try(svc); err == nil {
		t.Error("HTTP on ovn is not refused")
	}
	if b := s.look(svc); b.listeners[80]["protocol"] != "TCP" || len(b.members[80]) != 2 {
		t.Errorf("what was refused has changed listener %v", b.listeners[80])
	}
	delete(svc.Annotations, own+"x-forwarded-for")
	s.ensure(svc)
	s.remove(svc)
}

func TestLocal(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", annotated(own+"enable-health-monitor", "true"), func(svc *corev1.Service) {
		svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyLocal, 32000
	})
	s.ensure(svc)
	b := s.look(svc)
	if b.monitors[80]["type"] != "HTTP" || b.monitors[80]["url_path"] != "/healthz" || b.members[80][0]["monitor_port"] != 32000.0 {
		t.Errorf("monitor %v, member %v", b.monitors[80], b.members[80][0])
	}
	svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyCluster, 0
	s.ensure(svc)
	b = s.look(svc)
	if b.monitors[80]["type"] != "TCP" || b.members[80][0]["monitor_port"] != nil {
		t.Errorf("monitor %v, member %v", b.monitors[80], b.members[80][0])
	}
	s.remove(svc)
}

func TestDualStack(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", func(svc *corev1.Service) {
		svc.Spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}
	})
	s.ensure(svc)
	var families []bool
	for _, ingress := range svc.Status.LoadBalancer.Ingress {
		families = append(families, netip.MustParseAddr(ingress.IP).Is6())
	}
	if !slices.Equal(families, []bool{false, true}) {
		t.Errorf("status %v, want an IPv4 and an IPv6 address", svc.Status.LoadBalancer.Ingress)
	}
	s.traffic.take()
	s.ensure(svc)
	if requests, writes := about(s.traffic.take()); writes != 0 {
		t.Errorf("nothing has changed: %q", requests)
	}
	s.remove(svc)
	six := s.service("six", func(svc *corev1.Service) { svc.Spec.IPFamilies = []corev1.IPFamily{corev1.IPv6Protocol} }, annotated(own+"subnet-id", s.project.Subnet6ID))
	s.ensure(six)
	b := s.look(six)
	if b.floating != nil || !strings.Contains(text(b.members[80][0], "address"), ":") || six.Status.LoadBalancer.Ingress[0].IP != text(b.lb, "vip_address") {
		t.Errorf("balancer %v, member %v, status %v", b.lb["vip_address"], b.members[80][0], six.Status.LoadBalancer)
	}
	s.remove(six)
}

func TestRetained(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", annotated(annotation.Retain.Name, "true"))
	s.ensure(svc)
	s.remove(svc)
	b := s.look(svc)
	if len(b.listeners) != 2 || b.floating == nil || len(b.lb["tags"].([]any)) != 0 {
		t.Errorf("balancer %v", b.lb)
	}
	other := s.service("other", annotated(annotation.Adopt.Name, text(b.lb, "id")))
	s.ensure(other)
	if got := other.Status.LoadBalancer.Ingress[0].IP; got != text(b.floating, "floating_ip_address") {
		t.Errorf("the Service that adopts it is at %s", got)
	}
	s.remove(other)
}

// TestBadInput changes nothing.
func TestBadInput(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web")
	s.ensure(svc)
	before := s.inventory()
	for _, bad := range []struct{ key, value, want string }{
		{"class", "gold", `no section [LoadBalancerClass "gold"]`},
		{"default-tls-container-ref", "https://host/v1/containers/00000000-0000-0000-0000-000000000000", "has nothing of this name"},
		{"default-tls-container-ref", "mine", "want the reference"},
		{"connection-limit", "many", "want a whole number"},
		{"lb-method", "FASTEST", "want one of ROUND_ROBIN"},
		{"subnet-id", "nodes", "want a UUID"},
	} {
		svc.Annotations[own+bad.key] = bad.value
		if err := s.try(svc); err == nil || !strings.Contains(err.Error(), bad.want) || !strings.Contains(err.Error(), own+bad.key) {
			t.Errorf("%s=%s: %v, want %q", bad.key, bad.value, err, bad.want)
		}
		delete(svc.Annotations, own+bad.key)
	}
	if after := s.inventory(); !slices.Equal(before, after) {
		t.Errorf("the project was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	s.remove(svc)
}

// TestFaults: what the cloud refuses or loses delays a balancer, and leaves nothing behind.
func TestFaults(t *testing.T) {
	s := newSite(t, siteOptions{})
	clean := s.leavesNothing()
	t.Run("quota", func(t *testing.T) {
		s.must(s.project.LimitBalancers(t.Context(), map[string]int{"load_balancer": 0}), "limiting")
		svc := s.service("quota")
		if err := s.try(svc); err == nil || !strings.Contains(err.Error(), "Quota") {
			t.Errorf("with a quota of 0: %v", err)
		}
		s.must(s.project.LimitBalancers(t.Context(), map[string]int{"load_balancer": -1}), "limiting")
		s.ensure(svc)
		s.remove(svc)
	})
	t.Run("expired token", func(t *testing.T) {
		svc := s.service("token")
		s.ensure(svc)
		token := ""
		s.traffic.see(func(r *http.Request) { token = r.Header.Get("X-Auth-Token") })
		s.ensure(svc)
		s.must(s.project.Revoke(t.Context(), token), "revoking the token")
		svc.Annotations[own+"connection-limit"] = "9"
		s.ensure(svc)
		s.remove(svc)
	})
	t.Run("conflicts", func(t *testing.T) {
		svc := s.service("conflict")
		refused := 0
		s.traffic.answer(func(r *http.Request) *http.Response {
			if r.Method == http.MethodGet || refused >= 5 {
				return nil
			}
			refused++
			return conflict(r)
		})
		s.ensure(svc)
		s.remove(svc)
		if refused != 5 {
			t.Errorf("%d requests were refused", refused)
		}
	})
	clean()
}

// TestAloneRestart stops Octavia while a balancer is made.
func TestAloneRestart(t *testing.T) {
	s := newSite(t, siteOptions{alone: true})
	clean := s.leavesNothing()
	svc := s.service("restart")
	s.must(s.project.StopService(t.Context(), "octavia"), "stopping octavia")
	err := s.try(svc)
	s.must(s.project.StartService(context.WithoutCancel(t.Context()), "octavia"), "starting octavia")
	if err == nil {
		t.Error("a balancer was made without Octavia")
	}
	s.ensure(svc)
	s.remove(svc)
	clean()
}
