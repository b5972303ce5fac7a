package aws_test

import (
	"crypto/sha1"
	"fmt"
	"slices"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// TestTwoClusters share a VPC and machines, and have Services of the same name.
func TestTwoClusters(t *testing.T) {
	a := newSite(t, siteOptions{})
	empty := a.shape()
	a.world.Tag(t, a.world.NodeGroup, aws.Shared("b"))
	for _, n := range a.nodes {
		a.world.Tag(t, instanceID(n), aws.Shared("b"))
	}
	b := on(t, a.world, a.nodes, siteOptions{cluster: "b"})
	inA, inB := a.service("web", network), b.service("web", network)
	a.ensure(inA)
	alone := a.shape()
	b.ensure(inB)
	if inA.Status.LoadBalancer.Ingress[0].Hostname == inB.Status.LoadBalancer.Ingress[0].Hostname {
		t.Fatalf("both are at %v", inA.Status.LoadBalancer.Ingress)
	}
	// One that says it is the other: the UID is the proof, and the tags say whose it is.
	stolen := b.service("web", network)
	stolen.UID = inA.UID
	if err := b.try(stolen); err == nil || !strings.Contains(err.Error(), "belongs to") {
		t.Errorf("another cluster's balancer by its name: %v", err)
	}
	b.remove(inB)
	a.idle(inA)
	if diff := cmp.Diff(alone, a.shape()); diff != "" {
		t.Errorf("the other cluster left (-before +after):\n%s", diff)
	}
	a.remove(inA)
	if diff := cmp.Diff(empty, a.shape()); diff != "" {
		t.Errorf("left (-before +after):\n%s", diff)
	}
}

// What upstream made for the Service shop/web with this UID, of the cluster lab. The names are
// computed here from the formulas, past the driver.
const (
	upstreamUID  = types.UID("5ee0a1f2-3b4c-4d5e-8f60-7a8b9c0d1e2f")
	upstreamName = "a5ee0a1f23b4c4d5e8f607a8b9c0d1e2"
)

// adopted checks that since from calls nothing was written but tags, and the host is the old one.
func (s *site) adopted(from int, host, before string, allowed ...string) {
	s.Helper()
	for _, call := range s.wrote(from) {
		if !slices.Contains(allowed, call) {
			s.Errorf("wrote %s", call)
		}
	}
	if host != before {
		s.Errorf("host %s became %s", before, host)
	}
	s.Logf("adopted with %v", s.wrote(from))
}

func permission(protocol string, from, to int32, description, source string) ec2types.IpPermission {
	p := ec2types.IpPermission{IpProtocol: &protocol, FromPort: &from, ToPort: &to, IpRanges: []ec2types.IpRange{{CidrIp: &source}}}
	if description != "" {
		p.IpRanges[0].Description = &description
	}
	return p
}

// TestNetworkAdoption begins with what the upstream CCM left: nothing is made anew.
func TestNetworkAdoption(t *testing.T) {
	s := newSite(t, siteOptions{})
	empty := s.shape()
	host := s.upstreamNetwork()
	svc := s.service("web", network)
	svc.UID = upstreamUID
	from := len(s.proxy.Calls())
	s.ensure(svc)
	s.adopted(from, svc.Status.LoadBalancer.Ingress[0].Hostname, host, "elbv2 AddTags", "ec2 CreateTags")
	s.idle(svc)
	s.remove(svc)
	if diff := cmp.Diff(empty, s.shape()); diff != "" {
		t.Errorf("left (-before +after):\n%s", diff)
	}
}

// upstreamNetwork makes a network balancer as upstream does, and returns its host.
func (s *site) upstreamNetwork() string {
	s.Helper()
	tags := []networktypes.Tag{{Key: awssdk.String("kubernetes.io/service-name"), Value: awssdk.String("shop/web")}, {Key: awssdk.String("kubernetes.io/cluster/lab"), Value: awssdk.String("owned")}}
	made, err := s.world.Network.CreateLoadBalancer(s.Context(), &networkapi.CreateLoadBalancerInput{
		Name: awssdk.String(upstreamName), Type: networktypes.LoadBalancerTypeEnumNetwork, Subnets: s.world.Public, Tags: tags,
	})
	s.must(err, "making a balancer")
	for port, to := range map[int32]int32{80: 30080, 443: 30443} {
		group, err := s.world.Network.CreateTargetGroup(s.Context(), &networkapi.CreateTargetGroupInput{
			Name: awssdk.String(upstreamTargetGroup(port, to)), Protocol: networktypes.ProtocolEnumTcp, Port: &to, VpcId: &s.world.VPC, TargetType: networktypes.TargetTypeEnumInstance, Tags: tags,
			HealthCheckProtocol: networktypes.ProtocolEnumTcp, HealthCheckPort: awssdk.String("traffic-port"), HealthCheckIntervalSeconds: awssdk.Int32(30), HealthyThresholdCount: awssdk.Int32(3), UnhealthyThresholdCount: awssdk.Int32(3),
		})
		s.must(err, "making a target group")
		arn := group.TargetGroups[0].TargetGroupArn
		input := &networkapi.RegisterTargetsInput{TargetGroupArn: arn}
		for _, n := range s.nodes {
			input.Targets = append(input.Targets, networktypes.TargetDescription{Id: new(instanceID(n)), Port: &to})
		}
		_, err = s.world.Network.RegisterTargets(s.Context(), input)
		s.must(err, "registering")
		_, err = s.world.Network.CreateListener(s.Context(), &networkapi.CreateListenerInput{
			LoadBalancerArn: made.LoadBalancers[0].LoadBalancerArn, Port: &port, Protocol: networktypes.ProtocolEnumTcp, Tags: tags,
			DefaultActions: []networktypes.Action{{Type: networktypes.ActionTypeEnumForward, TargetGroupArn: arn}},
		})
		s.must(err, "making a listener")
		s.allow(s.world.NodeGroup, permission("tcp", to, to, "kubernetes.io/rule/nlb/client="+upstreamName, "0.0.0.0/0"))
	}
	s.allow(s.world.NodeGroup, permission("icmp", 3, 4, "kubernetes.io/rule/nlb/mtu", "0.0.0.0/0"))
	return *made.LoadBalancers[0].DNSName
}

// upstreamTargetGroup is upstream's name of a target group.
func upstreamTargetGroup(port, to int32) string {
	sum := sha1.Sum([]byte(fmt.Sprintf("labshopweb%d%dTCPinstanceTCP30", port, to)))
	return fmt.Sprintf("k8s-shop-web-%x", sum)[:len("k8s-shop-web-")+10]
}
