package openstack_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// inventory lists everything in the project.
func (s *site) inventory() []string {
	s.Helper()
	all, err := s.project.Inventory(s.Context())
	s.must(err, "listing the project")
	return all
}

// leavesNothing returns a function that checks that the project is again as it is now.
func (s *site) leavesNothing() func() {
	before := s.inventory()
	return func() {
		s.Helper()
		if diff := cmp.Diff(before, s.inventory()); diff != "" {
			s.Errorf("the project has changed (-before +after):\n%s", diff)
		}
	}
}

// about returns the requests that are not about machines, and how many of them write.
func about(requests []string) (balancers []string, writes int) {
	for _, r := range requests {
		if strings.Contains(r, "/servers/") || strings.Contains(r, "device_id=") {
			continue
		}
		balancers = append(balancers, r)
		if !strings.HasPrefix(r, "GET ") {
			writes++
		}
	}
	return balancers, writes
}

func TestLifeOfABalancer(t *testing.T) {
	s := newSite(t, siteOptions{})
	clean := s.leavesNothing()
	svc := s.service("web")
	s.traffic.take()
	s.ensure(svc)
	if _, writes := about(s.traffic.take()); writes != 2 {
		t.Errorf("%d writes make a balancer of two ports with a floating IP, want 2", writes)
	}
	b := s.look(svc)
	if got := svc.Annotations[own+"load-balancer-address"]; got != text(b.floating, "floating_ip_address") || svc.Status.LoadBalancer.Ingress[0].IP != got {
		t.Errorf("address %q, status %v, floating IP %v", got, svc.Status.LoadBalancer.Ingress, b.floating)
	}
	if memberNames(b) != "node-0 node-1" {
		t.Errorf("members %v", memberNames(b))
	}
	for range 2 { // what was read a moment after a change is read once more
		time.Sleep(calm)
		s.ensure(svc)
	}
	s.traffic.take()
	s.ensure(svc)
	if requests, writes := about(s.traffic.take()); writes != 0 || len(requests) > 2 {
		t.Errorf("nothing has changed, but there were %d writes in %q; want none and 2 reads", writes, requests)
	}
	s.nodeChange(svc)
	s.remove(svc)
	clean()
}

// calm is the time after which the stamps of Octavia prove something; they are whole seconds.
const calm = 4 * time.Second

// nodeChange takes a node away and brings it back: one write for each pool.
func (s *site) nodeChange(svc *corev1.Service) {
	all := s.nodes
	for _, nodes := range [][]*corev1.Node{all[:1], all} {
		s.traffic.take()
		s.nodes = nodes
		s.must(s.through(func() error { return s.manager.UpdateTargets(s.Context(), svc, nodes) }), "updating targets")
		if requests, writes := about(s.traffic.take()); writes != len(svc.Spec.Ports) {
			s.Errorf("%d writes for a change of nodes, want one for each port: %q", writes, requests)
		}
		if got := len(s.look(svc).members[443]); got != len(nodes) {
			s.Errorf("%d members for %d nodes", got, len(nodes))
		}
	}
}

func TestPortsChange(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web")
	s.ensure(svc)
	address := svc.Status.LoadBalancer.Ingress[0].IP
	svc.Spec.Ports[0].NodePort = 31080
	svc.Spec.Ports[1] = corev1.ServicePort{Name: "dns", Protocol: corev1.ProtocolUDP, Port: 53, NodePort: 30053}
	svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: "sig", Protocol: corev1.ProtocolSCTP, Port: 36412, NodePort: 30412})
	svc.Spec.SessionAffinity = corev1.ServiceAffinityClientIP
	s.ensure(svc)
	b := s.look(svc)
	var ports []int
	for port := range b.listeners {
		ports = append(ports, port)
	}
	slices.Sort(ports)
	if !slices.Equal(ports, []int{53, 80, 36412}) || b.listeners[53]["protocol"] != "UDP" || b.listeners[36412]["protocol"] != "SCTP" {
		t.Errorf("listeners %v", b.listeners)
	}
	if got := b.members[80][0]["protocol_port"]; got != 31080.0 || len(b.members[80]) != 2 {
		t.Errorf("members %v", b.members[80])
	}
	if b.pools[80]["session_persistence"] == nil {
		t.Errorf("no session persistence: %v", b.pools[80])
	}
	svc.Spec.SessionAffinity = corev1.ServiceAffinityNone
	s.ensure(svc)
	if b := s.look(svc); b.pools[80]["session_persistence"] != nil {
		t.Errorf("session persistence stays: %v", b.pools[80])
	}
	if got := svc.Status.LoadBalancer.Ingress[0].IP; got != address {
		t.Errorf("the address was %s and is %s", address, got)
	}
	s.remove(svc)
}
