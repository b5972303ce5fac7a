package nlb

import (
	"context"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// parts collects the resources of one change.
type parts struct {
	*Balancers
	cloud.Resources
	s      *Snapshot
	change cloud.Change
	lb     cloud.IDOf // stands for the balancer
}

// Resources returns the resources of a balancer before and after a change.
func (n *Balancers) Resources(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Resources, error) {
	p := &parts{Balancers: n, s: s, change: change, lb: cloud.IDOf{Kind: kindBalancer, Key: s.Name}}
	if err := p.addGroups(ctx); err != nil {
		return p.Resources, err
	}
	p.addBalancer()
	p.addTimeouts()
	for _, l := range change.After.Listeners {
		if err := p.addListener(ctx, l); err != nil {
			return p.Resources, err
		}
	}
	p.addLeft()
	p.addSurplus()
	return p.Resources, nil
}

// addGroups adds the balancer's own security group, and the rules of the nodes' groups.
func (p *parts) addGroups(ctx context.Context) error {
	spec, after := p.change.Spec, *p.change.After
	rules, subnets := ownGroupRules(after), slices.Collect(maps.Keys(desired.Places(after.ProviderFields[balancer.FieldSubnets])))
	ranges, v6 := p.s.Inventory.Ranges(subnets)
	if after.DualStack {
		ranges = append(ranges, v6...)
	}
	needs := nodeNeeds(after.Name, after, ranges, p.Security.NodeGroups(p.s.Inventory, balancer.TargetsOf(spec.Candidates, after.Targets)))
	needs.NewOwner = p.newOwners(ctx, p.s, after.Name)
	var own *cloud.Resource
	group, exists := p.Security.OfNetwork(p.s.Inventory, spec.Ref.Owner)
	switch wanted := slices.Contains(balancer.List(after.ProviderFields[balancer.FieldGroups]), balancer.OwnGroup); {
	case wanted:
		kept, err := p.Security.KeepOwn(ctx, &p.Resources, p.s.Inventory, p.Security.NetworkName(spec.Ref.Owner), spec, rules)
		if err != nil {
			return err
		}
		own = &kept
	case exists:
		p.Security.DropOwn(&p.Resources, p.s.Inventory, group)
	}
	return p.Security.NodeRules(&p.Resources, p.s.Inventory, needs, own, spec.Deleting || balancer.Doubtful(spec.Candidates, after))
}

// ownGroupRules are the rules of a network balancer's own security group.
func ownGroupRules(b cloud.Balancer) secgroup.Rules {
	rs := secgroup.Rules{}
	for _, source := range b.Allow {
		rs[secgroup.Fragmentation(source)] = ""
		for _, l := range b.Listeners {
			for _, transport := range transports(l.Protocol) {
				rs[secgroup.Port(transport, l.Port, source)] = ""
			}
		}
	}
	return rs
}

// transports are the protocols of packets a listener or target takes.
func transports(p cloud.Protocol) []string {
	switch p {
	case cloud.ProtocolUDP:
		return []string{"udp"}
	case desired.ProtocolBoth:
		return []string{"tcp", "udp"}
	}
	return []string{"tcp"}
}
