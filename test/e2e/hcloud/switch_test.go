package hcloud_test

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// api is another client of the cloud, such as upstream's controller manager or a person.
func (s *site) api() *hcloud.Client {
	return hcloud.NewClient(hcloud.WithToken(s.Cloud.Secret()), hcloud.WithEndpoint(s.hetzner.Endpoint()))
}

// plain is a service as upstream makes it without annotations.
func plain(port, nodePort int) hcloud.LoadBalancerCreateOptsService {
	return hcloud.LoadBalancerCreateOptsService{
		Protocol: hcloud.LoadBalancerServiceProtocolTCP, ListenPort: &port, DestinationPort: &nodePort,
		HealthCheck: &hcloud.LoadBalancerCreateOptsServiceHealthCheck{Protocol: hcloud.LoadBalancerServiceProtocolTCP, Port: &nodePort},
	}
}

// TestSwitchFromUpstream takes over what upstream's rules describe and another client made: load balancers, one of them with a
// name and one with a managed certificate, and routes. Beside it a process in dry-run writes nothing, and afterwards ours
// writes labels at the most. A change of one Service then changes only its load balancer.
func TestSwitchFromUpstream(t *testing.T) {
	s := open(t)
	s.hetzner.SetDelay(0)
	var machines []testcloud.Machine
	s.join(2, func(m testcloud.Machine) controlplane.NodeOptions {
		node := m.Settled()
		node.PodCIDRs = []string{pods(len(machines))}
		machines = append(machines, m)
		return node
	})
	network := &hcloud.Network{ID: s.hetzner.State().Networks[0].ID}
	for n, m := range machines {
		_, to, err := net.ParseCIDR(pods(n))
		s.must(err)
		_, _, err = s.api().Network.AddRoute(s.within(), network, hcloud.NetworkAddRouteOpts{
			Route: hcloud.NetworkRoute{Destination: to, Gateway: net.IP(netip.MustParseAddr(m.Internal).AsSlice())},
		})
		s.must(err)
	}
	const prefix = "load-balancer.hetzner.cloud/"
	all := map[string]map[string]string{
		"plain":      nil,
		"once-named": nil, // whose name nobody asks for any more
		"named":      {prefix + "name": "shop-front", prefix + "algorithm-type": "least_connections"},
		"certified": {
			prefix + "protocol": "https", prefix + "certificate-type": "managed", prefix + "http-managed-certificate-domains": "shop.example.com",
		},
	}
	for name, annotations := range all {
		s.annotated(name, annotations, 443)
		called := annotations[prefix+"name"]
		if name == "once-named" {
			called = "old-front"
		}
		s.upstream(name, called, network, machines)
	}
	settled := func() any {
		state := s.hetzner.State()
		for i := range state.Balancers {
			state.Balancers[i].Labels = nil
		}
		return []any{state.Balancers, state.Certificates, state.Networks}
	}
	before := settled()

	s.Cloud.ResetTraffic()
	s.start(nil, append(slices.Clone(routing), "--dry-run")...)
	for name := range all {
		s.eventually(func() error {
			if !strings.Contains(s.process.Log(), fmt.Sprintf("Planned the load balancer, and changed nothing\" service=%q", namespace+"/"+name)) {
				return fmt.Errorf("nothing is planned for %s", name)
			}
			return nil
		})
	}
	if got := s.look(); got.writes > 0 {
		t.Errorf("writes in dry-run: %v", got.routes)
	}
	s.start(nil, routing...)
	for name := range all {
		s.told(name, "EnsuredLoadBalancer", 1)
	}
	s.must(s.Cloud.Until(s.within(), func() bool { return s.Cloud.Counters().Of("GET /v1/networks/{id}") >= 5 }))
	const labels = "PUT /v1/load_balancers/{id}"
	counters := s.Cloud.Counters()
	if counters.Mutating > counters.Of(labels) {
		t.Errorf("more than labels was written: %v", counters.Routes)
	}
	if diff := cmp.Diff(before, settled()); diff != "" {
		t.Errorf("beside labels (-before +after):\n%s", diff)
	}

	s.Cloud.ResetTraffic()
	s.annotate("plain", prefix+"algorithm-type", "least_connections")
	s.eventually(func() error {
		if b := s.balancer("plain"); b.Algorithm.Type != "least_connections" || b.Labels["multicloud-ccm.io/cluster"] == "" {
			return fmt.Errorf("%s, labels %v", b.Algorithm.Type, b.Labels)
		}
		return nil
	})
	counters = s.Cloud.Counters()
	if of := counters.Of(labels) + counters.Of("POST /v1/load_balancers/{id}/actions/change_algorithm"); counters.Mutating != of || of > 2 {
		t.Errorf("another algorithm: %v", counters.Routes)
	}
}

// uid is that of a Service.
func (s *site) uid(service string) string {
	s.Helper()
	svc, err := s.Client().CoreV1().Services(namespace).Get(s.within(), service, metav1.GetOptions{})
	s.must(err)
	return string(svc.UID)
}

// balancer is the load balancer with upstream's label of a Service.
func (s *site) balancer(service string) emulator.Balancer {
	s.Helper()
	uid := s.uid(service)
	all := s.hetzner.State().Balancers
	at := slices.IndexFunc(all, func(b emulator.Balancer) bool { return b.Labels["hcloud-ccm/service-uid"] == uid })
	if at < 0 {
		s.Fatalf("Service %s has no load balancer", service)
	}
	return all[at]
}

// upstream makes what upstream makes for a Service with one port, and says so in its status.
func (s *site) upstream(service, name string, network *hcloud.Network, machines []testcloud.Machine) {
	s.Helper()
	svc, err := s.Client().CoreV1().Services(namespace).Get(s.within(), service, metav1.GetOptions{})
	s.must(err)
	ingress := s.upstreamBalancer(svc, name, network, machines)
	svc.Finalizers = []string{"service.kubernetes.io/load-balancer-cleanup"}
	svc, err = s.Client().CoreV1().Services(namespace).Update(s.within(), svc, metav1.UpdateOptions{})
	s.must(err)
	svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{ingress}
	_, err = s.Client().CoreV1().Services(namespace).UpdateStatus(s.within(), svc, metav1.UpdateOptions{})
	s.must(err)
}

// upstreamBalancer makes the load balancer that upstream makes for a Service with one port. It returns what upstream
// then says in the status.
func (s *site) upstreamBalancer(svc *corev1.Service, name string, network *hcloud.Network, machines []testcloud.Machine) corev1.LoadBalancerIngress {
	s.Helper()
	labels := map[string]string{"hcloud-ccm/service-uid": string(svc.UID)}
	opts := hcloud.LoadBalancerCreateOpts{
		Name: name, LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "fsn1"}, Labels: labels, Network: network,
	}
	if name == "" {
		opts.Name = ("a" + strings.ReplaceAll(string(svc.UID), "-", ""))[:32]
	} else {
		opts.Algorithm = &hcloud.LoadBalancerAlgorithm{Type: hcloud.LoadBalancerAlgorithmTypeLeastConnections}
	}
	port := plain(int(svc.Spec.Ports[0].Port), int(svc.Spec.Ports[0].NodePort))
	if domains := svc.Annotations["load-balancer.hetzner.cloud/http-managed-certificate-domains"]; domains != "" {
		made, _, err := s.api().Certificate.CreateCertificate(s.within(), hcloud.CertificateCreateOpts{
			Name: "ccm-managed-certificate-" + string(svc.UID), Type: hcloud.CertificateTypeManaged, DomainNames: []string{domains}, Labels: labels,
		})
		s.must(err)
		port.Protocol, port.HTTP = hcloud.LoadBalancerServiceProtocolHTTPS, &hcloud.LoadBalancerCreateOptsServiceHTTP{Certificates: []*hcloud.Certificate{made.Certificate}}
	}
	opts.Services = []hcloud.LoadBalancerCreateOptsService{port}
	for _, m := range machines {
		id, err := strconv.ParseInt(m.ID, 10, 64)
		s.must(err)
		opts.Targets = append(opts.Targets, hcloud.LoadBalancerCreateOptsTarget{
			Type: hcloud.LoadBalancerTargetTypeServer, Server: hcloud.LoadBalancerCreateOptsTargetServer{Server: &hcloud.Server{ID: id}},
		})
	}
	made, _, err := s.api().LoadBalancer.Create(s.within(), opts)
	s.must(err)
	vip := corev1.LoadBalancerIPModeVIP
	return corev1.LoadBalancerIngress{IP: made.LoadBalancer.PublicNet.IPv4.IP.String(), IPMode: &vip}
}

// TestBalancerInAnotherNetwork: a load balancer that upstream left in another network than that of the configuration: the doctor says
// it before, and the process moves it. The Service is told no address of the other network.
func TestBalancerInAnotherNetwork(t *testing.T) {
	s := open(t)
	var machines []testcloud.Machine
	s.join(2, func(m testcloud.Machine) controlplane.NodeOptions {
		machines = append(machines, m)
		return m.Settled()
	})
	other := s.hetzner.AddNetwork(emulator.Network{Name: "other", IPRange: "10.8.0.0/16"})
	s.annotated("web", nil, 443)
	s.upstream("web", "", &hcloud.Network{ID: other.ID}, machines)
	if said := s.doctor(nil, "service", "--patience=1ms", "-o", "json"); !strings.Contains(said, "network") || !strings.Contains(said, strconv.FormatInt(other.ID, 10)) {
		t.Errorf("the doctor does not say it:\n%s", said)
	}
	s.start(nil)
	s.told("web", "EnsuredLoadBalancer", 1)
	b, ours := s.balancer("web"), s.hetzner.State().Networks[0].ID
	if len(b.PrivateNet) != 1 || b.PrivateNet[0].Network != ours || len(b.Targets) != 2 || b.Labels["multicloud-ccm.io/network"] != strconv.FormatInt(ours, 10) {
		t.Errorf("attached %+v, targets %v, labels %v", b.PrivateNet, b.Targets, b.Labels)
	}
	svc, err := s.Client().CoreV1().Services(namespace).Get(s.within(), "web", metav1.GetOptions{})
	s.must(err)
	for _, ingress := range svc.Status.LoadBalancer.Ingress {
		if strings.HasPrefix(ingress.IP, "10.8.") {
			t.Errorf("the Service is told %s", ingress.IP)
		}
	}
}
