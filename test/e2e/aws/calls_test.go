package aws_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// rarely is what changes rarely: machines, of which the program has a list and this test has not, and the
// network, which is read once for all Services within seconds.
var rarely = []string{"ec2 DescribeInstances", "ec2 DescribeAvailabilityZones", "ec2 DescribeSubnets", "ec2 DescribeRouteTables"}

// networkAge is how long the kernel keeps what it has read of the network, for a load balancer that may have to be made. It is
// longer for others.
const networkAge = 5 * time.Second

// TestCalls counts what AWS is asked about balancers, and how often about what changes rarely.
func TestCalls(t *testing.T) {
	type most struct{ reads, writes int }
	type step struct {
		name string
		act  func(*site, *corev1.Service)
	}
	steps := []step{
		{"created", (*site).ensure},
		{"unchanged", (*site).ensure},
		{"source ranges changed", func(s *site, svc *corev1.Service) {
			svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
			s.ensure(svc)
		}},
		{"port added", func(s *site, svc *corev1.Service) {
			svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: "more", Protocol: corev1.ProtocolTCP, Port: 8080, NodePort: 30808})
			s.ensure(svc)
		}},
		{"node removed", func(s *site, svc *corev1.Service) {
			s.nodes = s.nodes[:1]
			s.ensure(svc)
		}},
		{"node added", func(s *site, svc *corev1.Service) {
			s.nodes = s.nodes[:2]
			s.retarget(svc)
		}},
		{"compared", (*site).compare},
		{"deleted", (*site).remove},
	}
	for kind, test := range map[string]struct {
		ask  func(*corev1.Service)
		most []most // in the order of the steps
	}{
		"classic": {annotated(), []most{{5, 6}, {4, 0}, {4, 2}, {4, 2}, {4, 1}, {3, 1}, {4, 0}, {5, 3}}},
		"network": {network, []most{{4, 8}, {10, 0}, {10, 2}, {10, 4}, {12, 3}, {11, 3}, {12, 0}, {5, 5}}},
	} {
		t.Run(kind, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			svc := s.service("web", test.ask)
			began := time.Now()
			for i, step := range steps {
				from := len(s.proxy.Calls())
				step.act(s, svc)
				var got most
				var all []string
				for _, call := range s.proxy.Calls()[from:] {
					all = append(all, call.String())
					switch {
					case slices.Contains(rarely, call.String()):
					case call.Writes():
						got.writes++
					default:
						got.reads++
					}
				}
				t.Logf("%s: %d reads, %d writes", step.name, got.reads, got.writes)
				if limit := test.most[i]; got.reads > limit.reads || got.writes > limit.writes {
					t.Errorf("%s: at most %d reads and %d writes, got %q", step.name, limit.reads, limit.writes, all)
				}
			}
			networks := 0
			for _, call := range s.proxy.Calls() {
				if call.String() == "ec2 DescribeSubnets" {
					networks++
				}
			}
			if limit := 1 + int(time.Since(began)/networkAge); networks > limit {
				t.Errorf("the subnets were read %d times within %v, at most %d times would do", networks, time.Since(began), limit)
			}
		})
	}
}

// TestDeletionIsReadBack: AWS acknowledges the deletion of a balancer. Where nothing is deleted after it that AWS would refuse while the
// balancer is there, it is looked for.
func TestDeletionIsReadBack(t *testing.T) {
	for name, test := range map[string]struct {
		group  bool // whether the Service names a security group of its own
		reads  bool
		proved string
	}{
		"a security group of ours is deleted after it": {reads: false, proved: "ec2 DeleteSecurityGroup"},
		"a security group of the user's stays":         {group: true, reads: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			keys := []string{}
			if test.group {
				keys = []string{own + "security-groups", s.world.Group(t, "given")}
			}
			svc := s.service("web", annotated(keys...))
			s.ensure(svc)
			s.remove(svc)
			var after []string
			for _, call := range s.proxy.Calls() {
				if after = append(after, call.String()); call.Action == "DeleteLoadBalancer" {
					after = nil
				}
			}
			if reads := slices.Contains(after, "elb DescribeLoadBalancers"); reads != test.reads || test.proved != "" && !slices.Contains(after, test.proved) {
				t.Errorf("after the deletion AWS got %q", after)
			}
		})
	}
}
