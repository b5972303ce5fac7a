package elb

import (
	"context"
	"slices"
	"testing"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// planned is a driver of classic balancers alone.
type planned struct {
	cloud.Account
	cloud.BalancerReader
	*Balancers
	s *Snapshot
}

func (p *planned) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	return p.Balancers.Normalize(in)
}

func (p *planned) Observe(context.Context, cloud.Input) (o cloud.Observed, err error) { return o, nil }

func (p *planned) Classify(err error) cloud.Failure { return failure.Classify(err) }

func (p *planned) ResourceKinds() []cloud.ResourceKind {
	return slices.Concat(p.Security.Kinds(), p.Balancers.ResourceKinds())
}

func (p *planned) Resources(ctx context.Context, change cloud.Change) (cloud.Resources, error) {
	return p.Balancers.Resources(ctx, p.s, change)
}

// TestSteps changes a listener in ways that take several steps.
func TestSteps(t *testing.T) {
	const policy = "ELBSecurityPolicy-2015-05"
	tls := []string{"ssl-cert", "arn:aws:iam::1:server-certificate/a", "ssl-ports", "443"}
	with := func(pairs ...string) cloud.Input { return specOf(append(slices.Clone(tls), pairs...)...) }
	moved := specOf("proxy-protocol", "*")
	moved.Ports = slices.Clone(moved.Ports)
	moved.Ports[0].NodePort = 31080
	const lb = "a1111111122223333444455555555555"
	for name, c := range map[string]struct {
		before, after cloud.Input
		want          []string
	}{
		"nothing": {with(), with(), nil},
		"a certificate that is new is tried at another port": {specOf(), with(), []string{
			"create " + kindListener + " 65535", "delete " + kindListener + " 443", "create " + kindListener + " 443", "delete " + kindListener + " 65535",
		}},
		"a policy survives another protocol": {with("ssl-negotiation-policy", policy), with("ssl-negotiation-policy", policy, "backend-protocol", "ssl"), []string{
			"create " + kindListener + " 65535", "delete " + kindListener + " 443", "create " + kindListener + " 443", "create " + kindTLS + " 443", "update " + kindHealth + " " + lb, "delete " + kindListener + " 65535",
		}},
		"a node port that is given up loses its policy first": {specOf("proxy-protocol", "*"), moved, []string{
			"delete " + kindProxy + " 30080", "delete " + kindListener + " 80", "create " + kindListener + " 80", "create " + kindProxy + " 31080", "update " + kindHealth + " " + lb,
		}},
		"the policy of a node port may have gone along with its listener": {with("proxy-protocol", "*"), with("proxy-protocol", "*", "backend-protocol", "ssl"), []string{
			"create " + kindListener + " 65535", "delete " + kindListener + " 443", "create " + kindListener + " 443", "update " + kindProxy + " 30443", "update " + kindHealth + " " + lb, "delete " + kindListener + " 65535",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newBalancers()
			before, _, err := d.Normalize(c.before)
			if err != nil {
				t.Fatal(err)
			}
			after, _, err := d.Normalize(c.after)
			if err != nil {
				t.Fatal(err)
			}
			s := &Snapshot{Inventory: &vpc.Inventory{Groups: map[string]ec2types.SecurityGroup{"sg-own": ownOf(d, before, c.before.Spec)}}, Name: before.Name, Balancer: stored(before, d.Cluster.ObjectTags(c.before.Spec))}
			s.Balancer.Policies.OtherPolicies = append(s.Balancer.Policies.OtherPolicies, tlsPolicyPrefix+policy)
			_, planner := composite.Balancers(cloudtest.Driver(&planned{Balancers: d, s: s}))
			steps, err := planner.Steps(t.Context(), cloud.Change{Input: c.after, Before: cloud.Observed{Found: true, Balancer: d.view(s, c.after.Spec)}, After: &after})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range steps {
				got = append(got, string(s.Verb)+" "+string(s.Kind)+" "+s.Key)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("steps %q,\nwant  %q", got, c.want)
			}
		})
	}
}
