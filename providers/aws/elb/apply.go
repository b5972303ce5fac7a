package elb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// update is a change of a classic balancer while it is being made.
type update struct {
	*Balancers
	s          *Snapshot
	change     cloud.Change
	spec       cloud.Spec
	have, want cloud.Balancer
	// made are the ports whose listener was made by this change, and policies the policies.
	made     map[int]bool
	policies map[string]bool
	// targeted says that the targets are as wanted.
	targeted bool
	// pending says that AWS has to be asked again later.
	pending bool
}

// Create makes the security group, opened to the clients, and the balancer; then it is
// changed into what is wanted. When the answer is lost the next run finds it by its name.
func (e *Balancers) Create(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Progress, error) {
	spec, b := change.Spec, change.After
	c := &update{Balancers: e, s: s, change: change, spec: spec, want: *b}
	if err := c.openOwn(ctx); err != nil {
		return cloud.Progress{}, err
	}
	input := &sdk.CreateLoadBalancerInput{
		LoadBalancerName: &b.Name, Listeners: listenerInputs(b.Listeners), Subnets: balancer.List(b.ProviderFields[balancer.FieldSubnets]),
		SecurityGroups: c.groupIDs(e.Groups(spec)), Tags: tagList(e.Cluster.ObjectTags(spec)),
	}
	if b.Scope == cloud.ScopeInternal {
		input.Scheme = new(schemeInternal)
	}
	if _, err := e.client.CreateLoadBalancer(ctx, input); err != nil {
		return cloud.Progress{}, fmt.Errorf("creating classic balancer %s: %w", b.Name, err)
	}
	made, err := e.Find(ctx, b.Name)
	if err != nil || made == nil {
		return cloud.Progress{Pending: true}, err
	}
	if err := e.complete(ctx, made); err != nil {
		return cloud.Progress{}, err
	}
	next := *c.s
	next.Balancer = made
	return e.Update(ctx, &next, change)
}

// Update makes what differs as wanted. The order is such that it serves in between, and
// that what is left when it breaks off is seen by the next run:
//
//	1  tags are added, marks among them
//	2  its own security group is made and opened, and the nodes are
//	3  subnets and security groups are added
//	4  node ports that are given up lose the proxy policy, and listeners are added and changed,
//	   with their policies
//	5  health check and attributes
//	6  targets are added, and removed
//	7  listeners and subnets are removed
//	8  the nodes are closed, security groups removed, and its own closed or deleted
//	9  tags are removed
func (e *Balancers) Update(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Progress, error) {
	c := &update{
		Balancers: e, s: s, change: change, spec: change.Spec, have: e.view(s, change.Spec), want: *change.After,
		made: map[int]bool{}, policies: map[string]bool{},
	}
	for _, step := range []func(context.Context) error{
		c.addTags,
		c.openOwn, c.openTargets,
		c.attachSubnets, c.addGroups,
		c.clearProxies, c.addListeners, c.setPolicies,
		c.setHealth, c.setAttributes,
		c.setTargets,
		c.dropListeners, c.swapSubnets,
		c.closeTargets, c.dropGroups, c.closeOwn,
		c.dropTags,
	} {
		if err := step(ctx); err != nil {
			return cloud.Progress{}, c.syncTargets(ctx, err)
		}
	}
	return cloud.Progress{Pending: c.pending}, nil
}

// Delete deletes the balancer. Rules in the nodes' security groups that refer to a group
// which is not its own are known by the balancer alone, so they go first.
func (e *Balancers) Delete(ctx context.Context, s *Snapshot, spec cloud.Spec) error {
	if err := e.forget(ctx, s, spec); err != nil {
		return err
	}
	_, err := e.client.DeleteLoadBalancer(ctx, &sdk.DeleteLoadBalancerInput{LoadBalancerName: s.Balancer.LoadBalancerName})
	if isGone(err) {
		return nil
	}
	return failure.Wrap(err, "deleting classic balancer "+s.Balancer.name())
}

// syncTargets brings the targets up to date after AWS refused something for good: nodes come and
// go, whatever is wrong with an annotation. It returns what was refused.
func (c *update) syncTargets(ctx context.Context, refused error) error {
	if c.targeted || !failure.IsFinal(refused) {
		return refused
	}
	return errors.Join(refused, c.setTargets(ctx))
}

// lb is the balancer as it was read.
func (c *update) lb() *Balancer { return c.s.Balancer }

// differs reports whether a managed field is to be changed.
func (c *update) differs(field string) bool {
	return c.want.ProviderFields[field] != c.have.ProviderFields[field]
}

// listener returns the listener at a port now, its policies as they are after what was done.
func (c *update) listener(want cloud.Listener) cloud.Listener {
	for _, l := range c.have.Listeners {
		if l.Port == want.Port && !c.made[l.Port] {
			return l
		}
	}
	l := cloud.Listener{ProviderFields: map[string]string{balancer.FieldTLSPolicy: balancer.DefaultTLSPolicy, balancer.FieldProxy: "false"}}
	if slices.Contains(c.lb().backendPolicies(want.TargetPort), proxyPolicy) {
		l.ProviderFields[balancer.FieldProxy] = "perhaps" // the last listener of the node port may have taken it along
	}
	return l
}
