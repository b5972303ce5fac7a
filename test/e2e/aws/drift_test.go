package aws_test

import (
	"fmt"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	classicapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/google/go-cmp/cmp"
)

// damage is what somebody does by hand to a balancer.
type damage struct {
	name string
	do   func(s *site, name string)
}

// breakage are those of both kinds: they are about security groups.
var breakage = []damage{
	{"the nodes' rules", func(s *site, _ string) { s.closeGroup(s.world.NodeGroup) }},
}

// repaired does each damage and wants the balancer back as it was, with its hostname.
func repaired(s *site, before []string, ensure func(), host func() string, name string, all []damage) {
	was := host()
	for _, d := range all {
		d.do(s, name)
		if cmp.Equal(before, s.shape()) {
			s.Errorf("%s: nothing is broken", d.name)
		}
		ensure()
		if diff := cmp.Diff(before, s.shape()); diff != "" {
			s.Errorf("%s (-before +repaired):\n%s", d.name, diff)
		}
		if now := host(); now != was {
			s.Errorf("%s: host %s became %s", d.name, was, now)
		}
	}
}

func TestClassicRepair(t *testing.T) {
	s := newSite(t, siteOptions{})
	empty := s.shape()
	svc := s.service("web")
	s.ensure(svc)
	name := defaultName(string(svc.UID))
	repaired(s, s.shape(), func() { s.ensure(svc) }, func() string { return svc.Status.LoadBalancer.Ingress[0].Hostname }, name, append([]damage{
		{"a listener", func(s *site, name string) {
			_, err := s.world.Classic.DeleteLoadBalancerListeners(t.Context(), &classicapi.DeleteLoadBalancerListenersInput{LoadBalancerName: &name, LoadBalancerPorts: []int32{443}})
			s.must(err, "deleting a listener")
		}},
		{"a subnet", func(s *site, name string) {
			_, err := s.world.Classic.DetachLoadBalancerFromSubnets(t.Context(), &classicapi.DetachLoadBalancerFromSubnetsInput{LoadBalancerName: &name, Subnets: s.world.Public[:1]})
			s.must(err, "detaching a subnet")
		}},
		{"its own security group's rules", func(s *site, name string) { s.closeGroup(s.groupCalled("k8s-elb-" + name)) }},
	}, breakage...))
	s.remove(svc)
	s.left(empty, s.shape())
}

func TestNetworkRepair(t *testing.T) {
	s := newSite(t, siteOptions{})
	empty := s.shape()
	svc := s.service("web", network)
	s.ensure(svc)
	name := defaultName(string(svc.UID))
	repaired(s, s.shape(), func() { s.compare(svc) }, func() string { return svc.Status.LoadBalancer.Ingress[0].Hostname }, name, append([]damage{
		{"a listener", func(s *site, name string) { s.dropListener(name, 443, false) }},
		{"a listener and its target group", func(s *site, name string) { s.dropListener(name, 80, true) }},
		{"a subnet", func(s *site, name string) {
			_, err := s.world.Network.SetSubnets(t.Context(), &networkapi.SetSubnetsInput{LoadBalancerArn: s.arn(name), Subnets: s.world.Public[:2]})
			s.must(err, "taking a subnet away")
		}},
		{"a health check", func(s *site, name string) {
			group := s.listeners(name)[80].DefaultActions[0].TargetGroupArn
			_, err := s.world.Network.ModifyTargetGroup(t.Context(), &networkapi.ModifyTargetGroupInput{TargetGroupArn: group, HealthCheckPort: awssdk.String("9")})
			s.must(err, "changing a health check")
		}},
	}, breakage...))
	s.remove(svc)
	s.left(empty, s.shape())
}

// defaultName is upstream's name of a balancer.
func defaultName(uid string) string { return ("a" + strings.ReplaceAll(uid, "-", ""))[:32] }

func (s *site) arn(name string) *string {
	s.Helper()
	found, err := s.world.Network.DescribeLoadBalancers(s.Context(), &networkapi.DescribeLoadBalancersInput{Names: []string{name}})
	s.must(err, "reading a network balancer")
	return found.LoadBalancers[0].LoadBalancerArn
}

// listeners are those of a network balancer, by port.
func (s *site) listeners(name string) map[int]networktypes.Listener {
	s.Helper()
	found, err := s.world.Network.DescribeListeners(s.Context(), &networkapi.DescribeListenersInput{LoadBalancerArn: s.arn(name)})
	s.must(err, "reading listeners")
	ports := map[int]networktypes.Listener{}
	for _, l := range found.Listeners {
		ports[int(*l.Port)] = l
	}
	return ports
}

func (s *site) dropListener(name string, port int, group bool) {
	s.Helper()
	l := s.listeners(name)[port]
	_, err := s.world.Network.DeleteListener(s.Context(), &networkapi.DeleteListenerInput{ListenerArn: l.ListenerArn})
	s.must(err, fmt.Sprintf("deleting listener %d", port))
	if group {
		_, err = s.world.Network.DeleteTargetGroup(s.Context(), &networkapi.DeleteTargetGroupInput{TargetGroupArn: l.DefaultActions[0].TargetGroupArn})
		s.must(err, "deleting a target group")
	}
}

func (s *site) groupCalled(name string) string {
	s.Helper()
	found, err := s.world.EC2.DescribeSecurityGroups(s.Context(), &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{{Name: awssdk.String("group-name"), Values: []string{name}}}})
	s.must(err, "reading a security group")
	return *found.SecurityGroups[0].GroupId
}

// closeGroup removes all rules of a security group.
func (s *site) closeGroup(id string) {
	s.Helper()
	found, err := s.world.EC2.DescribeSecurityGroups(s.Context(), &ec2.DescribeSecurityGroupsInput{GroupIds: []string{id}})
	s.must(err, "reading a security group")
	_, err = s.world.EC2.RevokeSecurityGroupIngress(s.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: &id, IpPermissions: found.SecurityGroups[0].IpPermissions})
	s.must(err, "removing rules")
}
