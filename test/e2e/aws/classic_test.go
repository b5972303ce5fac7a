package aws_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// classic is a classic balancer as AWS shows it to a plain client.
type classic struct {
	elbtypes.LoadBalancerDescription
	attributes *elbtypes.LoadBalancerAttributes
	tags       map[string]string
	// groups are its security groups by name, and node those of the nodes.
	groups map[string]ec2types.SecurityGroup
	node   ec2types.SecurityGroup
	names  map[string]string // of instances
}

// balancerName is upstream's name of the Service's balancer.
func balancerName(svc *corev1.Service) string {
	return ("a" + strings.ReplaceAll(string(svc.UID), "-", ""))[:32]
}

// lookClassic reads the Service's classic balancer.
func (s *site) lookClassic(svc *corev1.Service) classic {
	s.Helper()
	name := balancerName(svc)
	found, err := s.world.Classic.DescribeLoadBalancers(s.Context(), &elb.DescribeLoadBalancersInput{LoadBalancerNames: []string{name}})
	s.must(err, "reading balancer "+name)
	b := classic{LoadBalancerDescription: found.LoadBalancerDescriptions[0], tags: map[string]string{}, groups: map[string]ec2types.SecurityGroup{}, names: map[string]string{}}
	attributes, err := s.world.Classic.DescribeLoadBalancerAttributes(s.Context(), &elb.DescribeLoadBalancerAttributesInput{LoadBalancerName: &name})
	s.must(err, "reading its attributes")
	b.attributes = attributes.LoadBalancerAttributes
	tags, err := s.world.Classic.DescribeTags(s.Context(), &elb.DescribeTagsInput{LoadBalancerNames: []string{name}})
	s.must(err, "reading its tags")
	for _, tag := range tags.TagDescriptions[0].Tags {
		b.tags[*tag.Key] = awssdk.ToString(tag.Value)
	}
	for _, group := range s.groups() {
		if slices.Contains(b.SecurityGroups, *group.GroupId) {
			b.groups[*group.GroupName] = group
		}
		if *group.GroupId == s.world.NodeGroup {
			b.node = group
		}
	}
	for _, n := range s.nodes {
		b.names[n.Spec.ProviderID[strings.LastIndex(n.Spec.ProviderID, "/")+1:]] = n.Name
	}
	return b
}

// groups are all security groups of the account.
func (s *site) groups() []ec2types.SecurityGroup {
	s.Helper()
	all, err := s.world.EC2.DescribeSecurityGroups(s.Context(), &ec2.DescribeSecurityGroupsInput{})
	s.must(err, "reading the security groups")
	return all.SecurityGroups
}

// at is the listener at the port 443.
func (b classic) at() elbtypes.ListenerDescription {
	for _, l := range b.ListenerDescriptions {
		if l.Listener.LoadBalancerPort == 443 {
			return l
		}
	}
	return elbtypes.ListenerDescription{Listener: &elbtypes.Listener{}}
}

// protocols are those of the listeners at 80 and 443: "TCP-TCP SSL-TCP".
func (b classic) protocols() string {
	var list []string
	for _, port := range []int32{80, 443} {
		for _, l := range b.ListenerDescriptions {
			if l.Listener.LoadBalancerPort == port {
				list = append(list, *l.Listener.Protocol+"-"+*l.Listener.InstanceProtocol)
			}
		}
	}
	return strings.Join(list, " ")
}

func (b classic) groupNames() string {
	var names []string
	for name := range b.groups {
		names = append(names, strings.Replace(name, *b.LoadBalancerName, "own", 1))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// policyOf is what a policy refers to, the first where there are several.
func (b classic) policy() string { return strings.Join(b.at().PolicyNames, " ") }

// proxied are the node ports with the proxy policy.
func (b classic) proxied() string {
	var ports []string
	for _, backend := range b.BackendServerDescriptions {
		if slices.Contains(backend.PolicyNames, "k8s-proxyprotocol-enabled") {
			ports = append(ports, strconv.Itoa(int(*backend.InstancePort)))
		}
	}
	slices.Sort(ports)
	return strings.Join(ports, " ")
}

func (b classic) targets() string {
	var names []string
	for _, instance := range b.Instances {
		names = append(names, b.names[*instance.InstanceId])
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// sources are the networks that may connect to port 80 through the balancer's own group.
func (b classic) sources() string {
	var list []string
	for name, group := range b.groups {
		for _, p := range group.IpPermissions {
			if strings.HasPrefix(name, "k8s-elb-") && awssdk.ToInt32(p.FromPort) == 80 {
				for _, r := range p.IpRanges {
					list = append(list, *r.CidrIp)
				}
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func (b classic) placed() string {
	subnets := slices.Clone(b.Subnets)
	slices.Sort(subnets)
	return strings.Join(subnets, " ")
}

func sorted(list ...string) string {
	list = slices.Clone(list)
	slices.Sort(list)
	return strings.Join(list, " ")
}

// classicObjects are security groups of the user.
type classicObjects struct{ group, extra string }

const standardPolicy = "ELBSecurityPolicy-2016-08"

// classicRows are all annotations a classic balancer knows.
func classicRows(w *aws.World, o classicObjects) []row[classic] {
	certificate, another := w.Certificate("one"), w.Certificate("two")
	tls, logged, draining := set("ssl-cert", certificate), set("access-log-enabled", "true", "access-log-s3-bucket-name", "logs"), set("connection-draining-enabled", "true")
	http := set("healthcheck-protocol", "HTTP")
	check := func(read func(*elbtypes.HealthCheck) any) func(classic) any {
		return func(b classic) any { return read(b.HealthCheck) }
	}
	target := check(func(h *elbtypes.HealthCheck) any { return *h.Target })
	return []row[classic]{
		{key: own + "subnets", value: w.Public[0] + "," + w.Public[1], read: func(b classic) any { return b.placed() }, changed: sorted(w.Public[0], w.Public[1]), standard: sorted(w.Public...)},
		{key: own + "security-groups", value: o.group, read: func(b classic) any { return b.groupNames() }, changed: "given", standard: "k8s-elb-own"},
		{key: own + "extra-security-groups", value: o.extra, read: func(b classic) any { return b.groupNames() }, changed: "extra k8s-elb-own", standard: "k8s-elb-own"},
		{key: own + "proxy-protocol", value: "*", read: func(b classic) any { return b.proxied() }, changed: "30080 30443", standard: ""},
		{key: own + "ssl-cert", value: certificate, read: func(b classic) any { return awssdk.ToString(b.at().Listener.SSLCertificateId) }, changed: certificate, standard: ""},
		{key: own + "ssl-cert", value: another, with: set("ssl-ports", "https", "backend-protocol", "http"), read: func(b classic) any { return b.protocols() }, changed: "HTTP-HTTP HTTPS-HTTP", standard: "HTTP-HTTP HTTP-HTTP"},
		{key: own + "backend-protocol", value: "https", with: tls, read: func(b classic) any { return b.protocols() }, changed: "HTTPS-HTTPS HTTPS-HTTPS", standard: "SSL-TCP SSL-TCP"},
		{key: own + "ssl-ports", value: "443", with: tls, read: func(b classic) any { return b.protocols() }, changed: "TCP-TCP SSL-TCP", standard: "SSL-TCP SSL-TCP"},
		{key: own + "ssl-negotiation-policy", value: "ELBSecurityPolicy-TLS-1-2-2017-01", with: tls, read: func(b classic) any { return b.policy() }, changed: "k8s-SSLNegotiationPolicy-ELBSecurityPolicy-TLS-1-2-2017-01", standard: standardPolicy},
		{key: own + "access-log-enabled", value: "true", with: set("access-log-s3-bucket-name", "logs"), read: func(b classic) any { return b.attributes.AccessLog.Enabled }, changed: true, standard: false},
		{key: own + "access-log-s3-bucket-prefix", value: "shop", with: logged, read: func(b classic) any { return awssdk.ToString(b.attributes.AccessLog.S3BucketPrefix) }, changed: "shop", standard: ""},
		{key: own + "access-log-emit-interval", value: "5", with: logged, read: func(b classic) any { return int(awssdk.ToInt32(b.attributes.AccessLog.EmitInterval)) }, changed: 5, standard: 60},
		{key: own + "connection-draining-enabled", value: "true", read: func(b classic) any { return b.attributes.ConnectionDraining.Enabled }, changed: true, standard: false},
		{key: own + "connection-draining-timeout", value: "17", with: draining, read: func(b classic) any { return int(awssdk.ToInt32(b.attributes.ConnectionDraining.Timeout)) }, changed: 17, standard: 300},
		{key: own + "connection-idle-timeout", value: "600", read: func(b classic) any { return int(awssdk.ToInt32(b.attributes.ConnectionSettings.IdleTimeout)) }, changed: 600, standard: 60},
		{key: "multicloud-ccm.io/idle-timeout", value: "10m", read: func(b classic) any { return int(awssdk.ToInt32(b.attributes.ConnectionSettings.IdleTimeout)) }, changed: 600, standard: 60},
		{key: own + "cross-zone-load-balancing-enabled", value: "true", read: func(b classic) any { return b.attributes.CrossZoneLoadBalancing.Enabled }, changed: true, standard: false},
		{key: own + "additional-resource-tags", value: "team=web,stage=prod", read: func(b classic) any { return b.tags["team"] + " " + b.tags["stage"] }, changed: "web prod", standard: " "},
		{key: own + "healthcheck-protocol", value: "http", read: target, changed: "HTTP:30080/", standard: "TCP:30080"},
		{key: own + "healthcheck-port", value: "8080", read: target, changed: "TCP:8080", standard: "TCP:30080"},
		{key: own + "healthcheck-path", value: "/live", with: http, read: target, changed: "HTTP:30080/live", standard: "HTTP:30080/"},
		{key: "multicloud-ccm.io/health-check-path", value: "/live", read: target, changed: "HTTP:30080/live", standard: "TCP:30080"},
		{key: own + "healthcheck-healthy-threshold", value: "4", read: check(func(h *elbtypes.HealthCheck) any { return int(*h.HealthyThreshold) }), changed: 4, standard: 2},
		{key: own + "healthcheck-unhealthy-threshold", value: "4", read: check(func(h *elbtypes.HealthCheck) any { return int(*h.UnhealthyThreshold) }), changed: 4, standard: 6},
		{key: own + "healthcheck-timeout", value: "7", read: check(func(h *elbtypes.HealthCheck) any { return int(*h.Timeout) }), changed: 7, standard: 5},
		{key: own + "healthcheck-interval", value: "20", read: check(func(h *elbtypes.HealthCheck) any { return int(*h.Interval) }), changed: 20, standard: 10},
		{key: own + "target-node-labels", value: "pool=p1", read: func(b classic) any { return b.targets() }, changed: "node-1", standard: "node-0 node-1"},
		{key: corev1.AnnotationLoadBalancerSourceRangesKey, value: "10.9.0.0/16,192.0.2.0/24", read: func(b classic) any { return b.sources() }, changed: "10.9.0.0/16 192.0.2.0/24", standard: "0.0.0.0/0"},

		{key: own + "internal", value: "0.0.0.0/0", fresh: true, read: func(b classic) any { return *b.Scheme }, changed: "internal", standard: "internet-facing"},
		{key: own + "access-log-s3-bucket-name", value: "logs", with: set("access-log-enabled", "true"), fresh: true, read: func(b classic) any { return awssdk.ToString(b.attributes.AccessLog.S3BucketName) }, changed: "logs", standard: ""},
	}
}

// TestRefusedInstance has a node that AWS does not take, because it is stopped: the others serve, and nothing is asked again at once.
func TestRefusedInstance(t *testing.T) {
	s := newSite(t, siteOptions{nodes: 3})
	before := s.inventory()
	s.world.Stop(t, instanceID(s.nodes[0]))
	svc := s.service("web")
	s.ensure(svc)
	for range 5 {
		s.idle(svc)
	}
	if len(svc.Status.LoadBalancer.Ingress) != 1 {
		t.Errorf("status %+v", svc.Status)
	}
	s.skipped(s.nodes[0], "is not in running state")
	lb := s.lookClassic(svc)
	var behind, want []string
	for _, i := range lb.Instances {
		behind = append(behind, *i.InstanceId)
	}
	for _, n := range s.nodes[1:] {
		want = append(want, instanceID(n))
	}
	slices.Sort(behind)
	if slices.Sort(want); !slices.Equal(behind, want) {
		t.Errorf("instances %q, want %q", behind, want)
	}
	s.gone(svc, before)
}

// TestClassicAnnotations sets each annotation on a classic balancer, reads what AWS shows, removes
// it and reads the default again.
func TestClassicAnnotations(t *testing.T) {
	s := newSite(t, siteOptions{})
	o := classicObjects{group: s.world.Group(t, "given"), extra: s.world.Group(t, "extra")}
	matrix[classic]{s, s.service("live"), (*site).lookClassic}.run(classicRows(s.world, o))
}
