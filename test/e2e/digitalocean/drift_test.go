package digitalocean_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// resync is how often balancers are compared with the cloud in tests of drift.
const resync = "--service-resync-period=1s"

// TestDrift: what somebody changes by hand is brought back without anything happening in
// Kubernetes, and what no annotation speaks of stays as it was made by hand.
func TestDrift(t *testing.T) {
	start(t, nil, resync)
	s := create(t, regional("certificate-id", certificate.ID, "allow-rules", "cidr:203.0.113.0/24"))
	_, before := s.ready()
	for name, edit := range map[string]func(*do.Balancer){
		"rules":        func(b *do.Balancer) { b.ForwardingRules = b.ForwardingRules[:1] },
		"health check": func(b *do.Balancer) { b.HealthCheck.Port = 80 },
		"switches":     func(b *do.Balancer) { b.EnableProxyProtocol, b.RedirectHTTPToHTTPS = true, false },
		"firewall":     func(b *do.Balancer) { b.Firewall = do.BalancerFirewall{} },
		"sessions": func(b *do.Balancer) {
			b.StickySessions = do.StickySessions{Type: "cookies", CookieName: "mine", CookieTTLSeconds: 60}
		},
		"targets":   func(b *do.Balancer) { b.DropletIDs = nil },
		"targets 2": func(b *do.Balancer) { b.DropletIDs = b.DropletIDs[:1] },
		"name":      func(b *do.Balancer) { b.Name = "renamed" },
		// While the name proves whose it is, all ownership tags together come back with the next change only.
		"marks":   func(b *do.Balancer) { b.Tags, b.Name = []string{"team-a"}, "unmarked" },
		"mark":    func(b *do.Balancer) { b.Tags = b.Tags[1:] },
		"timeout": func(b *do.Balancer) { b.HTTPIdleTimeoutSeconds = 600 },
	} {
		t.Run(name, func(t *testing.T) {
			if err := env.Cloud.LoadBalancers.Edit(before.ID, edit); err != nil {
				t.Fatal(err)
			}
			repaired(t, s, before)
		})
	}
	s.event("DriftRepaired", "allow")

	byHand := func(b *do.Balancer) { b.SizeUnit, b.TLSCipherPolicy, b.ProjectID = 7, "STRONG", "by-hand" }
	if err := env.Cloud.LoadBalancers.Edit(before.ID, byHand); err != nil {
		t.Fatal(err)
	}
	byHand(&before)
	after := s.proof()
	after.Firewall.Deny, after.Tags = before.Firewall.Deny, before.Tags
	if summary(after) != summary(before) {
		t.Errorf("what was set by hand is lost:\nbefore %s\nafter  %s", summary(before), summary(after))
	}
}

// repaired waits until the balancer is as it was, but for tags that are not ours.
func repaired(t *testing.T, s *service, before do.Balancer) {
	t.Helper()
	last := errors.New("the cloud has not been looked at")
	err := env.Cloud.Await(within(t), func(state do.State) bool {
		b := find(state, before.ID)
		if b == nil {
			last = errors.New("it is gone")
			return false
		}
		if last = s.tagged(b); last != nil {
			return false
		}
		seen := *b
		seen.Tags = before.Tags
		last = same(summary(seen), summary(before))
		return last == nil
	})
	if err != nil {
		t.Errorf("the balancer is not repaired: %v: %v", err, last)
	}
}

// outlives puts another CCM in the place of the present one, for which the creation of the Service's balancer is so long ago that it
// does not count any more.
func (r *runner) outlives(s *service) {
	r.t.Helper()
	stop(r.t, r.Process)
	s.age()
	r.launch(nil, resync)
}

// age lets the record of the creation of the Service's balancer be an hour old. A CCM that made it remembers it all the same.
func (s *service) age() {
	s.t.Helper()
	s.annotate(creation.Record{At: time.Now().Add(-time.Hour), ID: s.get().Annotations[idKey]}.Annotation())
}

// TestLostBalancer: a balancer that was deleted by hand is made again, once, and everything
// goes with the Service. A Service that is deleted at once is not held up.
func TestLostBalancer(t *testing.T) {
	r := start(t, nil, resync)
	s := create(t, map[string]string{portable + "name": fmt.Sprintf("lost-%d", serial.Add(1))})
	_, before := s.ready()
	r.outlives(s)
	if err := env.Cloud.LoadBalancers.Delete(before.ID); err != nil {
		t.Fatal(err)
	}
	made := s.balancer(active)
	if made.ID == before.ID {
		t.Error("it was not deleted")
	}
	s.await(serving(made))
	if n := creations(made.Name); n != 2 {
		t.Errorf("%d balancers were created, want the first and the second", n)
	}
	r.outlives(s)
	if err := env.Cloud.LoadBalancers.Delete(made.ID); err != nil {
		t.Fatal(err)
	}
	s.remove()
}

// TestKindChange: a Service that is no longer of type LoadBalancer loses its balancer and its
// status, and gets a new one when it is again.
func TestKindChange(t *testing.T) {
	parallel(t)
	s := create(t, nil)
	_, before := s.ready()
	s.edit(func(svc *corev1.Service) { svc.Spec.Type = corev1.ServiceTypeClusterIP })
	s.released()
	if find(env.Cloud.State(), before.ID) != nil {
		t.Error("the balancer is still there")
	}
	s.expose()
	svc, after := s.ready()
	if err := serves(svc, after); err != nil || after.ID == before.ID {
		t.Errorf("balancer %s after %s: %v", after.ID, before.ID, err)
	}
}
