package aws_test

import (
	"crypto/sha1" //nolint:gosec // upstream's names
	"encoding/hex"
	"strconv"
	"strings"

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
		s.upstreamListener(lb, svc, port, tags)
		rules = append(rules, upstreamRule(strings.ToLower(string(port.Protocol)), port.NodePort, port.NodePort, "0.0.0.0/0", "kubernetes.io/rule/nlb/client="+name))
	}
	s.allow(s.world.NodeGroup, append(rules, upstreamRule("icmp", 3, 4, "0.0.0.0/0", "kubernetes.io/rule/nlb/mtu"))...)
	svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{Hostname: *lb.DNSName}}
}

// upstreamCheck is a target group as upstream wants it for a port: the node port with instances behind.
type upstreamCheck struct {
	name, protocol, checked, port, path string
	interval, threshold                 int32
}

// upstreamWants is upstream's rule for the target group of a port: what it is like, and its name.
func upstreamWants(svc *corev1.Service, port corev1.ServicePort) upstreamCheck {
	w := upstreamCheck{protocol: string(port.Protocol), checked: "TCP", port: "traffic-port", interval: 30, threshold: 3}
	if svc.Annotations[own+"ssl-cert"] != "" && svc.Annotations[own+"backend-protocol"] == "ssl" {
		w.protocol = "TLS"
	}
	if svc.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal {
		w.checked, w.port, w.path, w.interval, w.threshold = "HTTP", strconv.Itoa(int(svc.Spec.HealthCheckNodePort)), "/healthz", 10, 2
	}
	if text := svc.Annotations[own+"healthcheck-interval"]; text != "" {
		n, _ := strconv.Atoi(text)
		w.interval = int32(n)
	}
	h := sha1.New() //nolint:gosec // as above
	for _, part := range []string{"lab", "shop", svc.Name, strconv.Itoa(int(port.Port)), strconv.Itoa(int(port.NodePort)), w.protocol, "instance", w.checked, strconv.Itoa(int(w.interval))} {
		h.Write([]byte(part))
	}
	w.name = "k8s-shop-" + svc.Name + "-" + hex.EncodeToString(h.Sum(nil))[:10]
	return w
}

// upstreamGroup makes a target group as upstream does, with all nodes as targets.
func (s *site) upstreamGroup(w upstreamCheck, nodePort int32, tags []networktypes.Tag) (arn *string, err error) {
	s.Helper()
	input := &networkapi.CreateTargetGroupInput{
		Name: &w.name, Port: &nodePort, Protocol: networktypes.ProtocolEnum(w.protocol),
		TargetType: networktypes.TargetTypeEnumInstance, VpcId: &s.world.VPC, Tags: tags,
		HealthCheckProtocol: networktypes.ProtocolEnum(w.checked), HealthCheckPort: &w.port, HealthCheckIntervalSeconds: &w.interval,
		HealthyThresholdCount: &w.threshold, UnhealthyThresholdCount: &w.threshold,
	}
	if w.path != "" {
		input.HealthCheckPath = &w.path
	}
	group, err := s.world.Network.CreateTargetGroup(s.Context(), input)
	if err != nil {
		return nil, err
	}
	var targets []networktypes.TargetDescription
	for _, n := range s.nodes {
		targets = append(targets, networktypes.TargetDescription{Id: awssdk.String(instanceID(n))})
	}
	_, err = s.world.Network.RegisterTargets(s.Context(), &networkapi.RegisterTargetsInput{TargetGroupArn: group.TargetGroups[0].TargetGroupArn, Targets: targets})
	s.must(err, "registering the nodes")
	return group.TargetGroups[0].TargetGroupArn, nil
}

func (s *site) upstreamListener(lb networktypes.LoadBalancer, svc *corev1.Service, port corev1.ServicePort, tags []networktypes.Tag) {
	s.Helper()
	arn, err := s.upstreamGroup(upstreamWants(svc, port), port.NodePort, tags)
	s.must(err, "making a target group")
	protocol := networktypes.ProtocolEnum(port.Protocol)
	input := &networkapi.CreateListenerInput{
		LoadBalancerArn: lb.LoadBalancerArn, Port: awssdk.Int32(port.Port), Protocol: protocol, Tags: tags,
		DefaultActions: []networktypes.Action{{Type: networktypes.ActionTypeEnumForward, TargetGroupArn: arn}},
	}
	if cert := svc.Annotations[own+"ssl-cert"]; cert != "" {
		input.Protocol, input.Certificates = networktypes.ProtocolEnumTls, []networktypes.Certificate{{CertificateArn: &cert}}
	}
	_, err = s.world.Network.CreateListener(s.Context(), input)
	s.must(err, "making a listener")
}

// upstreamReturns is upstream's sync of the target groups of a balancer that is there: the way back.
// For a listener it keeps a target group of the balancer with the node port, protocol, and protocol
// and interval of the health check; else it makes one, leads the listener there and deletes the old
// one.
func (s *site) upstreamReturns(svc *corev1.Service) error {
	s.Helper()
	lb := s.arn(balancerName(svc))
	for _, port := range svc.Spec.Ports {
		all, err := s.world.Network.DescribeTargetGroups(s.Context(), &networkapi.DescribeTargetGroupsInput{LoadBalancerArn: lb})
		s.must(err, "listing target groups")
		w, kept := upstreamWants(svc, port), false
		var old *string
		for _, g := range all.TargetGroups {
			if awssdk.ToInt32(g.Port) != port.NodePort {
				continue
			}
			old = g.TargetGroupArn
			kept = string(g.Protocol) == w.protocol && string(g.HealthCheckProtocol) == w.checked && awssdk.ToInt32(g.HealthCheckIntervalSeconds) == w.interval
		}
		if kept {
			continue
		}
		arn, err := s.upstreamGroup(w, port.NodePort, nil)
		if err != nil {
			return err
		}
		listener := s.listeners(balancerName(svc))[int(port.Port)]
		_, err = s.world.Network.ModifyListener(s.Context(), &networkapi.ModifyListenerInput{
			ListenerArn: listener.ListenerArn, DefaultActions: []networktypes.Action{{Type: networktypes.ActionTypeEnumForward, TargetGroupArn: arn}},
		})
		s.must(err, "leading a listener elsewhere")
		_, err = s.world.Network.DeleteTargetGroup(s.Context(), &networkapi.DeleteTargetGroupInput{TargetGroupArn: old})
		s.must(err, "deleting a target group")
	}
	return nil
}
