package aws_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestRetained deletes a Service whose balancer shall stay: it stays with its listeners, targets and groups,
// and so do the rules of the nodes' groups by which it reaches them.
func TestRetained(t *testing.T) {
	for name, kind := range map[string]func(*corev1.Service){"classic": func(*corev1.Service) {}, "network": network} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			svc := s.service("kept", kind)
			s.ensure(svc)
			before := s.inventory()
			annotated("multicloud-ccm.io/retain", "true")(svc)
			s.remove(svc)
			if diff := cmp.Diff(before, s.inventory()); diff != "" {
				t.Errorf("what stays (-before +after):\n%s", diff)
			}
		})
	}
}
