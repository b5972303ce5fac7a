package aws_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestLife makes a balancer of each kind, changes it, and deletes it: each second ensure writes
// nothing, and nothing is left.
func TestLife(t *testing.T) {
	for kind, ask := range map[string]func(*corev1.Service){"classic": annotated(), "network": network} {
		t.Run(kind, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			before := s.inventory()
			svc := s.service("web", ask)
			s.ensure(svc)
			if len(svc.Status.LoadBalancer.Ingress) != 1 || svc.Status.LoadBalancer.Ingress[0].Hostname == "" {
				t.Fatalf("status %+v", svc.Status.LoadBalancer)
			}
			host := svc.Status.LoadBalancer.Ingress[0].Hostname
			s.idle(svc)
			t.Logf("%s", s.inventory())

			svc.Spec.Ports = append(svc.Spec.Ports[1:], corev1.ServicePort{Name: "more", Protocol: corev1.ProtocolTCP, Port: 8080, NodePort: 30808})
			svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
			s.nodes = s.nodes[:1]
			s.ensure(svc)
			s.ensure(svc)
			s.idle(svc)
			t.Logf("%s", s.inventory())
			if now := svc.Status.LoadBalancer.Ingress[0].Hostname; now != host {
				t.Errorf("host %s became %s", host, now)
			}
			s.gone(svc, before)
		})
	}
}
