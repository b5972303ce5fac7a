package aws_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// upstreamClassic makes what upstream makes for a Service of the ports 80 and 443: the balancer
// with its security group, and the rule that lets it reach the nodes.
func (s *site) upstreamClassic(svc *corev1.Service) {
	s.Helper()
	name, ctx := balancerName(svc), s.Context()
	owned := aws.Owned(s.world.ClusterID)
	group, err := s.world.EC2.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{
		VpcId: &s.world.VPC, GroupName: new("k8s-elb-" + name), Description: new("Security group for Kubernetes ELB " + name + " (shop/" + svc.Name + ")"),
		TagSpecifications: []ec2types.TagSpecification{{ResourceType: ec2types.ResourceTypeSecurityGroup, Tags: []ec2types.Tag{owned}}},
	})
	s.must(err, "creating a security group")
	var permissions []ec2types.IpPermission
	for _, port := range []int32{80, 443} {
		permissions = append(permissions, ec2types.IpPermission{IpProtocol: new("tcp"), FromPort: &port, ToPort: &port, IpRanges: []ec2types.IpRange{{CidrIp: new("0.0.0.0/0")}}})
	}
	permissions = append(permissions, ec2types.IpPermission{IpProtocol: new("icmp"), FromPort: new(int32(3)), ToPort: new(int32(4)), IpRanges: []ec2types.IpRange{{CidrIp: new("0.0.0.0/0")}}})
	s.allow(*group.GroupId, permissions...)
	s.allow(s.world.NodeGroup, allFrom(*group.GroupId))
	_, err = s.world.Classic.CreateLoadBalancer(ctx, &elb.CreateLoadBalancerInput{
		LoadBalancerName: &name, Subnets: s.world.Public, SecurityGroups: []string{*group.GroupId},
		Listeners: []elbtypes.Listener{
			{Protocol: new("tcp"), InstanceProtocol: new("tcp"), LoadBalancerPort: 80, InstancePort: new(int32(30080))},
			{Protocol: new("tcp"), InstanceProtocol: new("tcp"), LoadBalancerPort: 443, InstancePort: new(int32(30443))},
		},
		Tags: []elbtypes.Tag{
			{Key: new("kubernetes.io/service-name"), Value: new("shop/" + svc.Name)},
			{Key: owned.Key, Value: owned.Value},
		},
	})
	s.must(err, "creating a balancer")
	_, err = s.world.Classic.ConfigureHealthCheck(ctx, &elb.ConfigureHealthCheckInput{LoadBalancerName: &name, HealthCheck: &elbtypes.HealthCheck{
		Target: new("TCP:30080"), Interval: new(int32(10)), Timeout: new(int32(5)), HealthyThreshold: new(int32(2)), UnhealthyThreshold: new(int32(6)),
	}})
	s.must(err, "setting its health check")
	var instances []elbtypes.Instance
	for _, n := range s.nodes {
		instances = append(instances, elbtypes.Instance{InstanceId: new(instanceID(n))})
	}
	_, err = s.world.Classic.RegisterInstancesWithLoadBalancer(ctx, &elb.RegisterInstancesWithLoadBalancerInput{LoadBalancerName: &name, Instances: instances})
	s.must(err, "adding its targets")
}

func instanceID(n *corev1.Node) string {
	return n.Spec.ProviderID[strings.LastIndex(n.Spec.ProviderID, "/")+1:]
}

func allFrom(group string) ec2types.IpPermission {
	return ec2types.IpPermission{IpProtocol: new("-1"), UserIdGroupPairs: []ec2types.UserIdGroupPair{{GroupId: &group}}}
}

func (s *site) allow(group string, permissions ...ec2types.IpPermission) {
	s.Helper()
	_, err := s.world.EC2.AuthorizeSecurityGroupIngress(s.Context(), &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &group, IpPermissions: permissions})
	s.must(err, "opening "+group)
}

// TestClassicAdoption: what upstream made is taken over with our tags as the only writes.
func TestClassicAdoption(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	svc := s.service("web")
	s.upstreamClassic(svc)
	theirs := s.inventory()
	from := len(s.proxy.Calls())
	s.ensure(svc)
	if wrote := s.wrote(from); !slices.Equal(wrote, []string{"elb AddTags"}) {
		t.Errorf("adoption wrote %v", wrote)
	}
	if diff := cmp.Diff(theirs, s.inventory()); diff != "" {
		t.Errorf("adoption changed (-before +after):\n%s", diff)
	}
	s.idle(svc)
	s.gone(svc, before)
}

// TestClassicCreation makes a balancer with what takes calls of its own, in the order in which
// nothing listens before it is guarded and reaches its nodes.
func TestClassicCreation(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", annotated(own+"proxy-protocol", "*", own+"ssl-cert", s.world.Certificate("a"), own+"ssl-ports", "443",
		own+"ssl-negotiation-policy", "ELBSecurityPolicy-TLS-1-2-2017-01", own+"cross-zone-load-balancing-enabled", "true"))
	s.ensure(svc)
	want := []string{
		"ec2 CreateSecurityGroup", "ec2 AuthorizeSecurityGroupIngress", "elb CreateLoadBalancer", "ec2 AuthorizeSecurityGroupIngress",
		"elb CreateLoadBalancerPolicy", "elb CreateLoadBalancerPolicy", "elb SetLoadBalancerPoliciesOfListener",
		"elb SetLoadBalancerPoliciesForBackendServer", "elb SetLoadBalancerPoliciesForBackendServer",
		"elb ConfigureHealthCheck", "elb ModifyLoadBalancerAttributes", "elb RegisterInstancesWithLoadBalancer",
	}
	if diff := cmp.Diff(want, s.wrote(0)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	s.idle(svc)
	s.remove(svc)
}

// TestClassicListeners changes a listener in every way. A certificate that is new to the balancer is
// tried at another port first.
func TestClassicListeners(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web")
	s.ensure(svc)
	one, two := s.world.Certificate("one"), s.world.Certificate("two")
	for _, step := range []struct {
		name   string
		edit   func(*corev1.Service)
		writes []string
		want   string
	}{
		{
			"TLS on one port", annotated(own+"ssl-cert", one, own+"ssl-ports", "https"),
			[]string{"elb CreateLoadBalancerListeners", "elb DeleteLoadBalancerListeners", "elb CreateLoadBalancerListeners", "elb DeleteLoadBalancerListeners"}, "TCP-TCP SSL-TCP",
		},
		{"another certificate", annotated(own+"ssl-cert", two), []string{"elb SetLoadBalancerListenerSSLCertificate"}, "TCP-TCP SSL-TCP"},
		{
			"a policy", annotated(own+"ssl-negotiation-policy", "ELBSecurityPolicy-2015-05"),
			[]string{"elb CreateLoadBalancerPolicy", "elb SetLoadBalancerPoliciesOfListener"}, "TCP-TCP SSL-TCP",
		},
		{
			"a policy survives another protocol", annotated(own+"backend-protocol", "ssl"),
			[]string{
				"elb CreateLoadBalancerListeners", // at another port, as a trial of the certificate
				"elb DeleteLoadBalancerListeners", "elb CreateLoadBalancerListeners", "elb SetLoadBalancerPoliciesOfListener", "elb ConfigureHealthCheck",
				"elb DeleteLoadBalancerListeners",
			}, "TCP-TCP SSL-SSL",
		},
		{
			"another node port", func(svc *corev1.Service) { svc.Spec.Ports[0].NodePort = 31080 },
			[]string{"elb DeleteLoadBalancerListeners", "elb CreateLoadBalancerListeners", "elb ConfigureHealthCheck"}, "TCP-TCP SSL-SSL",
		},
		{
			"a port less", func(svc *corev1.Service) { svc.Spec.Ports = svc.Spec.Ports[1:] },
			[]string{"elb ConfigureHealthCheck", "elb DeleteLoadBalancerListeners", "ec2 RevokeSecurityGroupIngress"}, "SSL-SSL",
		},
	} {
		from := len(s.proxy.Calls())
		step.edit(svc)
		s.ensure(svc)
		if diff := cmp.Diff(step.writes, s.wrote(from)); diff != "" {
			t.Errorf("%s: writes (-want +got):\n%s", step.name, diff)
		}
		if got := s.lookClassic(svc).protocols(); got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
		s.idle(svc)
	}
	b := s.lookClassic(svc)
	if got := b.policy(); *b.at().Listener.SSLCertificateId != two || got != "k8s-SSLNegotiationPolicy-ELBSecurityPolicy-2015-05" {
		t.Errorf("certificate %s, policies %s", *b.at().Listener.SSLCertificateId, got)
	}
	s.remove(svc)
}

// TestClassicProxyPorts: a node port that is given up loses the proxy policy before its listener
// goes. AWS may keep it at the port otherwise, for the next listener there.
func TestClassicProxyPorts(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", annotated(own+"proxy-protocol", "*"))
	s.ensure(svc)
	for _, step := range []struct {
		name   string
		edit   func(*corev1.Service)
		writes []string
		want   string
	}{
		{
			"another node port", func(svc *corev1.Service) { svc.Spec.Ports[0].NodePort = 31080 },
			[]string{
				"elb SetLoadBalancerPoliciesForBackendServer", "elb DeleteLoadBalancerListeners", "elb CreateLoadBalancerListeners",
				"elb SetLoadBalancerPoliciesForBackendServer", "elb ConfigureHealthCheck",
			}, "30443 31080",
		},
		{
			"a port less", func(svc *corev1.Service) { svc.Spec.Ports = svc.Spec.Ports[1:] },
			[]string{
				"elb ConfigureHealthCheck", "elb SetLoadBalancerPoliciesForBackendServer", "elb DeleteLoadBalancerListeners",
				"ec2 RevokeSecurityGroupIngress",
			}, "30443",
		},
	} {
		from := len(s.proxy.Calls())
		step.edit(svc)
		s.ensure(svc)
		if diff := cmp.Diff(step.writes, s.wrote(from)); diff != "" {
			t.Errorf("%s: writes (-want +got):\n%s", step.name, diff)
		}
		if got := s.lookClassic(svc).proxied(); got != step.want {
			t.Errorf("%s: PROXY protocol at %s, want %s", step.name, got, step.want)
		}
		s.idle(svc)
	}
	s.remove(svc)
}

// TestClassicBadCertificate: a certificate that does not exist must not end what serves, nor
// keep new nodes out.
func TestClassicBadCertificate(t *testing.T) {
	s := newSite(t, siteOptions{nodes: 3})
	all := s.nodes
	s.nodes = all[:2]
	svc := s.service("web", annotated(own+"proxy-protocol", "*"))
	s.ensure(svc)
	annotated(own+"ssl-cert", s.world.Certificate("missing"))(svc)
	s.nodes = all
	if err := s.try(svc); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("error %v", err)
	}
	b := s.lookClassic(svc)
	if b.protocols() != "TCP-TCP TCP-TCP" || b.proxied() != "30080 30443" || b.targets() != "node-0 node-1 node-2" {
		t.Errorf("listeners %s, PROXY protocol at %s, targets %s", b.protocols(), b.proxied(), b.targets())
	}
	delete(svc.Annotations, own+"ssl-cert")
	s.ensure(svc)
	s.idle(svc)
	s.remove(svc)
}

// TestClassicTargets: nodes come, go, and are terminated before anybody notices. One in another
// security group is opened too.
func TestClassicTargets(t *testing.T) {
	s := newSite(t, siteOptions{nodes: 3})
	svc := s.service("web")
	all := s.nodes
	s.nodes = all[:1]
	s.ensure(svc)
	other := s.world.Group(t, "other nodes", aws.Owned(s.world.ClusterID))
	far := node(s.world, s.world.Boot(t, aws.MachineOptions{Groups: []string{other}})[0], 3)
	s.nodes = append(slices.Clone(all), far)
	s.must(s.through(func() error { return s.manager.UpdateTargets(t.Context(), svc, s.nodes) }), "updating targets")
	if got := s.lookClassic(svc).targets(); got != "node-0 node-1 node-2 node-3" {
		t.Errorf("targets %s", got)
	}
	opened := func() bool {
		return slices.ContainsFunc(s.lines("rule of other nodes"), func(line string) bool { return strings.Contains(line, ": -1 ") })
	}
	if !opened() {
		t.Errorf("a new node's security group was not opened: %q", s.inventory())
	}
	s.idle(svc)
	s.nodes = all[:2]
	s.world.Terminate(t, instanceID(all[2]), instanceID(far))
	s.ensure(svc)
	if got := s.lookClassic(svc).targets(); got != "node-0 node-1" || opened() {
		t.Errorf("targets %s, the group of the node that left is open: %t", got, opened())
	}
	s.idle(svc)
	s.nodes = nil
	s.ensure(svc)
	s.remove(svc)
	if left := s.lines("rule of"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// TestClassicSharedGroup: two balancers have the user's security group. The nodes stay open to it
// until the second one goes.
func TestClassicSharedGroup(t *testing.T) {
	s := newSite(t, siteOptions{})
	group := s.world.Group(t, "given")
	before := s.inventory()
	one, two := s.service("one", annotated(own+"security-groups", group)), s.service("two", annotated(own+"security-groups", group))
	s.ensure(one)
	s.ensure(two)
	if got := s.lookClassic(two).groupNames(); got != "given" || len(s.lines("rule of nodes")) != 1 {
		t.Errorf("groups %s, rules %q", got, s.lines("rule of nodes"))
	}
	s.remove(one)
	s.idle(two)
	if got := s.lines("rule of nodes"); len(got) != 1 || !strings.Contains(got[0], group) {
		t.Errorf("after the first went: %q", got)
	}
	delete(two.Annotations, own+"security-groups")
	s.ensure(two)
	s.idle(two)
	if got := s.lines("rule of nodes"); len(got) != 1 || strings.Contains(got[0], group) {
		t.Errorf("with a group of its own: %q", got)
	}
	annotated(own+"security-groups", group)(two)
	s.ensure(two)
	s.gone(two, before)
}

// TestClassicForgottenGroup: the annotation that names the security group is changed, and the Service
// deleted before anybody looks. What was opened for the old group is closed, and the rule of an
// extra group, which is somebody else's, stays.
func TestClassicForgottenGroup(t *testing.T) {
	s := newSite(t, siteOptions{})
	group, extra, other := s.world.Group(t, "given"), s.world.Group(t, "extra"), s.world.Group(t, "other")
	s.allow(s.world.NodeGroup, allFrom(extra))
	before := s.inventory()
	for _, change := range []func(*corev1.Service){
		func(svc *corev1.Service) { delete(svc.Annotations, own+"security-groups") },
		annotated(own+"security-groups", other),
	} {
		svc := s.service("web", annotated(own+"security-groups", group, own+"extra-security-groups", extra))
		s.ensure(svc)
		if got := s.lines("rule of nodes"); len(got) != 2 {
			t.Errorf("rules %q", got)
		}
		change(svc)
		s.gone(svc, before)
	}
	svc := s.service("web", annotated(own+"extra-security-groups", extra))
	s.ensure(svc)
	delete(svc.Annotations, own+"extra-security-groups")
	s.ensure(svc)
	s.gone(svc, before)
}

// TestClassicSubnets moves a balancer to other subnets of its zones.
func TestClassicSubnets(t *testing.T) {
	s := newSite(t, siteOptions{})
	public, private := s.world.Public, s.world.Private
	svc := s.service("web", annotated(own+"subnets", public[0]+","+public[1]))
	s.ensure(svc)
	for _, list := range [][]string{{private[0], public[1], public[2]}, {private[0], private[1]}, public} {
		annotated(own+"subnets", strings.Join(list, ","))(svc)
		s.ensure(svc)
		if got := s.lookClassic(svc).placed(); got != sorted(list...) {
			t.Errorf("subnets %s, want %s", got, sorted(list...))
		}
		s.idle(svc)
	}
	s.remove(svc)
}

// TestClassicDrift: what somebody changes behind our back is brought back.
func TestClassicDrift(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", annotated(own+"additional-resource-tags", "team=web"))
	s.ensure(svc)
	want := s.inventory()
	b := s.lookClassic(svc)
	name := b.LoadBalancerName
	var groups []string
	for _, group := range b.groups {
		groups = append(groups, *group.GroupId)
	}
	for what, change := range map[string]func() error{
		"a listener": func() error {
			_, err := s.world.Classic.DeleteLoadBalancerListeners(t.Context(), &elb.DeleteLoadBalancerListenersInput{LoadBalancerName: name, LoadBalancerPorts: []int32{443}})
			return err
		},
		"a target": func() error {
			_, err := s.world.Classic.DeregisterInstancesFromLoadBalancer(t.Context(), &elb.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: name, Instances: []elbtypes.Instance{{InstanceId: new(instanceID(s.nodes[0]))}}})
			return err
		},
		"a rule for clients": func() error {
			_, err := s.world.EC2.RevokeSecurityGroupIngress(t.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: &groups[0], IpPermissions: []ec2types.IpPermission{
				{IpProtocol: new("tcp"), FromPort: new(int32(80)), ToPort: new(int32(80)), IpRanges: []ec2types.IpRange{{CidrIp: new("0.0.0.0/0")}}},
			}})
			return err
		},
		"a rule of the nodes": func() error {
			_, err := s.world.EC2.RevokeSecurityGroupIngress(t.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: &s.world.NodeGroup, IpPermissions: []ec2types.IpPermission{allFrom(groups[0])}})
			return err
		},
		"a rule too many": func() error {
			s.allow(groups[0], ec2types.IpPermission{IpProtocol: new("tcp"), FromPort: new(int32(22)), ToPort: new(int32(22)), IpRanges: []ec2types.IpRange{{CidrIp: new("0.0.0.0/0")}}})
			return nil
		},
		"the health check": func() error {
			_, err := s.world.Classic.ConfigureHealthCheck(t.Context(), &elb.ConfigureHealthCheckInput{LoadBalancerName: name, HealthCheck: &elbtypes.HealthCheck{
				Target: new("HTTP:1/"), Interval: new(int32(30)), Timeout: new(int32(3)), HealthyThreshold: new(int32(2)), UnhealthyThreshold: new(int32(2)),
			}})
			return err
		},
		"tags": func() error {
			_, err := s.world.Classic.RemoveTags(t.Context(), &elb.RemoveTagsInput{LoadBalancerNames: []string{*name}, Tags: []elbtypes.TagKeyOnly{{Key: new("team")}, {Key: new("kubernetes.io/service-name")}}})
			return err
		},
	} {
		s.must(change(), "changing "+what)
		from := len(s.proxy.Calls())
		s.ensure(svc)
		if diff := cmp.Diff(want, s.inventory()); diff != "" || len(s.wrote(from)) == 0 {
			t.Errorf("%s: %v left (-want +got):\n%s", what, s.wrote(from), diff)
		}
		s.idle(svc)
	}
	if tags := s.lookClassic(svc).tags; tags["team"] != "web" || tags["kubernetes.io/service-name"] != "shop/web" {
		t.Errorf("tags %v", tags)
	}
	_, err := s.world.Classic.AddTags(t.Context(), &elb.AddTagsInput{LoadBalancerNames: []string{*name}, Tags: []elbtypes.Tag{{Key: new("cost"), Value: new("42")}}})
	s.must(err, "adding a tag of somebody else")
	s.idle(svc)
	if tags := s.lookClassic(svc).tags; tags["cost"] != "42" {
		t.Errorf("tags of others are gone: %v", tags)
	}
	s.remove(svc)
}
