package openstack_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

// poll is a request for the status of balancers at which Octavia works. How many there are depends on how fast it is.
var poll = regexp.MustCompile(`^GET /[^?]*/lbaas/loadbalancers(/[0-9a-f-]{36}$|\?.*fields=provisioning_status)`)

// TestCalls is what changes of load balancers with two or three ports and a floating IP cost: at the most as many reads as upstream's
// CCM makes for the same on the same cloud. Among them is a poll for each write, of which there are more while Octavia takes longer than
// a second.
func TestCalls(t *testing.T) {
	s := newSite(t, siteOptions{alone: true})
	first, all := s.service("first"), s.nodes
	s.ensure(first) // the machines are known from here on
	svc, other := s.service("web"), s.service("api", func(svc *corev1.Service) {
		svc.Spec.Ports[0].Port, svc.Spec.Ports[1].Port = 8080, 8443
	})
	for _, row := range []struct {
		what string
		// reads are all of upstream's, byID those of ours that read a balancer by its id, with one poll for each write.
		reads, byID, writes int

		change  func()
		prepare func()
	}{
		{what: "created", reads: 9, byID: 1, writes: 2, change: func() { s.ensure(svc) }},
		{what: "unchanged", reads: 11, byID: 1, prepare: func() { s.rested(svc) }, change: func() { s.ensure(svc) }},
		{what: "a node goes", reads: 12, byID: 3, writes: 2, change: func() { s.bring(svc, all[:1]) }},
		{what: "a node comes", reads: 12, byID: 3, writes: 2, change: func() { s.bring(svc, all) }},
		{what: "a port is added", reads: 16, byID: 4, writes: 3, change: func() {
			svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: "more", Protocol: corev1.ProtocolTCP, Port: 8000, NodePort: 30800})
			s.ensure(svc)
		}},
		{what: "a second Service shares it", reads: 18, byID: 9, writes: 7, change: func() {
			other.Annotations["loadbalancer.openstack.org/load-balancer-id"] = svc.Annotations["loadbalancer.openstack.org/load-balancer-id"]
			s.ensure(other)
		}},
		{what: "one of two leaves", reads: 14, byID: 8, writes: 7, change: func() { s.remove(svc) }},
		{what: "the last one leaves", reads: 6, byID: 1, writes: 2, change: func() { s.remove(other) }},
		{what: "deleted", reads: 6, byID: 1, writes: 2, change: func() { s.remove(first) }},
	} {
		if row.prepare != nil {
			row.prepare()
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
	if pending, ok := errors.AsType[*loadbalancer.Pending](err); ok && pending.Ended != nil {
		<-pending.Ended
		s.ensure(svc)
		return
	}
	s.must(err, "updating targets")
}
