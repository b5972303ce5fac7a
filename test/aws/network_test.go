package aws_test

import (
	"slices"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	api "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// nlb is a network balancer called web, and a target group of the same name.
type nlb struct {
	*testing.T
	*aws.World
	input *api.CreateLoadBalancerInput
	arn   string
	group *api.CreateTargetGroupInput
	to    string
}

func newNLB(t *testing.T, edit func(*aws.World, *api.CreateLoadBalancerInput)) *nlb {
	t.Helper()
	w := aws.NewWorld(t, aws.WorldOptions{IPv6: true})
	n := &nlb{T: t, World: w, input: &api.CreateLoadBalancerInput{
		Name: awssdk.String("web"), Type: types.LoadBalancerTypeEnumNetwork, Subnets: w.Public[:1], Tags: []types.Tag{{Key: awssdk.String("a"), Value: awssdk.String("b")}},
	}, group: &api.CreateTargetGroupInput{Name: awssdk.String("web"), Protocol: types.ProtocolEnumTcp, Port: awssdk.Int32(30080), VpcId: &w.VPC}}
	if edit != nil {
		edit(w, n.input)
	}
	n.arn = *must(w.Network.CreateLoadBalancer(t.Context(), n.input))(t).LoadBalancers[0].LoadBalancerArn
	n.to = *must(w.Network.CreateTargetGroup(t.Context(), n.group))(t).TargetGroups[0].TargetGroupArn
	return n
}

func (n *nlb) describe() types.LoadBalancer {
	n.Helper()
	return must(n.Network.DescribeLoadBalancers(n.Context(), &api.DescribeLoadBalancersInput{Names: []string{*n.input.Name}}))(n.T).LoadBalancers[0]
}

func (n *nlb) listen(protocol types.ProtocolEnum, port int32, certificates ...string) (string, error) {
	input := &api.CreateListenerInput{LoadBalancerArn: &n.arn, Protocol: protocol, Port: &port, DefaultActions: []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: &n.to}}}
	for _, arn := range certificates {
		input.Certificates = append(input.Certificates, types.Certificate{CertificateArn: awssdk.String(arn)})
	}
	answer, err := n.Network.CreateListener(n.Context(), input)
	if err != nil {
		return "", err
	}
	return *answer.Listeners[0].ListenerArn, nil
}

func TestNetworkBalancer(t *testing.T) {
	t.Parallel()
	n := newNLB(t, nil)
	lb := n.describe()
	if !strings.HasPrefix(*lb.DNSName, "web-") || !strings.HasSuffix(*lb.DNSName, ".elb."+aws.Region+".amazonaws.com") || lb.State.Code != types.LoadBalancerStateEnumActive {
		t.Errorf("%s, %s", *lb.DNSName, lb.State.Code)
	}
	if len(lb.SecurityGroups) != 0 || len(lb.AvailabilityZones) != 1 || *lb.AvailabilityZones[0].SubnetId != n.Public[0] || lb.IpAddressType != types.IpAddressTypeIpv4 {
		t.Errorf("%+v", lb)
	}
	again, err := n.Network.CreateLoadBalancer(t.Context(), n.input)
	if err != nil || *again.LoadBalancers[0].LoadBalancerArn != n.arn {
		t.Errorf("the same again: %+v, %v", again, err)
	}
	n.input.Scheme = types.LoadBalancerSchemeEnumInternal
	_, err = n.Network.CreateLoadBalancer(t.Context(), n.input)
	wantCode(t, "another of that name", err, "DuplicateLoadBalancerName")
	_, err = n.Network.DescribeLoadBalancers(t.Context(), &api.DescribeLoadBalancersInput{Names: []string{"web", "nobody"}})
	wantCode(t, "nobody", err, "LoadBalancerNotFound")
	_, err = n.Network.SetSecurityGroups(t.Context(), &api.SetSecurityGroupsInput{LoadBalancerArn: &n.arn, SecurityGroups: []string{n.NodeGroup}})
	wantCode(t, "groups, but born without", err, "InvalidConfigurationRequest")
	_, err = n.Network.SetIpAddressType(t.Context(), &api.SetIpAddressTypeInput{LoadBalancerArn: &n.arn, IpAddressType: types.IpAddressTypeDualstack})
	wantCode(t, "two families", err, "")
	_, err = n.Network.SetSubnets(t.Context(), &api.SetSubnetsInput{LoadBalancerArn: &n.arn, Subnets: n.Public})
	wantCode(t, "more subnets", err, "")
	if lb = n.describe(); len(lb.AvailabilityZones) != 3 || lb.IpAddressType != types.IpAddressTypeDualstack {
		t.Errorf("changed %+v", lb)
	}
	if found := must(n.Network.DescribeTargetGroups(t.Context(), &api.DescribeTargetGroupsInput{LoadBalancerArn: &n.arn}))(t).TargetGroups; len(found) != 0 {
		t.Errorf("target groups %+v", found)
	}
	for range 2 {
		_, err = n.Network.DeleteLoadBalancer(t.Context(), &api.DeleteLoadBalancerInput{LoadBalancerArn: &n.arn})
		wantCode(t, "delete", err, "")
	}
}

func TestNetworkAddressesAndGroups(t *testing.T) {
	t.Parallel()
	var ip string
	n := newNLB(t, func(w *aws.World, in *api.CreateLoadBalancerInput) {
		ip = w.ElasticIP(t)
		in.Subnets, in.SubnetMappings, in.SecurityGroups = nil, []types.SubnetMapping{{SubnetId: &w.Public[0], AllocationId: &ip}}, []string{w.NodeGroup}
	})
	if a := n.describe().AvailabilityZones[0].LoadBalancerAddresses; len(a) != 1 || *a[0].AllocationId != ip || awssdk.ToString(a[0].IpAddress) == "" {
		t.Errorf("addresses %+v", a)
	}
	other := n.Group(t, "other")
	_, err := n.Network.SetSecurityGroups(t.Context(), &api.SetSecurityGroupsInput{LoadBalancerArn: &n.arn, SecurityGroups: []string{other}})
	if wantCode(t, "other groups", err, ""); !slices.Equal(n.describe().SecurityGroups, []string{other}) {
		t.Errorf("groups %v", n.describe().SecurityGroups)
	}
	_, err = n.Network.SetSubnets(t.Context(), &api.SetSubnetsInput{LoadBalancerArn: &n.arn, SubnetMappings: []types.SubnetMapping{{SubnetId: &n.Public[0], AllocationId: awssdk.String("eipalloc-0123456789abcdef0")}}})
	wantCode(t, "no such address", err, "AllocationIdNotFound")
	_, err = n.Network.SetSubnets(t.Context(), &api.SetSubnetsInput{LoadBalancerArn: &n.arn, Subnets: []string{n.Public[0], n.Private[0]}})
	wantCode(t, "two of a zone", err, "InvalidConfigurationRequest")
	read := func() map[string]string {
		all := map[string]string{}
		for _, a := range must(n.Network.DescribeLoadBalancerAttributes(t.Context(), &api.DescribeLoadBalancerAttributesInput{LoadBalancerArn: &n.arn}))(t).Attributes {
			all[*a.Key] = *a.Value
		}
		return all
	}
	write := func(key, value string) error {
		_, err := n.Network.ModifyLoadBalancerAttributes(t.Context(), &api.ModifyLoadBalancerAttributesInput{LoadBalancerArn: &n.arn, Attributes: []types.LoadBalancerAttribute{{Key: &key, Value: &value}}})
		return err
	}
	if a := read(); a["access_logs.s3.enabled"] != "false" || a["load_balancing.cross_zone.enabled"] != "false" || a["deletion_protection.enabled"] != "false" {
		t.Errorf("defaults %v", a)
	}
	wantCode(t, "no bucket", write("access_logs.s3.enabled", "true"), "InvalidConfigurationRequest")
	wantCode(t, "no such key", write("idle_timeout.timeout_seconds", "9"), "ValidationError")
	wantCode(t, "protect", write("deletion_protection.enabled", "true"), "")
	_, err = n.Network.DeleteLoadBalancer(t.Context(), &api.DeleteLoadBalancerInput{LoadBalancerArn: &n.arn})
	wantCode(t, "delete what is protected", err, "OperationNotPermitted")
}

func TestNetworkListeners(t *testing.T) {
	t.Parallel()
	n := newNLB(t, nil)
	arn, err := n.listen(types.ProtocolEnumTcp, 80)
	wantCode(t, "listen", err, "")
	_, err = n.listen(types.ProtocolEnumTcp, 80)
	wantCode(t, "the port again", err, "DuplicateListener")
	_, err = n.listen(types.ProtocolEnumUdp, 53)
	wantCode(t, "UDP to TCP", err, "IncompatibleProtocols")
	_, err = n.listen(types.ProtocolEnumTls, 443)
	wantCode(t, "without a certificate", err, "ValidationError")
	_, err = n.listen(types.ProtocolEnumTls, 443, n.Certificate("missing"))
	wantCode(t, "no such certificate", err, "CertificateNotFound")
	groups := must(n.Network.DescribeTargetGroups(t.Context(), &api.DescribeTargetGroupsInput{LoadBalancerArn: &n.arn}))(t).TargetGroups
	if len(groups) != 1 || !slices.Equal(groups[0].LoadBalancerArns, []string{n.arn}) {
		t.Errorf("target groups %+v", groups)
	}
	_, err = n.Network.DeleteTargetGroup(t.Context(), &api.DeleteTargetGroupInput{TargetGroupArn: &n.to})
	wantCode(t, "delete what is in use", err, "ResourceInUse")
	change := func(edit func(*api.ModifyListenerInput)) (types.Listener, error) {
		in := &api.ModifyListenerInput{ListenerArn: &arn}
		edit(in)
		if _, err := n.Network.ModifyListener(t.Context(), in); err != nil {
			return types.Listener{}, err
		}
		return must(n.Network.DescribeListeners(t.Context(), &api.DescribeListenersInput{LoadBalancerArn: &n.arn}))(t).Listeners[0], nil
	}
	timeout := func(value string) error {
		_, err := n.Network.ModifyListenerAttributes(t.Context(), &api.ModifyListenerAttributesInput{
			ListenerArn: &arn, Attributes: []types.ListenerAttribute{{Key: awssdk.String("tcp.idle_timeout.seconds"), Value: &value}},
		})
		return err
	}
	timeouts := func() []types.ListenerAttribute {
		return must(n.Network.DescribeListenerAttributes(t.Context(), &api.DescribeListenerAttributesInput{ListenerArn: &arn}))(t).Attributes
	}
	if a := timeouts(); len(a) != 1 || *a[0].Key != "tcp.idle_timeout.seconds" || *a[0].Value != "350" {
		t.Errorf("attributes %+v", a)
	}
	wantCode(t, "too short", timeout("59"), "ValidationError")
	wantCode(t, "an hour", timeout("3600"), "")
	if a := timeouts(); len(a) != 1 || *a[0].Value != "3600" {
		t.Errorf("attributes %+v", a)
	}
	l, err := change(func(in *api.ModifyListenerInput) {
		in.Protocol, in.Certificates = types.ProtocolEnumTls, []types.Certificate{{CertificateArn: awssdk.String(n.Certificate("web"))}}
	})
	if err != nil || l.Protocol != types.ProtocolEnumTls || len(l.Certificates) != 1 || awssdk.ToString(l.SslPolicy) != "ELBSecurityPolicy-2016-08" {
		t.Errorf("TLS: %+v, %v", l, err)
	}
	wantCode(t, "the idle timeout of TLS", timeout("60"), "InvalidConfigurationRequest")
	more := []types.Certificate{{CertificateArn: awssdk.String(n.Certificate("more"))}}
	must(n.Network.AddListenerCertificates(t.Context(), &api.AddListenerCertificatesInput{ListenerArn: &arn, Certificates: more}))(t)
	all := must(n.Network.DescribeListenerCertificates(t.Context(), &api.DescribeListenerCertificatesInput{ListenerArn: &arn}))(t).Certificates
	if len(all) != 2 || !*all[0].IsDefault || *all[1].IsDefault || *all[1].CertificateArn != *more[0].CertificateArn {
		t.Errorf("certificates %+v", all)
	}
	must(n.Network.RemoveListenerCertificates(t.Context(), &api.RemoveListenerCertificatesInput{ListenerArn: &arn, Certificates: more}))(t)
	if all = must(n.Network.DescribeListenerCertificates(t.Context(), &api.DescribeListenerCertificatesInput{ListenerArn: &arn}))(t).Certificates; len(all) != 1 {
		t.Errorf("certificates %+v", all)
	}
	l, err = change(func(in *api.ModifyListenerInput) { in.SslPolicy = awssdk.String("ELBSecurityPolicy-TLS13-1-2-2021-06") })
	if err != nil || *l.SslPolicy != "ELBSecurityPolicy-TLS13-1-2-2021-06" {
		t.Errorf("policy: %+v, %v", l, err)
	}
	l, err = change(func(in *api.ModifyListenerInput) { in.Protocol = types.ProtocolEnumTcp })
	if err != nil || l.Protocol != types.ProtocolEnumTcp || len(l.Certificates) != 0 || l.SslPolicy != nil {
		t.Errorf("TCP: %+v, %v", l, err)
	}
	wantTags(t, n, arn)
	must(n.Network.DeleteListener(t.Context(), &api.DeleteListenerInput{ListenerArn: &arn}))(t)
	_, err = n.Network.DeleteListener(t.Context(), &api.DeleteListenerInput{ListenerArn: &arn})
	wantCode(t, "deleted twice", err, "ListenerNotFound")
	_, err = n.Network.DescribeTags(t.Context(), &api.DescribeTagsInput{ResourceArns: []string{arn}})
	wantCode(t, "tags of what is gone", err, "ListenerNotFound")
	must(n.Network.DeleteTargetGroup(t.Context(), &api.DeleteTargetGroupInput{TargetGroupArn: &n.to}))(t)
}

// wantTags writes, reads and removes tags.
func wantTags(t *testing.T, n *nlb, arn string) {
	t.Helper()
	must(n.Network.AddTags(t.Context(), &api.AddTagsInput{ResourceArns: []string{arn}, Tags: []types.Tag{{Key: awssdk.String("k"), Value: awssdk.String("v")}, {Key: awssdk.String("l"), Value: awssdk.String("")}}}))(t)
	must(n.Network.RemoveTags(t.Context(), &api.RemoveTagsInput{ResourceArns: []string{arn}, TagKeys: []string{"k"}}))(t)
	got := must(n.Network.DescribeTags(t.Context(), &api.DescribeTagsInput{ResourceArns: []string{arn}}))(t).TagDescriptions[0].Tags
	if len(got) != 1 || *got[0].Key != "l" {
		t.Errorf("tags %+v", got)
	}
}

func TestTargetGroups(t *testing.T) {
	t.Parallel()
	n := newNLB(t, nil)
	read := func() types.TargetGroup {
		return must(n.Network.DescribeTargetGroups(t.Context(), &api.DescribeTargetGroupsInput{Names: []string{"web"}}))(t).TargetGroups[0]
	}
	g := read()
	if *g.HealthyThresholdCount != 5 || *g.UnhealthyThresholdCount != 2 || *g.HealthCheckIntervalSeconds != 30 || *g.HealthCheckTimeoutSeconds != 10 || *g.HealthCheckPort != "traffic-port" || g.Matcher != nil || g.HealthCheckPath != nil {
		t.Errorf("defaults %+v", g)
	}
	_, err := n.Network.CreateTargetGroup(t.Context(), n.group)
	wantCode(t, "the same again", err, "")
	n.group.HealthCheckIntervalSeconds = awssdk.Int32(10)
	_, err = n.Network.CreateTargetGroup(t.Context(), n.group)
	wantCode(t, "another of that name", err, "DuplicateTargetGroupName")
	_, err = n.Network.ModifyTargetGroup(t.Context(), &api.ModifyTargetGroupInput{TargetGroupArn: &n.to, HealthCheckPath: awssdk.String("/")})
	wantCode(t, "a path of TCP", err, "ValidationError")
	_, err = n.Network.ModifyTargetGroup(t.Context(), &api.ModifyTargetGroupInput{TargetGroupArn: &n.to, HealthCheckProtocol: types.ProtocolEnumHttp, HealthCheckPath: awssdk.String("/healthz"), HealthCheckTimeoutSeconds: awssdk.Int32(6), UnhealthyThresholdCount: awssdk.Int32(3)})
	wantCode(t, "HTTP", err, "")
	if g = read(); *g.HealthCheckPath != "/healthz" || *g.Matcher.HttpCode != "200-399" || *g.HealthCheckTimeoutSeconds != 6 || *g.UnhealthyThresholdCount != 3 {
		t.Errorf("HTTP %+v", g)
	}
	_, err = n.Network.ModifyTargetGroup(t.Context(), &api.ModifyTargetGroupInput{TargetGroupArn: &n.to, HealthCheckProtocol: types.ProtocolEnumTcp})
	if g = read(); err != nil || g.Matcher != nil || g.HealthCheckPath != nil {
		t.Errorf("TCP %+v, %v", g, err)
	}
	write := func(key, value string) error {
		_, err := n.Network.ModifyTargetGroupAttributes(t.Context(), &api.ModifyTargetGroupAttributesInput{TargetGroupArn: &n.to, Attributes: []types.TargetGroupAttribute{{Key: &key, Value: &value}}})
		return err
	}
	wantCode(t, "client IP", write("preserve_client_ip.enabled", "false"), "")
	wantCode(t, "no such key", write("slow_start.duration_seconds", "30"), "ValidationError")
	attributes := map[string]string{}
	for _, a := range must(n.Network.DescribeTargetGroupAttributes(t.Context(), &api.DescribeTargetGroupAttributesInput{TargetGroupArn: &n.to}))(t).Attributes {
		attributes[*a.Key] = *a.Value
	}
	if attributes["preserve_client_ip.enabled"] != "false" || attributes["proxy_protocol_v2.enabled"] != "false" || attributes["deregistration_delay.timeout_seconds"] != "300" || attributes["stickiness.type"] != "source_ip" {
		t.Errorf("attributes %v", attributes)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	n := newNLB(t, nil)
	ids := append(n.Boot(t, aws.MachineOptions{}), n.Boot(t, aws.MachineOptions{})...)
	register := func(id string) error {
		_, err := n.Network.RegisterTargets(t.Context(), &api.RegisterTargetsInput{TargetGroupArn: &n.to, Targets: []types.TargetDescription{{Id: &id}}})
		return err
	}
	health := func() (all []string) {
		for _, h := range must(n.Network.DescribeTargetHealth(t.Context(), &api.DescribeTargetHealthInput{TargetGroupArn: &n.to}))(t).TargetHealthDescriptions {
			all = append(all, *h.Target.Id+" "+string(h.TargetHealth.State)+" "+string(h.TargetHealth.Reason))
		}
		return all
	}
	want := func(what string, lines ...string) {
		t.Helper()
		if got := health(); !slices.Equal(got, lines) {
			t.Errorf("%s: %q, want %q", what, got, lines)
		}
	}
	wantCode(t, "register", register(ids[0]), "")
	wantCode(t, "no such instance", register("i-0123456789abcdef0"), "InvalidTarget")
	want("without a listener", ids[0]+" unused Target.NotInUse")
	_, err := n.listen(types.ProtocolEnumTcp, 80)
	wantCode(t, "listen", err, "")
	wantCode(t, "register", register(ids[1]), "")
	want("in use", ids[0]+" healthy ", ids[1]+" healthy ")
	for range 2 {
		_, err = n.Network.DeregisterTargets(t.Context(), &api.DeregisterTargetsInput{TargetGroupArn: &n.to, Targets: []types.TargetDescription{{Id: &ids[0]}}})
		wantCode(t, "deregister", err, "")
	}
	want("deregistered", ids[1]+" healthy ", ids[0]+" draining Target.DeregistrationInProgress")
	n.Stop(t, ids[1])
	want("stopped", ids[1]+" unused Target.InvalidState", ids[0]+" draining Target.DeregistrationInProgress")
	wantCode(t, "register what is stopped", register(ids[1]), "InvalidTarget")
	n.Terminate(t, ids[1])
	want("terminated", ids[0]+" draining Target.DeregistrationInProgress")
}
