package elb

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	ec2sdk "github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// recorder notes what its clients are asked for, and refuses some of it. It knows some subnets, two of which are in one zone.
type recorder struct {
	refuse map[string]error
	calls  []string
}

func (r *recorder) call(what string, about ...string) error {
	what += " " + strings.Join(about, ",")
	r.calls = append(r.calls, what)
	return r.refuse[what]
}

func (r *recorder) answer(input any) (any, error) {
	switch in := input.(type) {
	case *sdk.RegisterInstancesWithLoadBalancerInput:
		return &sdk.RegisterInstancesWithLoadBalancerOutput{}, r.call("register", instances(in.Instances)...)
	case *sdk.DeregisterInstancesFromLoadBalancerInput:
		return &sdk.DeregisterInstancesFromLoadBalancerOutput{}, r.call("deregister", instances(in.Instances)...)
	case *sdk.AttachLoadBalancerToSubnetsInput:
		return &sdk.AttachLoadBalancerToSubnetsOutput{}, r.call("attach", in.Subnets...)
	case *sdk.DetachLoadBalancerFromSubnetsInput:
		return &sdk.DetachLoadBalancerFromSubnetsOutput{}, r.call("detach", in.Subnets...)
	case *sdk.CreateLoadBalancerPolicyInput:
		return &sdk.CreateLoadBalancerPolicyOutput{}, r.call("policy", *in.PolicyName)
	case *sdk.SetLoadBalancerPoliciesOfListenerInput:
		return &sdk.SetLoadBalancerPoliciesOfListenerOutput{}, r.call("policies", in.PolicyNames...)
	case *sdk.ApplySecurityGroupsToLoadBalancerInput:
		return &sdk.ApplySecurityGroupsToLoadBalancerOutput{}, r.call("groups", in.SecurityGroups...)
	case *sdk.DescribeLoadBalancersInput:
		return &sdk.DescribeLoadBalancersOutput{LoadBalancerDescriptions: []types.LoadBalancerDescription{}}, nil
	}
	return r.answerOfEC2(input)
}

func (r *recorder) answerOfEC2(input any) (any, error) {
	switch in := input.(type) {
	case *ec2sdk.AuthorizeSecurityGroupIngressInput:
		return &ec2sdk.AuthorizeSecurityGroupIngressOutput{}, r.call("open", *in.GroupId)
	case *ec2sdk.RevokeSecurityGroupIngressInput:
		return &ec2sdk.RevokeSecurityGroupIngressOutput{}, r.call("close", *in.GroupId)
	case *ec2sdk.DescribeSecurityGroupsInput:
		return &ec2sdk.DescribeSecurityGroupsOutput{SecurityGroups: []ec2types.SecurityGroup{}}, nil
	case *ec2sdk.DescribeSubnetsInput:
		out := &ec2sdk.DescribeSubnetsOutput{}
		for _, id := range []string{"subnet-a", "subnet-a2", "subnet-b"} {
			out.Subnets = append(out.Subnets, ec2types.Subnet{SubnetId: new(id), AvailabilityZone: new(id[:len("subnet-a")])})
		}
		return out, nil
	case *ec2sdk.DescribeRouteTablesInput:
		return &ec2sdk.DescribeRouteTablesOutput{RouteTables: []ec2types.RouteTable{}}, nil
	case *ec2sdk.DescribeAvailabilityZonesInput:
		return &ec2sdk.DescribeAvailabilityZonesOutput{AvailabilityZones: []ec2types.AvailabilityZone{}}, nil
	}
	return nil, fmt.Errorf("nothing answers %T", input)
}

func instances(list []types.Instance) (ids []string) {
	for _, i := range list {
		ids = append(ids, *i.InstanceId)
	}
	return ids
}

// scene is a balancer with the instance i-old, whose node i-new joins.
type scene struct {
	*recorder
	d *Balancers
	s *Snapshot
}

func newScene(t *testing.T, before cloud.Input, refuse map[string]error) *scene {
	t.Helper()
	r := &recorder{refuse: refuse}
	d := newBalancers()
	d.Client = sdk.New(sdk.Options{APIOptions: ec2test.Answering(r.answer)})
	d.Security.Client = ec2sdk.New(ec2sdk.Options{APIOptions: ec2test.Answering(r.answer)})
	b, _, err := d.Normalize(before)
	if err != nil {
		t.Fatal(err)
	}
	reader := &vpc.Reader{Cluster: d.Security.Cluster, Client: d.Security.Client}
	network, err := reader.ReadNetwork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	inv, err := reader.Read(t.Context(), network, nil, cloud.Input{})
	if err != nil {
		t.Fatal(err)
	}
	inv.Groups = map[string]ec2types.SecurityGroup{"sg-own": ownOf(d, b, before.Spec), "sg-nodes": {GroupId: new("sg-nodes")}}
	lb := stored(b, d.Cluster.ObjectTags(before.Spec))
	lb.Instances = []types.Instance{{InstanceId: new("i-old")}}
	return &scene{recorder: r, d: d, s: &Snapshot{Inventory: inv, Name: b.Name, Balancer: lb}}
}

// apply makes the balancer what the Service asks for, or changes its targets alone.
func (sc *scene) apply(t *testing.T, in cloud.Input, targetsOnly bool, targets ...cloud.InstanceID) (cloud.Progress, error) {
	t.Helper()
	for _, id := range targets {
		in.Candidates = append(in.Candidates, cloud.Target{InstanceID: id, Attributes: map[string]string{"groups": "sg-nodes"}})
	}
	before := sc.d.view(sc.s, in.Spec)
	after := before.Clone()
	if !targetsOnly {
		var err error
		if after, _, err = sc.d.Normalize(in); err != nil {
			t.Fatal(err)
		}
	}
	after.Targets = targets
	b, _ := composite.Balancers(cloudtest.Driver(&planned{Balancers: sc.d, s: sc.s}))
	return b.Apply(t.Context(), cloud.Change{Input: in, Before: cloud.Observed{Found: true, Balancer: before}, After: &after})
}

func (sc *scene) want(t *testing.T, calls ...string) {
	t.Helper()
	if !slices.Equal(sc.calls, calls) {
		t.Errorf("calls %q,\nwant  %q", sc.calls, calls)
	}
}

// TestTargetsOnly: a change of targets alone leaves the security groups as the balancer needs them,
// whatever the Service asks for by now.
func TestTargetsOnly(t *testing.T) {
	port := specOf()
	port.Ports = slices.Clone(port.Ports)
	port.Ports[0].Port = 8080
	ranges := specOf()
	ranges.SourceRanges = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for name, in := range map[string]cloud.Input{"port": port, "ranges": ranges, "groups": specOf("security-groups", "sg-a")} {
		t.Run(name, func(t *testing.T) {
			sc := newScene(t, specOf(), nil)
			if _, err := sc.apply(t, in, true, "i-new"); err != nil {
				t.Error(err)
			}
			sc.want(t, "open sg-nodes", "register i-new", "deregister i-old")
		})
	}
}

// TestRefusedNodeRule: the balancer keeps the security group that its nodes let in.
func TestRefusedNodeRule(t *testing.T) {
	sc := newScene(t, specOf(), map[string]error{"open sg-nodes": &cloud.Invalid{Field: "rules", Want: "fewer"}})
	_, err := sc.apply(t, specOf("security-groups", "sg-a"), false, "i-old", "i-new")
	if err == nil {
		t.Error("no error")
	}
	sc.want(t, "open sg-nodes", "register i-new")
}

// TestRefusedGroups: nothing is closed while the balancer may have the security group, and targets change.
func TestRefusedGroups(t *testing.T) {
	sc := newScene(t, specOf(), map[string]error{"groups sg-a": &cloud.Invalid{Field: "groups", Want: "others"}})
	if _, err := sc.apply(t, specOf("security-groups", "sg-a"), false, "i-old", "i-new"); err == nil {
		t.Error("no error")
	}
	sc.want(t, "open sg-nodes", "groups sg-a", "register i-new")
}

// TestRefusedGroup: a group that the balancer has keeps its rule of the nodes while another one is refused.
func TestRefusedGroup(t *testing.T) {
	sc := newScene(t, specOf("security-groups", "sg-a"), map[string]error{"groups sg-a,sg-b": &cloud.Invalid{Field: "groups", Want: "others"}})
	sc.s.Balancer.SecurityGroups = []string{"sg-a"}
	if _, err := sc.apply(t, specOf("security-groups", "sg-a,sg-b"), false, "i-old", "i-new"); err == nil {
		t.Error("no error")
	}
	sc.want(t, "open sg-nodes", "groups sg-a,sg-b", "register i-new")
}

// TestRefusedLater: nodes are closed for a security group that the balancer does not have any more when nothing is refused.
func TestRefusedLater(t *testing.T) {
	sc := newScene(t, specOf("security-groups", "sg-a"), map[string]error{"policy " + proxyPolicy: &cloud.Invalid{Field: "policy", Want: "another"}})
	sc.s.Balancer.SecurityGroups, sc.s.Balancer.Policies = []string{"sg-a"}, nil
	sc.s.Inventory.Groups["sg-nodes"] = ec2types.SecurityGroup{
		GroupId: new("sg-nodes"), IpPermissions: []ec2types.IpPermission{secgroup.Permission(opening("sg-a"), ruleOpening)},
	}
	if _, err := sc.apply(t, specOf("security-groups", "sg-b", "proxy-protocol", "*"), false, "i-old", "i-new"); err == nil {
		t.Error("no error")
	}
	sc.want(t, "open sg-nodes", "groups sg-b", "policy "+proxyPolicy, "register i-new")
}

// TestRefusedPolicy: listeners are not led to a policy that was refused, and targets change.
func TestRefusedPolicy(t *testing.T) {
	tls := []string{"ssl-cert", "arn:aws:iam::1:server-certificate/a", "ssl-ports", "443"}
	sc := newScene(t, specOf(tls...), map[string]error{"policy " + tlsPolicyPrefix + "ELBSecurityPolicy-X": &cloud.Invalid{Field: "policy", Want: "another"}})
	_, err := sc.apply(t, specOf(append(tls, "ssl-negotiation-policy", "ELBSecurityPolicy-X")...), false, "i-old", "i-new")
	if err == nil {
		t.Error("no error")
	}
	sc.want(t, "open sg-nodes", "policy "+tlsPolicyPrefix+"ELBSecurityPolicy-X", "register i-new")
}

// TestRefusedProxyPolicy: the same for node ports.
func TestRefusedProxyPolicy(t *testing.T) {
	sc := newScene(t, specOf(), map[string]error{"policy " + proxyPolicy: &cloud.Invalid{Field: "policy", Want: "another"}})
	sc.s.Balancer.Policies = nil
	if _, err := sc.apply(t, specOf("proxy-protocol", "*"), false, "i-old", "i-new"); err == nil {
		t.Error("no error")
	}
	sc.want(t, "open sg-nodes", "policy "+proxyPolicy, "register i-new")
}

// TestSubnets: targets change before subnets, a zone comes before another one goes, and what AWS refuses
// is told and tried again.
func TestSubnets(t *testing.T) {
	before := specOf()
	before.Findings = balancer.Found.Seal(balancer.Findings{Subnets: []string{"subnet-a"}})
	refused := &types.InvalidConfigurationRequestException{Message: new("no free addresses")}
	for name, c := range map[string]struct {
		subnets string
		refuse  map[string]error
		warning bool
		problem bool
		want    []string
	}{
		"another one in its zone, and a new zone": {subnets: "subnet-a2,subnet-b", want: []string{"attach subnet-b", "detach subnet-a", "attach subnet-a2"}},
		"an attachment is refused":                {subnets: "subnet-a,subnet-b", refuse: map[string]error{"attach subnet-b": refused}, warning: true, want: []string{"attach subnet-b"}},
		"a detachment is refused":                 {subnets: "subnet-b", refuse: map[string]error{"detach subnet-a": refused}, warning: true, want: []string{"attach subnet-b", "detach subnet-a"}},
		"two in one zone":                         {subnets: "subnet-a,subnet-a2,subnet-b", problem: true, want: []string{"attach subnet-b"}},
	} {
		t.Run(name, func(t *testing.T) {
			sc := newScene(t, before, c.refuse)
			after := specOf()
			after.Findings = balancer.Found.Seal(balancer.Findings{Subnets: balancer.List(c.subnets)})
			progress, err := sc.apply(t, after, false, "i-old", "i-new")
			if (err != nil) != c.problem || (len(progress.Warnings) > 0) != c.warning || (progress.Again > 0) != c.warning {
				t.Errorf("progress %+v, error %v", progress, err)
			}
			sc.want(t, append([]string{"open sg-nodes", "register i-new"}, c.want...)...)
		})
	}
}

// TestInstanceIsGone: it is said which machines a request was refused for. What serves stays until there are others.
func TestInstanceIsGone(t *testing.T) {
	sc := newScene(t, specOf(), map[string]error{"register i-gone": &types.InvalidEndPointException{}})
	_, err := sc.apply(t, specOf(), false, "i-gone")
	refused := cloud.RefusedTargets(err)
	if len(refused) != 1 || !slices.Equal(refused[0].Asked, []cloud.InstanceID{"i-gone"}) || refused[0].Perhaps || refused[0].TooMany {
		t.Errorf("refused %+v, error %v", refused, err)
	}
	sc.want(t, "open sg-nodes", "register i-gone")
}

// TestForeignGroup: a group of the right name which is not ours is told of, and targets change.
func TestForeignGroup(t *testing.T) {
	sc := newScene(t, specOf(), nil)
	group := sc.s.Inventory.Groups["sg-own"]
	group.Tags = []ec2types.Tag{{Key: new("kubernetes.io/cluster/test"), Value: new("shared")}}
	group.IpPermissions = nil
	sc.s.Inventory.Groups["sg-own"] = group
	_, err := sc.apply(t, specOf(), false, "i-new")
	if err == nil || !strings.Contains(err.Error(), "shared") {
		t.Errorf("error %v", err)
	}
	sc.want(t, "open sg-nodes", "register i-new", "deregister i-old")
}
