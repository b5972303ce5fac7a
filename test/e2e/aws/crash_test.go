package aws_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

// life is a Service whose balancer is made, changed, and deleted.
type life struct {
	create, change func(*corev1.Service)
}

// lives take every call that makes, changes or deletes anything.
func lives(s *site) map[string]life {
	given, extra := s.world.Group(s, "given"), s.world.Group(s, "extra")
	one, two := s.world.Certificate("one"), s.world.Certificate("two")
	ports := func(svc *corev1.Service) {
		svc.Spec.Ports[0].NodePort = 31080
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: "more", Protocol: corev1.ProtocolTCP, Port: 8080, NodePort: 30808})
		svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
	}
	both := func(edits ...func(*corev1.Service)) func(*corev1.Service) {
		return func(svc *corev1.Service) {
			for _, edit := range edits {
				edit(svc)
			}
		}
	}
	return map[string]life{
		"classic": {
			create: annotated(own+"ssl-cert", one, own+"ssl-ports", "443", own+"proxy-protocol", "*", own+"additional-resource-tags", "a=1"),
			change: both(ports, annotated(own+"ssl-cert", two, own+"backend-protocol", "ssl", own+"proxy-protocol", "", own+"additional-resource-tags", "b=2",
				own+"ssl-negotiation-policy", "ELBSecurityPolicy-TLS-1-2-2017-01", own+"connection-idle-timeout", "90",
				own+"subnets", s.world.Public[0]+","+s.world.Private[1]+","+s.world.Public[2])),
		},
		"network": {
			create: both(network, annotated(own+"ssl-cert", one, own+"ssl-ports", "443", own+"additional-resource-tags", "a=1", "multicloud-ccm.io/idle-timeout", "90")),
			change: both(ports, annotated(own+"ssl-cert", two+","+one, own+"additional-resource-tags", "b=2", own+"ssl-negotiation-policy", "ELBSecurityPolicy-TLS13-1-2-2021-06",
				own+"cross-zone-load-balancing-enabled", "true", own+"healthcheck-protocol", "http", own+"target-group-attributes", "proxy_protocol_v2.enabled=true", "multicloud-ccm.io/idle-timeout", "")),
		},
		"network group": {
			create: both(network, annotated("multicloud-ccm.io/aws-security-group-mode", "managed")),
			change: both(ports, annotated(own+"security-groups", given)),
		},
		"classic groups": {
			create: annotated(own+"extra-security-groups", extra),
			change: annotated(own+"extra-security-groups", "", own+"security-groups", given),
		},
	}
}

var volatile = regexp.MustCompile(`sg-[0-9a-f]+|a[0-9a-f]{31}|(k8s-shop-web-)[0-9a-f]{10}`)

// shape is the account without ids, sorted.
func (s *site) shape() []string {
	s.Helper()
	var lines []string
	for _, line := range s.inventory() {
		lines = append(lines, volatile.ReplaceAllString(line, "$1…"))
	}
	slices.Sort(lines)
	return lines
}

// fewestWrites is less than a life takes in its longest phase.
const fewestWrites = 6

// TestCrashes ends the process at each write of a life: once before AWS gets it, and once before
// the answer comes. The next process gets to the same end, and nothing is left.
func TestCrashes(t *testing.T) {
	for _, name := range []string{"classic", "classic groups", "network", "network group"} {
		for _, applied := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, applied %t", name, applied), func(t *testing.T) {
				s := newSite(t, siteOptions{})
				s.crashes(lives(s)[name], applied)
			})
		}
	}
}

func (s *site) crashes(l life, applied bool) {
	t := s.T
	empty := s.shape()
	var created, changed []string
	at := 0
	for killed := true; killed; at++ {
		next := on(t, s.world, s.nodes, siteOptions{})
		svc := s.service("web", l.create)
		svc.Spec.Ports = slices.Clone(svc.Spec.Ports)
		same := func(phase string, first *[]string) {
			t.Helper()
			next.ensure(svc)
			now := next.shape()
			if *first == nil {
				*first = now
			}
			if diff := cmp.Diff(*first, now); diff != "" {
				t.Errorf("%s, write %d: (-first +now):\n%s", phase, at, diff)
			}
			next.idle(svc)
		}
		killed = next.killed(at, applied, func(s *site) error { return s.try(svc) })
		same("creation", &created)
		l.change(svc)
		killed = next.killed(at, applied, func(s *site) error { return s.try(svc) }) || killed
		same("change", &changed)
		killed = next.killed(at, applied, func(s *site) error { return s.tryRemove(svc) }) || killed
		next = on(t, s.world, s.nodes, siteOptions{}) // one that remembers the creation waits for a minute, see ADR 59
		next.remove(svc)
		if diff := cmp.Diff(empty, next.shape()); diff != "" {
			t.Fatalf("deletion, write %d: left (-before +after):\n%s", at, diff)
		}
	}
	t.Logf("killed at each of %d writes", at-2)
	if at < fewestWrites {
		t.Errorf("there were only %d writes in any phase", at)
	}
}

// killed runs something in a process of its own that dies at that write, and reports whether it
// did. Write 0 kills nobody.
func (s *site) killed(at int, applied bool, run func(*site) error) bool {
	s.Helper()
	if at == 0 {
		return true
	}
	doomed := on(s.T, s.world, s.nodes, siteOptions{})
	doomed.proxy.AddFault(fault.Fault{Mutating: true, Skip: at - 1, Times: 1, Apply: applied, Drop: true})
	doomed.proxy.AddFault(fault.Fault{Mutating: true, Skip: at - 1, Drop: true})
	err := run(doomed)
	_, writes := doomed.proxy.Counts()
	if writes < at {
		s.must(err, "nobody was killed")
	}
	return writes >= at
}
