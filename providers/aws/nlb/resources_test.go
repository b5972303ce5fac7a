package nlb

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// changed is a driver of one change.
type changed struct {
	cloud.Account
	cloud.BalancerReader
	*parts
}

func (c *changed) Resources(context.Context, cloud.Change) (cloud.Resources, error) {
	return c.parts.Resources, nil
}

func (c *changed) ResourceKinds() []cloud.ResourceKind { return c.Balancers.ResourceKinds() }

func (c *changed) Classify(err error) cloud.Failure { return failure.Classify(err) }

// A balancer gets IPv6 when its subnets have it, and loses it before it moves to others. Each step of the plan is one request, also
// where tags come and go, and of more objects than one request takes.
func TestOrderOfChanges(t *testing.T) {
	view := func(dualStack bool, subnets, groups, tags string) cloud.Balancer {
		return cloud.Balancer{DualStack: dualStack, ProviderFields: map[string]string{balancer.FieldSubnets: subnets, balancer.FieldGroups: groups, balancer.FieldTags: tags}}
	}
	groups, subnets, stack := fieldGroups.Name(), fieldSubnets.Name(), fieldStack.Name()
	for dualStack, want := range map[bool][]string{true: {groups, subnets, stack}, false: {stack, groups, subnets}} {
		client := &recorder{}
		n := &Balancers{Settings: desired.Settings{Cluster: tag.Cluster{ID: "c"}}, Client: client.client(), Security: &secgroup.Groups{}, Targets: &targetgroup.Groups{Cluster: tag.Cluster{ID: "c"}}}
		before, after := view(!dualStack, "subnet-1", "sg-1", "a=1"), view(dualStack, "subnet-2", "sg-2", "b=2")
		change := cloud.Change{
			Input:  cloud.Input{Spec: cloud.Spec{Options: map[string]string{option.Tags.Name: "b=2"}}},
			Before: cloud.Observed{ID: "arn", Balancer: before}, After: &after,
		}
		has := &Balancer{Tags: map[string]string{"a": "1", "multicloud-ccm.io/additional-tags": "a"}, listeners: make([]Listener, tagBatch)}
		c := &changed{parts: &parts{Balancers: n, s: &Snapshot{Balancer: has, Inventory: &vpc.Inventory{}}, change: change, lb: cloud.IDOf{Kind: kindBalancer, Key: "lb"}}}
		c.addBalancer()
		b, planner := composite.Balancers(cloudtest.Driver(c))
		steps, err := planner.Steps(t.Context(), change)
		if err != nil {
			t.Fatal(err)
		}
		want = append([]string{"add tags of 20", "remove tags of 20", "add tags of 1", "remove tags of 1"}, want...)
		if _, err := b.Apply(t.Context(), change); err != nil || !slices.Equal(client.done, want) || len(steps) != len(want) {
			t.Errorf("IPv6 %t: %q, %v, want %q; planned %v", dualStack, client.done, err, want, steps)
		}
	}
}

// recorder notes what is written.
type recorder struct {
	done []string
	err  error
}

func (r *recorder) answer(input any) (any, error) {
	switch in := input.(type) {
	case *sdk.SetSecurityGroupsInput:
		r.done = append(r.done, fieldGroups.Name())
		return &sdk.SetSecurityGroupsOutput{}, nil
	case *sdk.SetSubnetsInput:
		r.done = append(r.done, fieldSubnets.Name())
		return &sdk.SetSubnetsOutput{}, nil
	case *sdk.SetIpAddressTypeInput:
		r.done = append(r.done, fieldStack.Name())
		return &sdk.SetIpAddressTypeOutput{}, nil
	case *sdk.AddTagsInput:
		r.done = append(r.done, fmt.Sprint("add tags of ", len(in.ResourceArns)))
		return &sdk.AddTagsOutput{}, nil
	case *sdk.RemoveTagsInput:
		r.done = append(r.done, fmt.Sprint("remove tags of ", len(in.ResourceArns)))
		return &sdk.RemoveTagsOutput{}, nil
	case *sdk.DeleteLoadBalancerInput:
		return &sdk.DeleteLoadBalancerOutput{}, r.err
	}
	return nil, fmt.Errorf("nothing answers %T", input)
}

func (r *recorder) client() *sdk.Client {
	return sdk.New(sdk.Options{APIOptions: ec2test.Answering(r.answer)})
}

// groupOf is a target group that was made for a listener, with an instance.
func groupOf(name string, nodePort int32) targetgroup.Group {
	return targetgroup.Group{TargetGroup: types.TargetGroup{
		TargetGroupName: &name, TargetGroupArn: &name, Port: &nodePort, Protocol: types.ProtocolEnumTcp, TargetType: types.TargetTypeEnumInstance,
		HealthCheckProtocol: types.ProtocolEnumTcp, HealthCheckPort: aws.String("traffic-port"), HealthCheckIntervalSeconds: aws.Int32(30),
		LoadBalancerArns: []string{"lb"},
	}, Tags: tag.Cluster{ID: "c"}.Tags(), Targets: []string{"i-old"}}
}

func listenerAt(port int32, protocol types.ProtocolEnum, g targetgroup.Group) Listener {
	return Listener{Listener: types.Listener{Port: &port, Protocol: protocol, ListenerArn: aws.String("listener")}, group: g}
}

// partsOf returns the resources of a balancer's listeners.
func partsOf(t *testing.T, has []Listener, wanted ...cloud.Listener) *parts {
	t.Helper()
	cluster := tag.Cluster{ID: "c"}
	n := &Balancers{Settings: desired.Settings{Cluster: cluster}, Targets: &targetgroup.Groups{Cluster: cluster}}
	s := &Snapshot{Name: "lb", Balancer: &Balancer{listeners: has}, Groups: &targetgroup.Set{}}
	p := n.parts(s, cloud.Change{After: &cloud.Balancer{Listeners: wanted, Targets: []cloud.InstanceID{"i-new"}}})
	for _, l := range wanted {
		if err := p.addListener(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	p.addLeft()
	p.Present, p.Wanted = append(p.Present, p.targets.Present...), append(p.Wanted, p.targets.Wanted...)
	return p
}

func find(list []cloud.Resource, key string) (found []cloud.Resource) {
	for _, r := range list {
		if r.Key == key {
			found = append(found, r)
		}
	}
	return found
}

// Somebody may have led a listener to the target group of another one, wherever that stands.
func TestListenerLedToTheGroupOfAnother(t *testing.T) {
	a, b := groupOf("k8s-a", 30080), groupOf("k8s-b", 30443)
	for name, ports := range map[string][]int32{"the first": {80, 443}, "the last": {443, 80}} {
		first, last := ports[0], ports[1]
		wantsA, wantsB := listenerAt(80, types.ProtocolEnumTcp, a).view(), listenerAt(443, types.ProtocolEnumTcp, b).view()
		wanted := []cloud.Listener{wantsA, wantsB}
		if first == 443 {
			slices.Reverse(wanted)
		}
		p := partsOf(t, []Listener{listenerAt(first, types.ProtocolEnumTcp, b), listenerAt(last, types.ProtocolEnumTcp, b)}, wanted...)
		if present, wanted := find(p.Present, "k8s-b"), find(p.Wanted, "i-new in k8s-b"); len(present) != 2 || len(find(p.Wanted, "k8s-b")) != 2 || len(wanted) != 1 {
			t.Errorf("%s: %d resources of the group are there, %d wanted, target %d times; want the group with its attributes, and one target", name, len(present), len(find(p.Wanted, "k8s-b")), len(wanted))
		}
	}
}

// A target group goes with the listener that leads to it.
func TestGroupsOfListenersThatGo(t *testing.T) {
	udp := listenerAt(80, types.ProtocolEnumUdp, groupOf("k8s-next", 30080)).view()
	udp.TargetProtocol = cloud.ProtocolUDP
	for name, wanted := range map[string][]cloud.Listener{"port is not wanted": nil, "another transport": {udp}} {
		p := partsOf(t, []Listener{listenerAt(80, types.ProtocolEnumTcp, groupOf("k8s-a", 30080))}, wanted...)
		group, targets := find(p.Present, "k8s-a"), slices.Concat(find(p.Present, "i-old in k8s-a"), find(p.Wanted, "i-new in k8s-a"))
		if len(group) != 1 || !slices.Contains(group[0].Needs, p.lb) || len(find(p.Wanted, "k8s-a")) != 0 {
			t.Errorf("%s: the group is %+v, want it there, a part of the balancer, and not wanted", name, group)
		}
		if len(targets) > 0 {
			t.Errorf("%s: targets %+v change on their own", name, targets)
		}
	}
}

// Only rules that are missing keep a balancer waiting, not one that passes to another balancer.
func TestMissingRules(t *testing.T) {
	missing, passed := cloud.Resource{Kind: secgroup.KindRule, Key: "missing"}, cloud.Resource{Kind: secgroup.KindRule, Key: "passed"}
	p := &parts{}
	p.Present, p.Wanted = []cloud.Resource{passed}, []cloud.Resource{missing, passed}
	if rules := p.rules(); !slices.Equal(rules, []cloud.IDOf{missing.Ref()}) {
		t.Errorf("%v", rules)
	}
}
