package aws_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
)

// volatile are the ids that AWS gives to what is made anew.
var volatile = regexp.MustCompile(`\bsg-[0-9a-f]{17}\b`)

// shape is the inventory without them.
func (s *site) shape() []string {
	s.Helper()
	var lines []string
	for _, line := range s.inventory() {
		lines = append(lines, volatile.ReplaceAllString(line, "sg"))
	}
	slices.Sort(lines)
	return lines
}

// life is what a Service goes through in TestCrashes.
type life struct {
	options siteOptions
	create  func(*corev1.Service)
	change  func(*corev1.Service)
}

var lives = map[string]life{
	"classic": {create: annotated(), change: func(svc *corev1.Service) {
		annotated(own+"proxy-protocol", "*", own+"additional-resource-tags", "team=web")(svc)
		rearrange(svc)
	}},
	"network": {create: network, change: func(svc *corev1.Service) {
		annotated(own+"healthcheck-protocol", "HTTP", own+"target-group-attributes", "proxy_protocol_v2.enabled=true")(svc)
		rearrange(svc)
	}},
	"network with its own security group": {options: siteOptions{global: []string{"NLBSecurityGroupMode = Managed"}}, create: network, change: rearrange},
}

// rearrange takes a port away, moves one, adds one, and narrows who may connect.
func rearrange(svc *corev1.Service) {
	svc.Spec.Ports = append(svc.Spec.Ports[1:], corev1.ServicePort{Name: "more", Protocol: corev1.ProtocolTCP, Port: 8080, NodePort: 30808})
	svc.Spec.Ports[0].NodePort = 30999
	svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
}

// TestCrashes ends the process at each write of a life: once before AWS gets it, and once before
// the answer comes. The next process gets to the same end, and a deletion leaves nothing.
func TestCrashes(t *testing.T) {
	for name, life := range lives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCluster(t, life.options)
			for _, phase := range []halt.Phase{halt.Before, halt.After} {
				writes := s.crash(life, phase)
				t.Logf("%s AWS gets it: %d writes", phase, writes)
			}
		})
	}
}

// crash goes through the life once for each write that is killed at, and returns how many there are.
func (s *site) crash(l life, phase halt.Phase) int {
	s.Helper()
	empty := s.shape()
	uid := s.service("web").UID
	var created, changed []string
	for at := 0; ; at++ {
		svc := s.service("web", l.create, func(svc *corev1.Service) { svc.UID = uid })
		next := on(s.T, s.world, s.nodes, l.options)
		killed := s.kill(at, phase, l, svc, (*site).try)
		next.ensure(svc)
		created = next.same(fmt.Sprintf("creation, write %d, %s", at, phase), created)

		l.change(svc)
		killed = s.kill(at, phase, l, svc, (*site).try) || killed
		next.ensure(svc)
		changed = next.same(fmt.Sprintf("change, write %d, %s", at, phase), changed)
		next.idle(svc)

		killed = s.kill(at, phase, l, svc, (*site).tryRemove) || killed
		next.remove(svc)
		if diff := cmp.Diff(empty, next.shape()); diff != "" {
			s.Fatalf("deletion, write %d, %s: left (-before +after):\n%s", at, phase, diff)
		}
		if at > 0 && !killed {
			return at - 1
		}
	}
}

// kill runs something in a process that is killed at that write, 0 for never, and reports
// whether it was. What it wrote on the Service is lost.
func (s *site) kill(at int, phase halt.Phase, l life, svc *corev1.Service, act func(*site, *corev1.Service) error) bool {
	s.Helper()
	if at == 0 {
		return true
	}
	doomed := on(s.T, s.world, s.nodes, l.options)
	s.must(doomed.proxy.ArmTrigger(halt.Trigger{N: at, Mutating: true, Phase: phase, Action: halt.Drop, Freeze: true}), "arming")
	err := act(doomed, svc.DeepCopy())
	if doomed.proxy.HaltedAt() == nil {
		s.must(err, "nobody was killed")
		return false
	}
	return true
}

// same compares the account with what it was at the first time.
func (s *site) same(when string, first []string) []string {
	s.Helper()
	now := s.shape()
	if first == nil {
		return now
	}
	if diff := cmp.Diff(first, now); diff != "" {
		s.Errorf("%s: another end (-first +now):\n%s", when, diff)
	}
	return first
}
