package nlb

import (
	"context"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

// parts collects the resources of one change.
type parts struct {
	*Balancers
	cloud.Resources
	s      *Snapshot
	change cloud.Change
	lb     cloud.IDOf // stands for the balancer
	// targets has the resources of target groups.
	targets *targetgroup.Change
}

func (n *Balancers) parts(s *Snapshot, change cloud.Change) *parts {
	lb := cloud.IDOf{Kind: kindBalancer, Key: s.Name}
	return &parts{Balancers: n, s: s, change: change, lb: lb, targets: &targetgroup.Change{Groups: n.Targets, Of: change, Set: s.Groups, Balancer: lb}}
}

// Resources returns the resources of a balancer before and after a change.
func (n *Balancers) Resources(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Resources, error) {
	p := n.parts(s, change)
	if err := p.addGroups(ctx); err != nil {
		return p.Resources, err
	}
	p.targets.Rules = p.rules()
	p.addBalancer()
	p.addTimeouts()
	for _, l := range change.After.Listeners {
		if err := p.addListener(ctx, l); err != nil {
			return p.Resources, err
		}
	}
	p.addLeft()
	its := p.targets.Resources
	return cloud.Resources{Present: append(p.Present, its.Present...), Wanted: append(p.Wanted, its.Wanted...), Again: its.Again}, nil
}

// addGroups adds the balancer's own security group, and the rules of the nodes' groups.
func (p *parts) addGroups(ctx context.Context) error {
	in, after := p.change.Input, *p.change.After
	subnets := slices.Collect(maps.Keys(desired.Places(after.ProviderFields[balancer.FieldSubnets])))
	ranges, v6 := p.s.Inventory.Ranges(subnets)
	if after.DualStack {
		ranges = append(ranges, v6...)
	}
	behind, doubt := balancer.Behind(in.Candidates, after)
	needs := nodeNeeds(after.Name, after, ranges, p.Security.NodeGroups(p.s.Inventory, behind))
	needs.NewOwner = p.newOwners(ctx, p.s, after.Name)
	var own *cloud.Resource
	group, exists := p.Security.OfNetwork(p.s.Inventory, in.Owner)
	switch wanted := slices.Contains(balancer.List(after.ProviderFields[balancer.FieldGroups]), secgroup.OwnGroup); {
	case wanted:
		kept, err := p.Security.KeepOwn(ctx, &p.Resources, p.s.Inventory, p.Security.NetworkName(in.Owner), in.Spec, secgroup.ForListeners(after))
		if err != nil {
			return err
		}
		own = &kept
	case exists:
		p.Security.DropOwn(&p.Resources, p.s.Inventory, group)
	}
	return p.Security.NodeRules(&p.Resources, p.s.Inventory, needs, own, in.Deleting || doubt)
}
