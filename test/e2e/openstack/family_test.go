package openstack_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func ofIPv6(svc *corev1.Service) { svc.Spec.IPFamilies = []corev1.IPFamily{corev1.IPv6Protocol} }

// refused fails the test unless the Service is refused because of the field, and nothing is made.
func (s *site) refused(svc *corev1.Service, field string) {
	s.Helper()
	s.traffic.take()
	err := s.try(svc)
	if !cloud.IsClass(err, cloud.FailureInvalid) || !strings.Contains(err.Error(), field) {
		s.Errorf("%s: error %v, want one about %s", svc.Name, err, field)
	}
	if requests, writes := about(s.traffic.take()); writes != 0 {
		s.Errorf("%s was refused, and something was written: %q", svc.Name, requests)
	}
}

// TestFamilies: members have the Service's family, whatever the family of the balancer's address. The ovn provider cannot lead from one
// to the other.
func TestFamilies(t *testing.T) {
	s := newSite(t, siteOptions{})
	inner := annotated("service.beta.kubernetes.io/openstack-internal-load-balancer", "true")
	for name, test := range map[string]struct {
		place func(*corev1.Service)
		ipv6  bool // of the balancer's address
	}{
		"in a network of both":  {annotated(own+"network-id", s.project.NetworkID), true},
		"in an IPv6 subnet":     {annotated(own+"subnet-id", s.project.Subnet6ID), true},
		"behind IPv4 addresses": {annotated(own+"subnet-id", s.project.SubnetID), false},
	} {
		svc := s.service("six", ofIPv6, inner, test.place)
		s.ensure(svc)
		s.ensure(svc)
		b := s.look(svc)
		if ipv6 := strings.Contains(text(b.lb, "vip_address"), ":"); ipv6 != test.ipv6 || !strings.Contains(text(b.members[80][0], "address"), ":") {
			t.Errorf("%s: balancer at %v, member at %v", name, b.lb["vip_address"], b.members[80][0]["address"])
		}
		said := slices.ContainsFunc(s.events.said, func(e string) bool { return strings.Contains(e, "the load balancer has IPv4 addresses only") })
		if said == test.ipv6 {
			t.Errorf("%s: events %q", name, s.events.said)
		}
		s.events.said = nil
		s.remove(svc)
	}
	s = on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\nlb-provider=ovn\n"})
	s.refused(s.service("six", ofIPv6, inner, annotated(own+"subnet-id", s.project.SubnetID)), own+"subnet-id")
}

// TestUnenforcedRanges: ::/0 lets in everybody of IPv6, which says nothing of IPv4.
func TestUnenforcedRanges(t *testing.T) {
	s := newSite(t, siteOptions{})
	s = on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\nlb-provider=ovn\n"})
	s.refused(s.service("web", func(svc *corev1.Service) { svc.Spec.LoadBalancerSourceRanges = []string{"10.0.0.0/8", "::/0"} }), "spec.loadBalancerSourceRanges")
	open := s.service("open", func(svc *corev1.Service) { svc.Spec.LoadBalancerSourceRanges = []string{"10.0.0.0/8", "0.0.0.0/0"} })
	s.ensure(open)
	s.remove(open)
}
