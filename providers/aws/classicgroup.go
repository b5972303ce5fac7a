package aws

import (
	"context"
	"slices"

	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// maxGroups is how many security groups a balancer can have unless the account's quota was raised.
const maxGroups = 5

// openOwn makes the balancer's own security group where it shall have one, with all wanted rules.
func (c *classicChange) openOwn(ctx context.Context) error {
	creating := c.s.classic == nil
	if !c.hasOwnGroup(c.spec) || !creating && !c.differs(fieldIngress) && !c.differs(fieldGroups) {
		return nil
	}
	own, err := c.groups.Ensure(ctx, c.s.area, secgroup.ClassicName(c.s.name(c.spec), c.spec.Ref.Owner), c.spec, wantedClassicIngress(c.spec))
	if err != nil {
		return err
	}
	next := *c.s
	next.area = c.s.area.With(own)
	c.s = &next
	return nil
}

// vpc.GroupIDs puts the id of the balancer's own security group in the place of ownGroup.
func (c *classicChange) groupIDs(groups []string) []string {
	ids := slices.Clone(groups)
	for i, id := range ids {
		if id == ownGroup {
			ids[i] = c.classicOwnID(c.s, c.spec)
		}
	}
	return ids
}

// needs are those of the targets there shall be.
func (c *classicChange) needs() secgroup.Needs {
	return c.classicNeeds(c.s, c.spec, targetsOf(c.spec.Candidates, c.want.Targets))
}

// openTargets opens the nodes for the balancer.
func (c *classicChange) openTargets(ctx context.Context) error {
	if c.hasOwnGroup(c.spec) && c.classicOwn(c.s, c.spec) == nil {
		return nil // only targets change, and somebody has deleted the group
	}
	return c.groups.OpenNodes(ctx, c.s.area, c.needs())
}

// closeTargets closes the nodes for what is not needed any more. Rules that refer to a security
// group which another balancer has stay. Nothing is closed while a target is not known: it may be
// in any group.
func (c *classicChange) closeTargets(ctx context.Context) error {
	if doubtful(c.spec.Candidates, c.want) {
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
	return c.groups.CloseNodes(ctx, c.s.area, needs)
}

// sharedGroups returns which of these security groups another classic balancer has, of whatever
// cluster.
func (d *Driver) sharedGroups(ctx context.Context, groups []string, except string) ([]string, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	all, err := d.describeClassic(ctx)
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
func (c *classicChange) addGroups(ctx context.Context) error {
	if !c.differs(fieldGroups) {
		return nil
	}
	wanted := c.groupIDs(listOf(c.want.ProviderFields[fieldGroups]))
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
func (c *classicChange) dropGroups(ctx context.Context) error {
	wanted := c.groupIDs(listOf(c.want.ProviderFields[fieldGroups]))
	if !c.differs(fieldGroups) || !slices.ContainsFunc(c.lb().SecurityGroups, func(id string) bool { return !slices.Contains(wanted, id) }) {
		return nil
	}
	return c.setGroups(ctx, wanted)
}

func (c *classicChange) setGroups(ctx context.Context, ids []string) error {
	_, err := c.Classic.ApplySecurityGroupsToLoadBalancer(ctx, &elb.ApplySecurityGroupsToLoadBalancerInput{LoadBalancerName: c.lb().LoadBalancerName, SecurityGroups: ids})
	return failure.Wrap(err, "setting the security groups of classic balancer "+c.lb().name())
}

// closeOwn removes rules that are not wanted from the balancer's own security group, or the group
// when the balancer has others instead.
func (c *classicChange) closeOwn(ctx context.Context) error {
	own := c.classicOwn(c.s, c.spec)
	if own == nil || !c.differs(fieldIngress) && !c.differs(fieldGroups) {
		return nil
	}
	if c.hasOwnGroup(c.spec) {
		return c.groups.Revoke(ctx, *own.GroupId, secgroup.Ingress(*own).Without(wantedClassicIngress(c.spec)))
	}
	gone, err := c.groups.Drop(ctx, c.s.area, *own.GroupId)
	c.pending = c.pending || !gone
	return err
}

// forgetClassic removes what refers to the balancer's security groups from those of the nodes,
// unless another balancer has the group too. What refers to its own goes with that.
func (d *Driver) forgetClassic(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	groups := d.opened(s, spec)
	shared, err := d.sharedGroups(ctx, groups, s.classic.name())
	if err != nil {
		return err
	}
	return d.groups.CloseNodes(ctx, s.area, secgroup.Needs{Mine: func(_ secgroup.Rules, r secgroup.Rule, description string) bool {
		return isOpening(r, description, "") && slices.Contains(groups, r.Source) && !slices.Contains(shared, r.Source)
	}})
}
