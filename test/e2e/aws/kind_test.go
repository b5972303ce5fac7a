package aws_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestChangeOfKind wants a live balancer to be of the other kind: that is refused, with the host
// kept, until its replacement is allowed.
func TestChangeOfKind(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	svc := s.service("flip")
	s.ensure(svc)
	host := svc.Status.LoadBalancer.Ingress[0].Hostname
	network(svc)
	s.ensure(svc)
	if now := svc.Status.LoadBalancer.Ingress[0].Hostname; now != host || len(s.lines("network")) > 0 {
		t.Errorf("host %s became %s; %q", host, now, s.lines("network"))
	}
	if said := strings.Join(s.events.said, "\n"); !strings.Contains(said, "ImmutableChange: type stays") {
		t.Errorf("said %s", said)
	}
	annotated("multicloud-ccm.io/allow-replacement", "true")(svc)
	s.ensure(svc)
	s.idle(svc)
	if len(s.lines("classic")) > 0 || len(s.lines("network listener")) != 2 || len(s.lines("security group k8s")) > 0 {
		t.Errorf("%q", s.inventory())
	}
	s.gone(svc, before)
}

// TestAnotherController leaves a Service to the AWS Load Balancer Controller, and deletes what it
// had before with it. Upstream leaves that behind.
func TestAnotherController(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	for _, kind := range []string{"external", "nlb-ip"} {
		svc := s.service("other", annotated(own+"type", kind))
		if _, err := s.manager.Ensure(t.Context(), svc, s.nodes); err != nil {
			t.Error(err)
		}
		if wrote := s.wrote(0); len(wrote) > 0 {
			t.Errorf("%s: %q", kind, wrote)
		}
	}
	svc := s.service("left", network)
	s.ensure(svc)
	svc.Annotations[own+"type"] = "external"
	svc.Status.LoadBalancer = corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{Hostname: "theirs.example.com"}}}
	from := len(s.proxy.Calls())
	if outcome, err := s.manager.Ensure(t.Context(), svc, s.nodes); err != nil || outcome.Status.Ingress[0].Hostname != "theirs.example.com" || len(s.wrote(from)) > 0 {
		t.Errorf("%+v, %v, %q", outcome, err, s.wrote(from))
	}
	s.gone(svc, before)
}
