package elb

import (
	"context"
	"slices"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// maxGroups is how many security groups a balancer can have unless the account's quota was raised.
const maxGroups = 5

// openOwn makes the balancer's own security group where it shall have one, with all wanted rules.
func (c *update) openOwn(ctx context.Context) error {
	creating := c.s.Balancer == nil
	if !c.HasOwnGroup(c.spec) || !creating && !c.differs(balancer.FieldIngress) && !c.differs(balancer.FieldGroups) {
		return nil
	}
	own, err := c.groups.Ensure(ctx, c.s.Inventory, secgroup.ClassicName(c.s.name(c.spec), c.spec.Ref.Owner), c.spec, desired.Ingress(c.spec))
	if err != nil {
		return err
	}
	next := *c.s
	next.Inventory = c.s.Inventory.With(own)
	c.s = &next
	return nil
}

// vpc.GroupIDs puts the id of the balancer's own security group in the place of balancer.OwnGroup.
func (c *update) groupIDs(groups []string) []string {
	ids := slices.Clone(groups)
	for i, id := range ids {
		if id == balancer.OwnGroup {
			ids[i] = c.ownID(c.s, c.spec)
		}
	}
	return ids
}

// needs are those of the targets there shall be.
func (c *update) needs() secgroup.Needs {
	return c.needsOf(c.s, c.spec, balancer.TargetsOf(c.spec.Candidates, c.want.Targets))
}

// openTargets opens the nodes for the balancer.
func (c *update) openTargets(ctx context.Context) error {
	if c.HasOwnGroup(c.spec) && c.own(c.s, c.spec) == nil {
		return nil // only targets change, and somebody has deleted the group
	}
	return c.groups.OpenNodes(ctx, c.s.Inventory, c.needs())
}

// closeTargets closes the nodes for what is not needed any more. Rules that refer to a security
// group which another balancer has stay. Nothing is closed while a target is not known: it may be
// in any group.
func (c *update) closeTargets(ctx context.Context) error {
	if balancer.Doubtful(c.spec.Candidates, c.want) {
		return nil
	}
	shared, err := c.sharedGroups(ctx, c.leaving(c.s, c.spec), c.lb().name())
	if err != nil {
		return err
	}
	needs := c.needs()
	own := needs.Mine
	needs.Mine = func(all secgroup.Rules, r secgroup.Rule, description string) bool {
		return own(all, r, description) && !slices.Contains(shared, r.Source)
	}
	return c.groups.CloseNodes(ctx, c.s.Inventory, needs)
}

// sharedGroups returns which of these security groups another classic balancer has, of whatever
// cluster.
func (e *Balancers) sharedGroups(ctx context.Context, groups []string, except string) ([]string, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	all, err := e.describe(ctx)
	if err != nil {
		return nil, err
	}
	var shared []string
	for _, b := range all {
		if b.name() != except {
			shared = append(shared, b.SecurityGroups...)
		}
	}
	return slices.DeleteFunc(shared, func(id string) bool { return !slices.Contains(groups, id) }), nil
}

// addGroups gives the balancer the security groups it shall have beside those it has, so that
// their rules stay until they are not needed any more. When these are too many for AWS it gets
// the wanted ones at once.
func (c *update) addGroups(ctx context.Context) error {
	if !c.differs(balancer.FieldGroups) {
		return nil
	}
	wanted := c.groupIDs(balancer.List(c.want.ProviderFields[balancer.FieldGroups]))
	all := slices.Clone(c.lb().SecurityGroups)
	for _, id := range wanted {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	switch {
	case len(all) == len(c.lb().SecurityGroups):
		return nil
	case len(all) > maxGroups:
		all = wanted
	}
	return c.setGroups(ctx, all)
}

// dropGroups leaves the balancer only the security groups it shall have.
func (c *update) dropGroups(ctx context.Context) error {
	wanted := c.groupIDs(balancer.List(c.want.ProviderFields[balancer.FieldGroups]))
	if !c.differs(balancer.FieldGroups) || !slices.ContainsFunc(c.lb().SecurityGroups, func(id string) bool { return !slices.Contains(wanted, id) }) {
		return nil
	}
	return c.setGroups(ctx, wanted)
}

func (c *update) setGroups(ctx context.Context, ids []string) error {
	_, err := c.client.ApplySecurityGroupsToLoadBalancer(ctx, &sdk.ApplySecurityGroupsToLoadBalancerInput{LoadBalancerName: c.lb().LoadBalancerName, SecurityGroups: ids})
	return failure.Wrap(err, "setting the security groups of classic balancer "+c.lb().name())
}

// closeOwn removes rules that are not wanted from the balancer's own security group, or the group
// when the balancer has others instead.
func (c *update) closeOwn(ctx context.Context) error {
	own := c.own(c.s, c.spec)
	if own == nil || !c.differs(balancer.FieldIngress) && !c.differs(balancer.FieldGroups) {
		return nil
	}
	if c.HasOwnGroup(c.spec) {
		return c.groups.Revoke(ctx, *own.GroupId, secgroup.Ingress(*own).Without(desired.Ingress(c.spec)))
	}
	gone, err := c.groups.Drop(ctx, c.s.Inventory, *own.GroupId)
	c.pending = c.pending || !gone
	return err
}

// forget removes what refers to the balancer's security groups from those of the nodes,
// unless another balancer has the group too. What refers to its own goes with that.
func (e *Balancers) forget(ctx context.Context, s *Snapshot, spec cloud.Spec) error {
	groups := e.opened(s, spec)
	shared, err := e.sharedGroups(ctx, groups, s.Balancer.name())
	if err != nil {
		return err
	}
	return e.groups.CloseNodes(ctx, s.Inventory, secgroup.Needs{Mine: func(_ secgroup.Rules, r secgroup.Rule, description string) bool {
		return isOpening(r, description, "") && slices.Contains(groups, r.Source) && !slices.Contains(shared, r.Source)
	}})
}
