package aws_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestFamilies: both kinds of balancers reach nodes at IPv4 addresses, where they answer for no Service of IPv6 alone. None is made
// for it. One that is there serves on, and the Service is told.
func TestFamilies(t *testing.T) {
	six := []corev1.IPFamily{corev1.IPv6Protocol}
	for name, kind := range map[string]func(*corev1.Service){"classic": func(*corev1.Service) {}, "network": network} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, siteOptions{ipv6: true})
			svc := s.service("six", kind, func(svc *corev1.Service) { svc.Spec.IPFamilies = six })
			from := len(s.proxy.Calls())
			err := s.try(svc)
			if !cloud.IsClass(err, cloud.FailureInvalid) || !strings.Contains(err.Error(), "spec.ipFamilies") || !strings.Contains(err.Error(), "want IPv4") {
				t.Errorf("error %v", err)
			}
			if wrote := s.wrote(from); len(wrote) > 0 {
				t.Errorf("refused, and these were written: %s", strings.Join(wrote, ", "))
			}
			present := s.service("web", kind)
			s.ensure(present)
			address := present.Status.LoadBalancer.Ingress
			present.Spec.IPFamilies = six
			s.idle(present)
			if !cmp.Equal(address, present.Status.LoadBalancer.Ingress) {
				t.Errorf("the status is %v and was %v", present.Status.LoadBalancer.Ingress, address)
			}
			if !slices.ContainsFunc(s.events.said, func(e string) bool {
				return strings.HasPrefix(e, "ConfigurationIgnored: spec.ipFamilies: the load balancer reaches nodes at IPv4 addresses")
			}) {
				t.Errorf("events %q", s.events.said)
			}
			s.remove(present)
		})
	}
}
