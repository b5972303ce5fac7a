package aws_test

import (
	"fmt"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	classicapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// inventory is everything a balancer can leave in the account, a line each, sorted: balancers,
// listeners, target groups with their targets, security groups with their rules.
func (s *site) inventory() []string {
	s.Helper()
	lines := slices.Concat(s.classicLines(), s.networkLines(), s.groupLines())
	slices.Sort(lines)
	return lines
}

// gone deletes a Service's balancer and compares what is left with what there was.
func (s *site) gone(svc *corev1.Service, before []string) {
	s.Helper()
	s.remove(svc)
	s.left(before, s.inventory())
}

// left compares what is left with what there was.
func (s *site) left(before, after []string) {
	s.Helper()
	if diff := cmp.Diff(before, after); diff != "" {
		s.Errorf("left (-before +after):\n%s", diff)
	}
}

func (s *site) classicLines() []string {
	s.Helper()
	all, err := s.world.Classic.DescribeLoadBalancers(s.Context(), &classicapi.DescribeLoadBalancersInput{})
	s.must(err, "listing classic balancers")
	var lines []string
	for _, lb := range all.LoadBalancerDescriptions {
		name := awssdk.ToString(lb.LoadBalancerName)
		var targets []string
		for _, i := range lb.Instances {
			targets = append(targets, awssdk.ToString(i.InstanceId))
		}
		slices.Sort(targets)
		subnets := slices.Sorted(slices.Values(lb.Subnets))
		lines = append(lines, fmt.Sprintf("classic %s %s subnets %s groups %s targets %s check %s", name, awssdk.ToString(lb.Scheme), subnets, lb.SecurityGroups, targets, awssdk.ToString(lb.HealthCheck.Target)))
		for _, d := range lb.ListenerDescriptions {
			l := d.Listener
			lines = append(lines, fmt.Sprintf("classic listener %s %d %s to %d %s certificate %s policies %s", name, l.LoadBalancerPort, awssdk.ToString(l.Protocol), awssdk.ToInt32(l.InstancePort), awssdk.ToString(l.InstanceProtocol), awssdk.ToString(l.SSLCertificateId), d.PolicyNames))
		}
	}
	return lines
}

func (s *site) networkLines() []string {
	s.Helper()
	all, err := s.world.Network.DescribeLoadBalancers(s.Context(), &networkapi.DescribeLoadBalancersInput{})
	s.must(err, "listing network balancers")
	names := map[string]string{}
	var lines []string
	for _, lb := range all.LoadBalancers {
		name := awssdk.ToString(lb.LoadBalancerName)
		lines = append(lines, fmt.Sprintf("network %s %s %s groups %s", name, lb.Scheme, lb.IpAddressType, lb.SecurityGroups))
		for _, zone := range lb.AvailabilityZones {
			lines = append(lines, fmt.Sprintf("network %s in %s", name, awssdk.ToString(zone.SubnetId)))
		}
		listeners, err := s.world.Network.DescribeListeners(s.Context(), &networkapi.DescribeListenersInput{LoadBalancerArn: lb.LoadBalancerArn})
		s.must(err, "listing listeners")
		for _, l := range listeners.Listeners {
			group := awssdk.ToString(l.DefaultActions[0].TargetGroupArn)
			names[group] = fmt.Sprintf("of %s %d", name, awssdk.ToInt32(l.Port))
			lines = append(lines, fmt.Sprintf("network listener %s %d %s policy %s certificates %d", name, awssdk.ToInt32(l.Port), l.Protocol, awssdk.ToString(l.SslPolicy), len(l.Certificates)))
		}
	}
	groups, err := s.world.Network.DescribeTargetGroups(s.Context(), &networkapi.DescribeTargetGroupsInput{})
	s.must(err, "listing target groups")
	for _, g := range groups.TargetGroups {
		health, err := s.world.Network.DescribeTargetHealth(s.Context(), &networkapi.DescribeTargetHealthInput{TargetGroupArn: g.TargetGroupArn})
		s.must(err, "listing targets")
		var targets []string
		for _, d := range health.TargetHealthDescriptions {
			if d.TargetHealth.Reason == networktypes.TargetHealthReasonEnumDeregistrationInProgress {
				continue
			}
			targets = append(targets, awssdk.ToString(d.Target.Id))
		}
		slices.Sort(targets)
		lines = append(lines, fmt.Sprintf("target group %s %s port %d %s check %s %s targets %s", names[awssdk.ToString(g.TargetGroupArn)], g.Protocol, awssdk.ToInt32(g.Port), g.TargetType, g.HealthCheckProtocol, awssdk.ToString(g.HealthCheckPort), targets))
	}
	return lines
}

func (s *site) groupLines() []string {
	s.Helper()
	all, err := s.world.EC2.DescribeSecurityGroups(s.Context(), &ec2.DescribeSecurityGroupsInput{
		Filters: []ec2types.Filter{{Name: awssdk.String("vpc-id"), Values: []string{s.world.VPC}}},
	})
	s.must(err, "listing security groups")
	var lines []string
	for _, g := range all.SecurityGroups {
		name := awssdk.ToString(g.GroupName)
		lines = append(lines, "security group "+name)
		for _, p := range g.IpPermissions {
			rule := fmt.Sprintf("rule of %s: %s %d-%d", name, awssdk.ToString(p.IpProtocol), awssdk.ToInt32(p.FromPort), awssdk.ToInt32(p.ToPort))
			for _, from := range p.IpRanges {
				lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s from %s %s", rule, awssdk.ToString(from.CidrIp), awssdk.ToString(from.Description))))
			}
			for _, from := range p.Ipv6Ranges {
				lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s from %s %s", rule, awssdk.ToString(from.CidrIpv6), awssdk.ToString(from.Description))))
			}
			for _, from := range p.UserIdGroupPairs {
				lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s from %s", rule, awssdk.ToString(from.GroupId))))
			}
		}
	}
	return lines
}
