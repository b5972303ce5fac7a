package digitalocean_test

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// TestSpec: the fields of a Service that say something about its balancer.
func TestSpec(t *testing.T) {
	parallel(t)
	noNodePorts := func(svc *corev1.Service) { svc.Spec.AllocateLoadBalancerNodePorts = new(false) }
	for name, test := range map[string]struct {
		annotations map[string]string
		edit        func(*corev1.Service)
		observe     func(*do.Balancer) string
		want        string
		reason      string
		says        []string
	}{
		"tcp and udp on one port": {nil, func(svc *corev1.Service) { svc.Spec.Ports = []corev1.ServicePort{udp(53), tcp(53)} },
			rules, "53 tcp>tcp, 53 udp>udp", "", nil},
		"udp on a regional one": {regional(), func(svc *corev1.Service) { svc.Spec.Ports = []corev1.ServicePort{udp(53), tcp(80)} },
			rules, "53 udp>udp, 80 tcp>tcp", "", nil},
		"targets of a network balancer": {nil, func(*corev1.Service) {}, targetPorts, "80 443", "", nil},
		"targets of a regional balancer": {regional(), func(svc *corev1.Service) {
			svc.Spec.Ports[0].NodePort, svc.Spec.Ports[1].NodePort = 30051, 30050
		}, targetPorts, "30051 30050", "", nil},
		"local traffic": {nil, func(svc *corev1.Service) {
			svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyLocal, 30052
		}, health, "http 30052 /healthz", "", nil},
		"no node ports, network": {nil, noNodePorts, targetPorts, "80 443", "", nil},
		"loadBalancerIP":         {nil, func(svc *corev1.Service) { svc.Spec.LoadBalancerIP = "192.0.2.1" }, rules, plain, "ConfigurationIgnored", []string{"loadBalancerIP"}},

		"no node ports, regional": {regional(), noNodePorts, nil, "", "InvalidConfiguration", []string{"nodePort"}},
		"sctp": {nil, func(svc *corev1.Service) { svc.Spec.Ports[0].Protocol = corev1.ProtocolSCTP },
			nil, "", "InvalidConfiguration", []string{"SCTP"}},
		"a port the cloud keeps": {nil, func(svc *corev1.Service) { svc.Spec.Ports = []corev1.ServicePort{tcp(50054)} },
			nil, "", "InvalidConfiguration", []string{"50054"}},
		"override without tcp": {with("override-health-check", ""), func(svc *corev1.Service) { svc.Spec.Ports = []corev1.ServicePort{udp(53)} },
			nil, "", "InvalidConfiguration", []string{"no TCP port"}},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			s := create(t, test.annotations, test.edit)
			if test.reason != "" {
				s.event(test.reason, test.says...)
			}
			if test.observe != nil {
				s.balancer(func(b *do.Balancer) error { return same(test.observe(b), test.want) })
				return
			}
			s.event("SyncLoadBalancerFailed", "other events of the Service say why")
			if own := s.balancersIn(env.Cloud.State()); len(own) > 0 {
				t.Errorf("a balancer was created: %+v", own)
			}
		})
	}
}

// targetPorts are the ports of the nodes, in the order of the rules.
func targetPorts(b *do.Balancer) string {
	text := ""
	for _, r := range b.ForwardingRules {
		text += fmt.Sprintf(" %d", r.TargetPort)
	}
	return text[min(1, len(text)):]
}

// TestStatus: clients in the cluster must not go around a balancer that changes the
// connection, and IPv6 is said too.
func TestStatus(t *testing.T) {
	parallel(t)
	for name, test := range map[string]struct {
		annotations map[string]string
		want        string
	}{
		"network":         {nil, "ip VIP"},
		"regional":        {regional(), "ip VIP, ip VIP"},
		"proxy protocol":  {regional("enable-proxy-protocol", "true"), "ip Proxy, ip Proxy"},
		"TLS termination": {regional("certificate-id", certificate.ID, "network-stack", "IPV4"), "ip Proxy"},
		"passthrough":     {regional("tls-passthrough", "true", "network-stack", "IPV4"), "ip VIP"},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			s := create(t, test.annotations)
			svc, b := s.ready()
			if err := errors.Join(serves(svc, b), same(ingress(svc), test.want)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOtherClass: a Service with a class belongs to another controller.
func TestOtherClass(t *testing.T) {
	parallel(t)
	s := create(t, nil, func(svc *corev1.Service) { svc.Spec.LoadBalancerClass = new("example.com/other") })
	later := create(t, nil)
	later.ready() // had it been ours, it would have been looked at before this one
	if own := s.balancersIn(env.Cloud.State()); len(own) > 0 {
		t.Errorf("a balancer was created: %+v", own)
	}
	if svc := s.get(); len(svc.Finalizers) > 0 || len(svc.Status.LoadBalancer.Ingress) > 0 {
		t.Errorf("finalizers %q, status %+v", svc.Finalizers, svc.Status.LoadBalancer)
	}
}
