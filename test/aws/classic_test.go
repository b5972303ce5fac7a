package aws_test

import (
	"slices"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	api "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

func listener(protocol string, port, to int32) types.Listener {
	return types.Listener{Protocol: &protocol, LoadBalancerPort: port, InstancePort: &to}
}

// elb is a classic balancer called web.
type elb struct {
	*testing.T
	*aws.World
	name  *string
	input *api.CreateLoadBalancerInput
}

func newELB(t *testing.T) *elb {
	t.Helper()
	w := aws.NewWorld(t, aws.WorldOptions{})
	secure := listener("SSL", 443, 30443)
	secure.SSLCertificateId = awssdk.String(w.Certificate("web"))
	e := &elb{t, w, awssdk.String("web"), &api.CreateLoadBalancerInput{
		LoadBalancerName: awssdk.String("web"), Subnets: w.Public[:2], SecurityGroups: []string{w.NodeGroup},
		Listeners: []types.Listener{listener("TCP", 80, 30080), secure},
		Tags:      []types.Tag{{Key: awssdk.String("a"), Value: awssdk.String("b")}},
	}}
	must(w.Classic.CreateLoadBalancer(t.Context(), e.input))(t)
	return e
}

func (e *elb) describe() types.LoadBalancerDescription {
	e.Helper()
	return must(e.Classic.DescribeLoadBalancers(e.Context(), &api.DescribeLoadBalancersInput{LoadBalancerNames: []string{*e.name}}))(e.T).LoadBalancerDescriptions[0]
}

func TestClassicDescription(t *testing.T) {
	t.Parallel()
	e := newELB(t)
	lb := e.describe()
	if !strings.HasPrefix(*lb.DNSName, "web-") || !strings.HasSuffix(*lb.DNSName, "."+aws.Region+".elb.amazonaws.com") || *lb.Scheme != "internet-facing" || *lb.VPCId != e.VPC {
		t.Errorf("%s, %s, %s", *lb.DNSName, *lb.Scheme, *lb.VPCId)
	}
	if c := lb.HealthCheck; *c.Target != "TCP:30080" || *c.Interval != 30 || *c.Timeout != 5 || *c.HealthyThreshold != 10 || *c.UnhealthyThreshold != 2 {
		t.Errorf("health check %+v", c)
	}
	if len(lb.ListenerDescriptions) != 2 || *lb.ListenerDescriptions[1].Listener.InstanceProtocol != "TCP" || *lb.ListenerDescriptions[1].Listener.Protocol != "SSL" {
		t.Errorf("listeners %+v", lb.ListenerDescriptions)
	}
	if got := lb.ListenerDescriptions[1].PolicyNames; !slices.Equal(got, []string{"ELBSecurityPolicy-2016-08"}) {
		t.Errorf("policies %v", got)
	}
	if len(lb.Subnets) != 2 || len(lb.AvailabilityZones) != 2 || !slices.Equal(lb.SecurityGroups, []string{e.NodeGroup}) || lb.CreatedTime == nil {
		t.Errorf("%+v", lb)
	}
	_, err := e.Classic.CreateLoadBalancer(t.Context(), e.input)
	wantCode(t, "the same again", err, "")
	e.input.Listeners = e.input.Listeners[:1]
	_, err = e.Classic.CreateLoadBalancer(t.Context(), e.input)
	wantCode(t, "another of that name", err, "DuplicateLoadBalancerName")
	_, err = e.Classic.DescribeLoadBalancers(t.Context(), &api.DescribeLoadBalancersInput{LoadBalancerNames: []string{"nobody"}})
	wantCode(t, "nobody", err, "LoadBalancerNotFound")
	must(e.Classic.DeleteLoadBalancer(t.Context(), &api.DeleteLoadBalancerInput{LoadBalancerName: e.name}))(t)
	_, err = e.Classic.DeleteLoadBalancer(t.Context(), &api.DeleteLoadBalancerInput{LoadBalancerName: e.name})
	wantCode(t, "deleted twice", err, "")
}

func TestClassicListeners(t *testing.T) {
	t.Parallel()
	e := newELB(t)
	create := func(l ...types.Listener) error {
		_, err := e.Classic.CreateLoadBalancerListeners(t.Context(), &api.CreateLoadBalancerListenersInput{LoadBalancerName: e.name, Listeners: l})
		return err
	}
	wantCode(t, "another on that port", create(listener("TCP", 80, 30081)), "DuplicateListener")
	wantCode(t, "other layers", create(types.Listener{Protocol: awssdk.String("SSL"), InstanceProtocol: awssdk.String("HTTP"), LoadBalancerPort: 8443, InstancePort: awssdk.Int32(1)}), "ValidationError")
	missing := listener("HTTPS", 8443, 30443)
	missing.SSLCertificateId = awssdk.String(e.Certificate("missing"))
	wantCode(t, "no such certificate", create(missing), "CertificateNotFound")
	wantCode(t, "two more", create(listener("HTTP", 81, 30081), listener("TCP", 82, 30082)), "")
	_, err := e.Classic.DeleteLoadBalancerListeners(t.Context(), &api.DeleteLoadBalancerListenersInput{LoadBalancerName: e.name, LoadBalancerPorts: []int32{80, 443}})
	wantCode(t, "two less", err, "")
	var ports []int32
	for _, l := range e.describe().ListenerDescriptions {
		ports = append(ports, l.Listener.LoadBalancerPort)
	}
	if !slices.Equal(ports, []int32{81, 82}) {
		t.Errorf("ports %v", ports)
	}
	set := func(port int32, names ...string) error {
		_, err := e.Classic.SetLoadBalancerPoliciesForBackendServer(t.Context(), &api.SetLoadBalancerPoliciesForBackendServerInput{LoadBalancerName: e.name, InstancePort: &port, PolicyNames: names})
		return err
	}
	policy := &api.CreateLoadBalancerPolicyInput{
		LoadBalancerName: e.name, PolicyName: awssdk.String("k8s-proxyprotocol-enabled"), PolicyTypeName: awssdk.String("ProxyProtocolPolicyType"),
		PolicyAttributes: []types.PolicyAttribute{{AttributeName: awssdk.String("ProxyProtocol"), AttributeValue: awssdk.String("true")}},
	}
	wantCode(t, "no such policy", set(30082, *policy.PolicyName), "PolicyNotFound")
	must(e.Classic.CreateLoadBalancerPolicy(t.Context(), policy))(t)
	_, err = e.Classic.CreateLoadBalancerPolicy(t.Context(), policy)
	wantCode(t, "the policy again", err, "DuplicatePolicyName")
	wantCode(t, "the new port", set(30082, *policy.PolicyName), "")
	wantCode(t, "an old port", set(30080, *policy.PolicyName), "InvalidConfigurationRequest")
	lb := e.describe()
	if b := lb.BackendServerDescriptions; len(b) != 1 || *b[0].InstancePort != 30082 || !slices.Equal(b[0].PolicyNames, []string{*policy.PolicyName}) {
		t.Errorf("backends %+v", b)
	}
	if !slices.Contains(lb.Policies.OtherPolicies, *policy.PolicyName) {
		t.Errorf("policies %+v", lb.Policies)
	}
	described := must(e.Classic.DescribeLoadBalancerPolicies(t.Context(), &api.DescribeLoadBalancerPoliciesInput{LoadBalancerName: e.name, PolicyNames: []string{*policy.PolicyName}}))(t).PolicyDescriptions
	if len(described) != 1 || *described[0].PolicyAttributeDescriptions[0].AttributeName != "ProxyProtocol" {
		t.Errorf("the policy %+v", described)
	}
}

func TestClassicSettings(t *testing.T) {
	t.Parallel()
	e := newELB(t)
	read := func() types.LoadBalancerAttributes {
		return *must(e.Classic.DescribeLoadBalancerAttributes(t.Context(), &api.DescribeLoadBalancerAttributesInput{LoadBalancerName: e.name}))(t).LoadBalancerAttributes
	}
	write := func(a types.LoadBalancerAttributes) error {
		_, err := e.Classic.ModifyLoadBalancerAttributes(t.Context(), &api.ModifyLoadBalancerAttributesInput{LoadBalancerName: e.name, LoadBalancerAttributes: &a})
		return err
	}
	a := read()
	if a.ConnectionDraining.Enabled || *a.ConnectionDraining.Timeout != 300 || *a.ConnectionSettings.IdleTimeout != 60 || a.CrossZoneLoadBalancing.Enabled || a.AccessLog.Enabled || len(a.AdditionalAttributes) != 1 {
		t.Errorf("defaults %+v", a)
	}
	wantCode(t, "no bucket", write(types.LoadBalancerAttributes{AccessLog: &types.AccessLog{Enabled: true}}), "InvalidConfigurationRequest")
	wantCode(t, "zones", write(types.LoadBalancerAttributes{CrossZoneLoadBalancing: &types.CrossZoneLoadBalancing{Enabled: true}}), "")
	wantCode(t, "time", write(types.LoadBalancerAttributes{ConnectionSettings: &types.ConnectionSettings{IdleTimeout: awssdk.Int32(9)}}), "")
	if a = read(); !a.CrossZoneLoadBalancing.Enabled || *a.ConnectionSettings.IdleTimeout != 9 || len(a.AdditionalAttributes) != 1 {
		t.Errorf("changed %+v", a)
	}
	check := types.HealthCheck{Target: awssdk.String("HTTP:80/healthz"), Interval: awssdk.Int32(10), Timeout: awssdk.Int32(5), HealthyThreshold: awssdk.Int32(2), UnhealthyThreshold: awssdk.Int32(6)}
	must(e.Classic.ConfigureHealthCheck(t.Context(), &api.ConfigureHealthCheckInput{LoadBalancerName: e.name, HealthCheck: &check}))(t)
	check.Target = awssdk.String("tcp:80")
	_, err := e.Classic.ConfigureHealthCheck(t.Context(), &api.ConfigureHealthCheckInput{LoadBalancerName: e.name, HealthCheck: &check})
	wantCode(t, "lower case", err, "ValidationError")
	if got := *e.describe().HealthCheck.Target; got != "HTTP:80/healthz" {
		t.Errorf("target %s", got)
	}
	attach, err := e.Classic.AttachLoadBalancerToSubnets(t.Context(), &api.AttachLoadBalancerToSubnetsInput{LoadBalancerName: e.name, Subnets: e.Public[2:]})
	if err != nil || !slices.Equal(attach.Subnets, e.Public) {
		t.Errorf("attach %+v, %v", attach, err)
	}
	_, err = e.Classic.AttachLoadBalancerToSubnets(t.Context(), &api.AttachLoadBalancerToSubnetsInput{LoadBalancerName: e.name, Subnets: e.Private[:1]})
	wantCode(t, "two of a zone", err, "InvalidConfigurationRequest")
	detach, err := e.Classic.DetachLoadBalancerFromSubnets(t.Context(), &api.DetachLoadBalancerFromSubnetsInput{LoadBalancerName: e.name, Subnets: e.Public[:2]})
	if err != nil || !slices.Equal(detach.Subnets, e.Public[2:]) {
		t.Errorf("detach %+v, %v", detach, err)
	}
	_, err = e.Classic.ApplySecurityGroupsToLoadBalancer(t.Context(), &api.ApplySecurityGroupsToLoadBalancerInput{LoadBalancerName: e.name, SecurityGroups: []string{"sg-0123456789abcdef0"}})
	wantCode(t, "no such group", err, "InvalidSecurityGroup")
	_, err = e.Classic.AddTags(t.Context(), &api.AddTagsInput{LoadBalancerNames: []string{*e.name}, Tags: manyTags(48)})
	wantCode(t, "tags", err, "")
	_, err = e.Classic.AddTags(t.Context(), &api.AddTagsInput{LoadBalancerNames: []string{*e.name}, Tags: manyTags(52)})
	wantCode(t, "too many tags", err, "TooManyTags")
	_, err = e.Classic.RemoveTags(t.Context(), &api.RemoveTagsInput{LoadBalancerNames: []string{*e.name}, Tags: []types.TagKeyOnly{{Key: awssdk.String("a")}}})
	wantCode(t, "remove a tag", err, "")
	tags := must(e.Classic.DescribeTags(t.Context(), &api.DescribeTagsInput{LoadBalancerNames: []string{*e.name}}))(t).TagDescriptions
	if len(tags) != 1 || len(tags[0].Tags) < 48 || slices.ContainsFunc(tags[0].Tags, func(t types.Tag) bool { return *t.Key == "a" }) {
		t.Errorf("tags %+v", tags)
	}
}

func manyTags(count int) (tags []types.Tag) {
	for i := range count {
		tags = append(tags, types.Tag{Key: awssdk.String("t" + string(rune('0'+i))), Value: awssdk.String("x")})
	}
	return tags
}

func TestClassicInstances(t *testing.T) {
	t.Parallel()
	e := newELB(t)
	ids := append(e.Boot(t, aws.MachineOptions{}), e.Boot(t, aws.MachineOptions{})...)
	register := func(ids ...string) (out []string, err error) {
		input := &api.RegisterInstancesWithLoadBalancerInput{LoadBalancerName: e.name}
		for _, id := range ids {
			input.Instances = append(input.Instances, types.Instance{InstanceId: awssdk.String(id)})
		}
		answer, err := e.Classic.RegisterInstancesWithLoadBalancer(t.Context(), input)
		if err == nil {
			for _, i := range answer.Instances {
				out = append(out, *i.InstanceId)
			}
		}
		return out, err
	}
	for range 2 {
		if got, err := register(ids...); err != nil || !slices.Equal(got, ids) {
			t.Errorf("registered %v, %v; want %v", got, err, ids)
		}
	}
	_, err := register("i-0123456789abcdef0")
	wantCode(t, "no such instance", err, "InvalidInstance")
	e.Terminate(t, ids[0])
	_, err = register(ids...)
	wantCode(t, "one that does not run", err, "InvalidInstance")
	if got := e.describe().Instances; len(got) != 1 || *got[0].InstanceId != ids[1] {
		t.Errorf("after the end of one: %+v", got)
	}
	must(e.Classic.DeregisterInstancesFromLoadBalancer(t.Context(), &api.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: e.name, Instances: []types.Instance{{InstanceId: &ids[1]}}}))(t)
	if got := e.describe().Instances; len(got) != 0 {
		t.Errorf("left: %+v", got)
	}
	for what, call := range map[string]func() error{
		"register": func() error { e.name = awssdk.String("nobody"); _, err := register(ids[1]); return err },
		"listen": func() error {
			_, err := e.Classic.CreateLoadBalancerListeners(t.Context(), &api.CreateLoadBalancerListenersInput{LoadBalancerName: awssdk.String("nobody"), Listeners: e.input.Listeners})
			return err
		},
		"attributes": func() error {
			_, err := e.Classic.DescribeLoadBalancerAttributes(t.Context(), &api.DescribeLoadBalancerAttributesInput{LoadBalancerName: awssdk.String("nobody")})
			return err
		},
		"tags": func() error {
			_, err := e.Classic.DescribeTags(t.Context(), &api.DescribeTagsInput{LoadBalancerNames: []string{"nobody"}})
			return err
		},
	} {
		wantCode(t, what+" of nobody's", call(), "LoadBalancerNotFound")
	}
}
