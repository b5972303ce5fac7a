package aws_test

import (
	"slices"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// networked is a network balancer as AWS shows it to a plain client.
type networked struct {
	networktypes.LoadBalancer
	attributes, tags map[string]string
	// Of the listener at port 443.
	listener        networktypes.Listener
	group           networktypes.TargetGroup
	groupAttributes map[string]string
	idle            string // its idle timeout
	targets         string // names of nodes
	ranges          string // who may connect to its node port, by the description of the rules
}

// lookNetwork reads the Service's network balancer.
func (s *site) lookNetwork(svc *corev1.Service) networked {
	s.Helper()
	host := svc.Status.LoadBalancer.Ingress[0].Hostname
	all, err := s.world.Network.DescribeLoadBalancers(s.Context(), &networkapi.DescribeLoadBalancersInput{})
	s.must(err, "listing network balancers")
	at := slices.IndexFunc(all.LoadBalancers, func(lb networktypes.LoadBalancer) bool { return awssdk.ToString(lb.DNSName) == host })
	if at < 0 {
		s.Fatalf("no network balancer is %s", host)
	}
	b := networked{LoadBalancer: all.LoadBalancers[at], attributes: map[string]string{}, tags: map[string]string{}, groupAttributes: map[string]string{}}
	attributes, err := s.world.Network.DescribeLoadBalancerAttributes(s.Context(), &networkapi.DescribeLoadBalancerAttributesInput{LoadBalancerArn: b.LoadBalancerArn})
	s.must(err, "reading its attributes")
	for _, a := range attributes.Attributes {
		b.attributes[*a.Key] = awssdk.ToString(a.Value)
	}
	tags, err := s.world.Network.DescribeTags(s.Context(), &networkapi.DescribeTagsInput{ResourceArns: []string{*b.LoadBalancerArn}})
	s.must(err, "reading its tags")
	for _, tag := range tags.TagDescriptions[0].Tags {
		b.tags[*tag.Key] = awssdk.ToString(tag.Value)
	}
	s.lookListener(&b)
	for _, line := range s.lines("rule of nodes: tcp 30443") {
		if _, source, found := strings.Cut(line, " from "); found && strings.HasSuffix(line, "client="+*b.LoadBalancerName) {
			source, _, _ = strings.Cut(source, " ")
			b.ranges = strings.TrimSpace(b.ranges + " " + source)
		}
	}
	return b
}

func (s *site) lookListener(b *networked) {
	s.Helper()
	listeners, err := s.world.Network.DescribeListeners(s.Context(), &networkapi.DescribeListenersInput{LoadBalancerArn: b.LoadBalancerArn})
	s.must(err, "listing listeners")
	for _, l := range listeners.Listeners {
		if awssdk.ToInt32(l.Port) == 443 {
			b.listener = l
		}
	}
	own, err := s.world.Network.DescribeListenerAttributes(s.Context(), &networkapi.DescribeListenerAttributesInput{ListenerArn: b.listener.ListenerArn})
	s.must(err, "reading the attributes of the listener")
	for _, a := range own.Attributes {
		b.idle += awssdk.ToString(a.Value)
	}
	arn := b.listener.DefaultActions[0].TargetGroupArn
	groups, err := s.world.Network.DescribeTargetGroups(s.Context(), &networkapi.DescribeTargetGroupsInput{TargetGroupArns: []string{*arn}})
	s.must(err, "reading the target group")
	b.group = groups.TargetGroups[0]
	attributes, err := s.world.Network.DescribeTargetGroupAttributes(s.Context(), &networkapi.DescribeTargetGroupAttributesInput{TargetGroupArn: arn})
	s.must(err, "reading its attributes")
	for _, a := range attributes.Attributes {
		b.groupAttributes[*a.Key] = awssdk.ToString(a.Value)
	}
	health, err := s.world.Network.DescribeTargetHealth(s.Context(), &networkapi.DescribeTargetHealthInput{TargetGroupArn: arn})
	s.must(err, "reading its targets")
	var names []string
	for _, n := range s.nodes {
		if slices.ContainsFunc(health.TargetHealthDescriptions, func(d networktypes.TargetHealthDescription) bool {
			leaving := d.TargetHealth != nil && d.TargetHealth.Reason == networktypes.TargetHealthReasonEnumDeregistrationInProgress
			return !leaving && strings.HasSuffix(n.Spec.ProviderID, "/"+*d.Target.Id)
		}) {
			names = append(names, n.Name)
		}
	}
	b.targets = strings.Join(names, " ")
}

func (b networked) placed() string {
	var subnets []string
	for _, zone := range b.AvailabilityZones {
		subnets = append(subnets, *zone.SubnetId)
	}
	slices.Sort(subnets)
	return strings.Join(subnets, " ")
}

// addresses are the allocations and private addresses that were asked for.
func (b networked) addresses() string {
	var list []string
	for _, zone := range b.AvailabilityZones {
		for _, address := range zone.LoadBalancerAddresses {
			list = append(list, awssdk.ToString(address.AllocationId)+awssdk.ToString(address.PrivateIPv4Address))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func (b networked) certificate() string {
	if len(b.listener.Certificates) == 0 {
		return ""
	}
	return awssdk.ToString(b.listener.Certificates[0].CertificateArn)
}

func attribute(name string) func(networked) any {
	return func(b networked) any { return b.attributes[name] }
}

func groupAttribute(name string) func(networked) any {
	return func(b networked) any { return b.groupAttributes[name] == "true" }
}

// networkObjects are things of the world that rows name.
type networkObjects struct{ group, certificate, address string }

// networkRows are about network balancers.
func networkRows(w *aws.World, o networkObjects) []row[networked] {
	tls := set("ssl-cert", o.certificate)
	logged := set("access-log-enabled", "true", "access-log-s3-bucket-name", "logs")
	checked := set("healthcheck-protocol", "HTTP")
	alone := set("subnets", w.Public[0])
	inside := set("subnets", w.Private[0], "internal", "true")
	standard := sorted(w.Public...)
	scheme := func(b networked) any { return string(b.Scheme) }
	return []row[networked]{
		{key: own + "name", value: "chosen", fresh: true, read: func(b networked) any { return *b.LoadBalancerName }, changed: "chosen", standard: different},
		{key: own + "internal", value: "0.0.0.0/0", fresh: true, read: scheme, changed: "internal", standard: "internet-facing"},
		{key: own + "subnets", value: w.Public[2], fresh: true, read: func(b networked) any { return b.placed() }, changed: w.Public[2], standard: standard},
		{key: own + "security-groups", value: o.group, fresh: true, read: func(b networked) any { return strings.Join(b.SecurityGroups, " ") }, changed: o.group, standard: ""},
		{key: "multicloud-ccm.io/aws-security-group-mode", value: "managed", fresh: true, read: func(b networked) any { return len(b.SecurityGroups) }, changed: 1, standard: 0},
		{key: own + "eip-allocations", value: o.address, with: alone, fresh: true, read: func(b networked) any { return b.addresses() }, changed: o.address, standard: different},
		{key: own + "private-ipv4-addresses", value: "10.0.0.77", with: inside, fresh: true, read: func(b networked) any { return b.addresses() }, changed: "10.0.0.77", standard: different},
		{key: "multicloud-ccm.io/proxy-protocol", value: "true", read: groupAttribute("proxy_protocol_v2.enabled"), changed: true, standard: false},
		{key: own + "target-group-attributes", value: "preserve_client_ip.enabled=false", read: func(b networked) any { return b.groupAttributes["preserve_client_ip.enabled"] }, changed: "false", standard: "true"},
		{key: own + "nlb-target-type", value: "ip", read: func(b networked) any { return string(b.group.TargetType) }, changed: "ip", standard: "instance"},
		{key: own + "ssl-cert", value: o.certificate, read: func(b networked) any { return b.certificate() }, changed: o.certificate, standard: ""},
		{key: own + "ssl-ports", value: "http", with: tls, read: func(b networked) any { return string(b.listener.Protocol) }, changed: "TCP", standard: "TLS"},
		{key: own + "ssl-negotiation-policy", value: "ELBSecurityPolicy-TLS13-1-2-2021-06", with: tls, read: func(b networked) any { return awssdk.ToString(b.listener.SslPolicy) }, changed: "ELBSecurityPolicy-TLS13-1-2-2021-06", standard: "ELBSecurityPolicy-2016-08"},
		{key: own + "backend-protocol", value: "ssl", with: tls, read: func(b networked) any { return string(b.group.Protocol) }, changed: "TLS", standard: "TCP"},
		{key: own + "access-log-enabled", value: "true", with: set("access-log-s3-bucket-name", "logs"), read: attribute("access_logs.s3.enabled"), changed: "true", standard: "false"},
		{key: own + "access-log-s3-bucket-prefix", value: "web", with: logged, read: attribute("access_logs.s3.prefix"), changed: "web", standard: ""},
		{key: own + "cross-zone-load-balancing-enabled", value: "true", read: attribute("load_balancing.cross_zone.enabled"), changed: "true", standard: "false"},
		{key: "multicloud-ccm.io/idle-timeout", value: "600", read: func(b networked) any { return b.idle }, changed: "600", standard: "350"},
		{key: "multicloud-ccm.io/aws-deletion-protection", value: "true", read: attribute("deletion_protection.enabled"), changed: "true", standard: "false"},
		{key: own + "additional-resource-tags", value: "team=web", read: func(b networked) any { return b.tags["team"] }, changed: "web", standard: ""},
		{key: own + "healthcheck-protocol", value: "https", read: func(b networked) any { return string(b.group.HealthCheckProtocol) }, changed: "HTTPS", standard: "TCP"},
		{key: own + "healthcheck-port", value: "8080", read: func(b networked) any { return *b.group.HealthCheckPort }, changed: "8080", standard: "traffic-port"},
		{key: own + "healthcheck-path", value: "/up", with: checked, read: func(b networked) any { return awssdk.ToString(b.group.HealthCheckPath) }, changed: "/up", standard: "/"},
		{key: "multicloud-ccm.io/health-check-protocol", value: "http", read: func(b networked) any { return string(b.group.HealthCheckProtocol) }, changed: "HTTP", standard: "TCP"},
		{key: "multicloud-ccm.io/health-check-port", value: "80", read: func(b networked) any { return *b.group.HealthCheckPort }, changed: "30080", standard: "traffic-port"},
		{key: own + "healthcheck-healthy-threshold", value: "5", read: func(b networked) any { return *b.group.HealthyThresholdCount }, changed: int32(5), standard: int32(3)},
		{key: own + "healthcheck-unhealthy-threshold", value: "4", read: func(b networked) any { return *b.group.UnhealthyThresholdCount }, changed: int32(4), standard: int32(3)},
		{key: own + "healthcheck-timeout", value: "7", read: func(b networked) any { return *b.group.HealthCheckTimeoutSeconds }, changed: int32(7), standard: int32(10)},
		{key: own + "healthcheck-interval", value: "20", read: func(b networked) any { return *b.group.HealthCheckIntervalSeconds }, changed: int32(20), standard: int32(30)},
		{key: own + "target-node-labels", value: "pool=p1", read: func(b networked) any { return b.targets }, changed: "node-1", standard: "node-0 node-1"},
		{key: corev1.AnnotationLoadBalancerSourceRangesKey, value: "192.0.2.0/24", read: func(b networked) any { return b.ranges }, changed: "192.0.2.0/24", standard: "0.0.0.0/0"},
	}
}

// TestNetworkAnnotations sets each annotation of network balancers.
func TestNetworkAnnotations(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	o := networkObjects{group: s.world.Group(t, "mine"), certificate: s.world.Certificate("one"), address: s.world.ElasticIP(t)}
	before = append(before, "security group mine")
	slices.Sort(before)
	m := matrix[networked]{s, s.service("live", network), (*site).lookNetwork}
	m.run(networkRows(s.world, o))
	if after := s.inventory(); !slices.Equal(before, after) {
		t.Errorf("left %q, before %q", after, before)
	}
}
