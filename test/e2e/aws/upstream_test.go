package aws_test

import (
	"crypto/sha1" //nolint:gosec // upstream's names
	"encoding/hex"
	"strconv"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	corev1 "k8s.io/api/core/v1"
)

// What is here makes network balancers as upstream's controller makes them: it shares nothing with the
// product, so that a name the product gets wrong is not found again.

// upstreamRule lets packets in as upstream does.
func upstreamRule(protocol string, from, to int32, source, description string) ec2types.IpPermission {
	return ec2types.IpPermission{IpProtocol: &protocol, FromPort: &from, ToPort: &to, IpRanges: []ec2types.IpRange{{CidrIp: &source, Description: &description}}}
}

// upstreamNetwork makes a network balancer as upstream does.
func (s *site) upstreamNetwork(svc *corev1.Service) {
	s.Helper()
	name := balancerName(svc)
	tags := []networktypes.Tag{
		{Key: awssdk.String("kubernetes.io/service-name"), Value: awssdk.String("shop/" + svc.Name)},
		{Key: awssdk.String("kubernetes.io/cluster/lab"), Value: awssdk.String("owned")},
	}
	var mappings []networktypes.SubnetMapping
	for _, subnet := range s.world.Public {
		mappings = append(mappings, networktypes.SubnetMapping{SubnetId: awssdk.String(subnet)})
	}
	made, err := s.world.Network.CreateLoadBalancer(s.Context(), &networkapi.CreateLoadBalancerInput{Name: &name, Type: networktypes.LoadBalancerTypeEnumNetwork, SubnetMappings: mappings, Tags: tags})
	s.must(err, "making the balancer")
	lb := made.LoadBalancers[0]
	var rules []ec2types.IpPermission
	for _, port := range svc.Spec.Ports {
		s.upstreamListener(lb, port, tags)
		rules = append(rules, upstreamRule("tcp", port.NodePort, port.NodePort, "0.0.0.0/0", "kubernetes.io/rule/nlb/client="+name))
	}
	s.allow(s.world.NodeGroup, append(rules, upstreamRule("icmp", 3, 4, "0.0.0.0/0", "kubernetes.io/rule/nlb/mtu"))...)
	svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{Hostname: *lb.DNSName}}
}

func (s *site) upstreamListener(lb networktypes.LoadBalancer, port corev1.ServicePort, tags []networktypes.Tag) {
	s.Helper()
	h := sha1.New() //nolint:gosec // as above
	for _, part := range []string{"lab", "shop", "web", strconv.Itoa(int(port.Port)), strconv.Itoa(int(port.NodePort)), "TCP", "instance", "TCP", "30"} {
		h.Write([]byte(part))
	}
	group, err := s.world.Network.CreateTargetGroup(s.Context(), &networkapi.CreateTargetGroupInput{
		Name: awssdk.String("k8s-shop-web-" + hex.EncodeToString(h.Sum(nil))[:10]), Port: awssdk.Int32(port.NodePort), Protocol: networktypes.ProtocolEnumTcp,
		TargetType: networktypes.TargetTypeEnumInstance, VpcId: &s.world.VPC, Tags: tags,
		HealthCheckProtocol: networktypes.ProtocolEnumTcp, HealthCheckPort: awssdk.String("traffic-port"), HealthCheckIntervalSeconds: awssdk.Int32(30),
		HealthyThresholdCount: awssdk.Int32(3), UnhealthyThresholdCount: awssdk.Int32(3),
	})
	s.must(err, "making a target group")
	var targets []networktypes.TargetDescription
	for _, n := range s.nodes {
		targets = append(targets, networktypes.TargetDescription{Id: awssdk.String(instanceID(n))})
	}
	arn := group.TargetGroups[0].TargetGroupArn
	_, err = s.world.Network.RegisterTargets(s.Context(), &networkapi.RegisterTargetsInput{TargetGroupArn: arn, Targets: targets})
	s.must(err, "registering the nodes")
	_, err = s.world.Network.CreateListener(s.Context(), &networkapi.CreateListenerInput{
		LoadBalancerArn: lb.LoadBalancerArn, Port: awssdk.Int32(port.Port), Protocol: networktypes.ProtocolEnumTcp, Tags: tags,
		DefaultActions: []networktypes.Action{{Type: networktypes.ActionTypeEnumForward, TargetGroupArn: arn}},
	})
	s.must(err, "making a listener")
}
