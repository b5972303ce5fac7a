package openstack_test

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

// poll is a request for the status of balancers at which Octavia works. How many there are depends on how fast it is.
var poll = regexp.MustCompile(`^GET /[^?]*/lbaas/loadbalancers(/[0-9a-f-]{36}$|\?.*fields=provisioning_status)`)

// TestCalls is what changes of load balancers with two or three ports and a floating IP cost that were at rest before. Among the reads is a
// poll for each write, of which there are more while Octavia takes longer than a second.
func TestCalls(t *testing.T) {
	s := newSite(t, siteOptions{alone: true})
	first, all := s.service("first"), s.nodes
	s.ensure(first) // the machines are known from here on
	svc, other := s.service("web"), s.service("api", func(svc *corev1.Service) {
		svc.Spec.Ports[0].Port, svc.Spec.Ports[1].Port = 8080, 8443
	})
	for _, row := range []struct {
		what string
		// reads are the most there may be, byID those that read a balancer by its id, and upstream what upstream's CCM reads for the same.
		reads, byID, writes, upstream int

		rested *corev1.Service
		change func()
	}{
		{what: "created", upstream: 9, reads: 9, byID: 1, writes: 2, change: func() { s.ensure(svc) }},
		{what: "unchanged", upstream: 11, reads: 2, byID: 1, rested: svc, change: func() { s.ensure(svc) }},
		{what: "a node goes", upstream: 12, reads: 9, byID: 3, writes: 2, rested: svc, change: func() { s.bring(svc, all[:1]) }},
		{what: "a node comes", upstream: 12, reads: 9, byID: 3, writes: 2, rested: svc, change: func() { s.bring(svc, all) }},
		{what: "a port is added", upstream: 16, reads: 9, byID: 4, writes: 3, rested: svc, change: func() {
			svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: "more", Protocol: corev1.ProtocolTCP, Port: 8000, NodePort: 30800})
			s.ensure(svc)
		}},
		{what: "a second Service shares it", upstream: 18, reads: 18, byID: 9, writes: 7, change: func() {
			other.Annotations[own+"load-balancer-id"] = svc.Annotations[own+"load-balancer-id"]
			s.ensure(other)
		}},
		{what: "one of two leaves", upstream: 14, reads: 13, byID: 8, writes: 7, rested: svc, change: func() { s.remove(svc) }},
		{what: "the last one leaves", upstream: 6, reads: 6, byID: 2, writes: 2, rested: other, change: func() { s.remove(other) }},
		{what: "deleted", upstream: 6, reads: 6, byID: 2, writes: 2, change: func() { s.remove(first) }},
	} {
		if row.rested != nil {
			s.rested(row.rested)
		}
		s.traffic.take()
		began := time.Now()
		row.change()
		took := time.Since(began)
		requests, writes := about(s.traffic.take())
		polls := 0
		for _, r := range requests {
			if poll.MatchString(r) {
				polls++
			}
		}
		t.Logf("%s: %d reads, %d of them by id or of statuses, and %d writes in %v", row.what, len(requests)-writes, polls, writes, took)
		more := max(0, polls-row.byID)
		if reads := len(requests) - writes; reads-more > row.reads || more > int(took/time.Second) || writes != row.writes {
			t.Errorf("%s: %d reads and %d writes, want %d and %d:\n%s", row.what, reads, writes, row.reads, row.writes, strings.Join(requests, "\n"))
		}
	}
}

// rested has a Service looked at twice when nothing has changed for a while: then stamps prove something.
func (s *site) rested(svc *corev1.Service) {
	s.Helper()
	for range 2 {
		time.Sleep(calm)
		s.ensure(svc)
	}
}

// bring brings the balancer's targets to these nodes, as the framework does: what goes on is the next Ensure's.
func (s *site) bring(svc *corev1.Service, nodes []*corev1.Node) {
	s.Helper()
	s.nodes = nodes
	err := s.manager.UpdateTargets(s.Context(), svc, nodes)
	if _, pending := errors.AsType[*loadbalancer.Pending](err); pending {
		s.ensure(svc)
		return
	}
	s.must(err, "updating targets")
}

// TestDeletedTogether has both Services of a balancer leave at once: whoever is last deletes it.
func TestDeletedTogether(t *testing.T) {
	s := newSite(t, siteOptions{})
	clean := s.leavesNothing()
	first, second := s.service("first"), s.service("second", func(svc *corev1.Service) {
		svc.Spec.Ports[0].Port, svc.Spec.Ports[1].Port = 8080, 8443
	})
	s.ensure(first)
	second.Annotations[own+"load-balancer-id"] = first.Annotations[own+"load-balancer-id"]
	s.ensure(second)
	now := metav1.Now()
	var both sync.WaitGroup
	for _, svc := range []*corev1.Service{first, second} {
		svc.DeletionTimestamp = &now
		both.Go(func() {
			for try := 0; ; try++ {
				err := s.through(func() error { return s.manager.Delete(s.Context(), svc) })
				if err == nil {
					return
				}
				if t.Logf("deleting %s: %v", svc.Name, err); try == patience {
					t.Errorf("%s is still there", svc.Name)
					return
				}
			}
		})
	}
	both.Wait()
	clean()
}
