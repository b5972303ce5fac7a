package targetgroup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/aws/smithy-go"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// recorder notes what is registered and deregistered, and what is written.
type recorder struct {
	done []string
	err  error
}

func (r *recorder) note(verb string, group *string, targets []types.TargetDescription) error {
	for _, t := range targets {
		r.done = append(r.done, verb+" "+aws.ToString(t.Id)+" in "+aws.ToString(group))
	}
	return r.err
}

func (r *recorder) answer(input any) (any, error) {
	switch in := input.(type) {
	case *sdk.RegisterTargetsInput:
		return &sdk.RegisterTargetsOutput{}, r.note("register", in.TargetGroupArn, in.Targets)
	case *sdk.DeregisterTargetsInput:
		return &sdk.DeregisterTargetsOutput{}, r.note("deregister", in.TargetGroupArn, in.Targets)
	case *sdk.ModifyTargetGroupInput:
		r.done = append(r.done, "modify "+*in.TargetGroupArn)
		return &sdk.ModifyTargetGroupOutput{}, nil
	case *sdk.ModifyTargetGroupAttributesInput:
		r.done = append(r.done, "attributes of "+*in.TargetGroupArn)
		return &sdk.ModifyTargetGroupAttributesOutput{}, nil
	case *sdk.DeleteTargetGroupInput:
		r.done = append(r.done, "delete "+*in.TargetGroupArn)
		return &sdk.DeleteTargetGroupOutput{}, nil
	}
	return nil, fmt.Errorf("nothing answers %T", input)
}

func (r *recorder) client() *sdk.Client {
	return sdk.New(sdk.Options{APIOptions: ec2test.Answering(r.answer)})
}

// groups are those of a cluster whose client is the recorder.
func (r *recorder) groups(cluster tag.Cluster) *Groups {
	return &Groups{Cluster: cluster, Client: r.client()}
}

// driver has a balancer, a rule that is missing, and target groups.
type driver struct {
	*Change
	refused error
}

var (
	theBalancer = cloud.Resource{Kind: "balancer", Key: "b", ID: "b"}
	theRule     = cloud.Resource{Kind: secgroup.KindRule, Key: "r"}
)

// steps is the driver as the kernel sees it.
type steps struct {
	cloud.Account
	cloud.BalancerReader
	d *driver
}

func (s *steps) Classify(err error) cloud.Failure { return failure.Classify(err) }

func (s *steps) Resources(context.Context, cloud.Change) (cloud.Resources, error) {
	return s.d.Resources, nil
}

func (s *steps) ResourceKinds() []cloud.ResourceKind {
	create := func(context.Context, cloud.Resource, []cloud.Resource) (string, error) { return "r", s.d.refused }
	leads := func(context.Context, cloud.Resource, cloud.Resource, []string) error { return nil }
	kinds := append([]cloud.ResourceKind{{Name: secgroup.KindRule, Create: create}, {Name: "balancer", Anchor: true}}, s.d.Kinds()...)
	return append(kinds, cloud.ResourceKind{Name: "listener", Update: leads})
}

const port = 30080

func groupOfTargets(name string, tags map[string]string, targets ...string) Group {
	return Group{TargetGroup: types.TargetGroup{
		TargetGroupName: &name, TargetGroupArn: &name, Port: aws.Int32(port), Protocol: types.ProtocolEnumTcp, TargetType: types.TargetTypeEnumInstance,
		HealthCheckProtocol: types.ProtocolEnumTcp, HealthCheckPort: aws.String("traffic-port"), HealthCheckIntervalSeconds: aws.Int32(30),
		LoadBalancerArns: []string{"b"},
	}, Tags: tags, Attributes: map[string]string{option.AttributePreserve: "true"}, Targets: targets}
}

// listenerOf is a listener that the group suits, with another timeout and without clients' addresses.
func listenerOf(g Group) cloud.Listener {
	l := g.View()
	l.Health.Timeout, l.ProviderFields[balancer.FieldPreserve] = 5e9, "false"
	return l
}

// TestWhileRulesAreRefused checks what is done of target groups when the nodes' rules are refused.
func TestWhileRulesAreRefused(t *testing.T) {
	cluster := tag.Cluster{ID: "c"}
	have, theirs := groupOfTargets("k8s-have", cluster.Tags(), "i-old"), groupOfTargets("theirs", nil, "i-old")
	change := cloud.Change{After: &cloud.Balancer{Targets: []cloud.InstanceID{"i-new"}}}
	leads := cloud.NewField[cloud.Reference]("leads to")
	targets := []string{"register i-new in k8s-have", "deregister i-old in k8s-have"}
	for name, tt := range map[string]struct {
		add          func(*Change) error
		refused, not []string
	}{
		"one that stays": {
			func(c *Change) error {
				_, err := c.Lead(t.Context(), have, listenerOf(have))
				return err
			},
			targets, []string{"modify k8s-have", "attributes of k8s-have", targets[0], targets[1]},
		},
		"one that is retired": {func(c *Change) error { c.Retire(have); return nil }, targets, targets},
		"one that goes with its listener": {
			func(c *Change) error {
				c.Remove(have)
				c.Present = append(c.Present, cloud.Resource{Kind: "listener", Key: "serves", Fields: cloud.FieldsOf(leads.Is(cloud.To(have.Ref())))})
				c.Wanted = append(c.Wanted, cloud.Resource{Kind: "listener", Key: "serves", Fields: cloud.FieldsOf(leads.Is(cloud.ToID(""))), Needs: c.Rules})
				return nil
			},
			nil, []string{"delete k8s-have"},
		},
		"the user's that is retired": {func(c *Change) error { c.Retire(theirs); return nil }, nil, nil},
		"the user's that goes":       {func(c *Change) error { c.Remove(theirs); return nil }, nil, nil},
	} {
		for _, refused := range []error{nil, &cloud.Invalid{Field: "rules", Value: "61", Want: "want 60"}} {
			client := &recorder{}
			d := &driver{&Change{Groups: client.groups(cluster), Set: &Set{}, Of: change, Balancer: theBalancer.Ref(), Rules: []cloud.IDOf{theRule.Ref()}}, refused}
			d.Present, d.Wanted = []cloud.Resource{theBalancer}, []cloud.Resource{theRule, theBalancer}
			if err := tt.add(d.Change); err != nil {
				t.Fatal(err)
			}
			b, _ := composite.Balancers(cloudtest.Driver(&steps{d: d}))
			_, err := b.Apply(t.Context(), change)
			want := tt.not
			if refused != nil {
				want = tt.refused
			}
			if (err == nil) != (refused == nil) || !slices.Equal(client.done, want) {
				t.Errorf("%s, rule %v: carried out %q, %v, want %q", name, refused, client.done, err, want)
			}
		}
	}
}

// A target group that nothing leads to may be on its way in. Only that of this Service, in this cluster, is taken for an unused one.
func TestSpares(t *testing.T) {
	cluster := tag.Cluster{ID: "c"}
	us := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "u-1"}
	restored, another := us, us
	restored.Cluster, another.UID = "restored", "u-2"
	tagged := func(o cloud.Owner) map[string]string {
		return cluster.ObjectTags(cloud.Spec{Owner: o})
	}
	upstream := func(value string) map[string]string {
		return map[string]string{"kubernetes.io/service-name": "shop/web", tag.ClusterPrefix + "c": value}
	}
	s := &Set{Listed: []Group{
		groupOfTargets("k8s-ours", tagged(us)), groupOfTargets("k8s-restored", tagged(restored)), groupOfTargets("k8s-another", tagged(another)),
		groupOfTargets("k8s-upstream", upstream(tag.Owned)), groupOfTargets("k8s-used", upstream("shared")), groupOfTargets("k8s-nobody", nil),
	}}
	for i := range s.Listed {
		s.Listed[i].LoadBalancerArns = nil
	}
	if err := (&recorder{}).groups(cluster).ReadUnused(t.Context(), s, cloud.Input{Spec: cloud.Spec{Owner: us}}); err != nil {
		t.Fatal(err)
	}
	var spares []string
	for _, g := range s.Unused {
		spares = append(spares, aws.ToString(g.TargetGroupName))
	}
	if !slices.Equal(spares, []string{"k8s-ours", "k8s-upstream"}) {
		t.Errorf("%q are unused", spares)
	}
}

// A target group that was deleted meanwhile does not end the run.
func TestGroupIsGone(t *testing.T) {
	gs := (&recorder{err: &smithy.GenericAPIError{Code: "TargetGroupNotFound"}}).groups(tag.Cluster{})
	one := []cloud.Resource{{Kind: kindTarget, Native: nativeTarget.Seal(target("i-1")), Fields: cloud.FieldsOf(fieldTargets.Is(cloud.ToID("arn")))}}
	waiting, waits := errors.AsType[*cloud.Waiting](gs.register(t.Context(), one))
	if !waits || waiting.After != 0 {
		t.Errorf("registering: %+v, want it to be tried again soon", waiting)
	}
	if err := gs.deregister(t.Context(), one); err != nil {
		t.Errorf("deregistering: %v", err)
	}
	other := (&recorder{err: errors.New("broken")}).groups(tag.Cluster{})
	if err := other.deregister(t.Context(), one); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("another failure: %v", err)
	}
}

// What is refused of one call keeps no other from being made, and is told of the machines of that call. A group that is full ends it.
func TestRefusedBatch(t *testing.T) {
	var wanted []cloud.Resource
	for i := range 2*targetBatch + 50 {
		address := fmt.Sprintf("10.0.0.%d", i)
		wanted = append(wanted, cloud.Resource{Kind: kindTarget, Machine: cloud.InstanceID(fmt.Sprintf("i-%d", i)), Native: nativeTarget.Seal(target(address)), Fields: cloud.FieldsOf(fieldTargets.Is(cloud.ToID("arn")))})
	}
	for name, test := range map[string]struct {
		code, text     string
		at, asked, all int // calls that are refused from, machines they asked for, targets asked for in all
		named          []cloud.InstanceID
		tooMany        bool
	}{
		"the last call":          {"InvalidTarget", "not in the VPC: '10.0.0.201', '10.0.0.2'", 2, 50, 250, []cloud.InstanceID{"i-201"}, false},
		"it names none":          {"InvalidTarget", "no", 1, 150, 250, nil, false},
		"the group is full":      {"TooManyTargets", "too many", 1, 100, 200, nil, true},
		"the first call, by one": {"InvalidTarget", "10.0.0.17 will not do.", 0, 250, 250, []cloud.InstanceID{"i-17"}, false},
	} {
		calls, all := 0, 0
		gs := &Groups{Client: sdk.New(sdk.Options{APIOptions: ec2test.Answering(func(input any) (any, error) {
			in, _ := input.(*sdk.RegisterTargetsInput)
			if calls, all = calls+1, all+len(in.Targets); calls > test.at {
				return nil, &smithy.GenericAPIError{Code: test.code, Message: test.text}
			}
			return &sdk.RegisterTargetsOutput{}, nil
		})})}
		err := gs.register(t.Context(), wanted)
		var asked, named []cloud.InstanceID
		for _, refused := range cloud.RefusedTargets(err) {
			asked, named = append(asked, refused.Asked...), append(named, refused.Named...)
			if refused.TooMany != test.tooMany || refused.Text != test.text || refused.Perhaps {
				t.Errorf("%s: %+v", name, refused)
			}
		}
		if len(asked) != test.asked || all != test.all || !slices.Equal(named, test.named) {
			t.Errorf("%s: %d targets asked for, of %d was told, named %v, error %v", name, all, len(asked), named, err)
		}
	}
}

// An answer to a creation that does not say what was made is none: what follows would refer to nothing.
func TestMadeWithoutARN(t *testing.T) {
	for _, answer := range []*sdk.CreateTargetGroupOutput{{}, {TargetGroups: []types.TargetGroup{{}}}} {
		gs := &Groups{Client: sdk.New(sdk.Options{APIOptions: ec2test.Answering(func(any) (any, error) { return answer, nil })})}
		if _, err := gs.create(t.Context(), cloud.Resource{Native: nativeListener.Seal(cloud.Listener{Health: &cloud.Health{}})}, nil); !errors.Is(err, cloud.ErrIncomplete) {
			t.Errorf("%+v: %v", answer, err)
		}
	}
}
