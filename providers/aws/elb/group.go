package elb

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// addGroups adds the balancer's own security group and its rules, and the rules for the balancer in
// the security groups of nodes. It returns what has to be there before the balancer.
func (p *parts) addGroups(ctx context.Context) (first []cloud.IDOf, err error) {
	in, after := p.change.Input, *p.change.After
	leaving := p.leaving(p.s, in.Spec)
	closing, err := p.unshared(ctx, leaving, p.lb.Key)
	if err != nil {
		return nil, err
	}
	var own *cloud.Resource
	switch {
	case !p.HasOwnGroup(in.Spec) && p.own != nil && p.Security.IsOurs(*p.own, in.Owner, p.ownName):
		p.Security.DropOwn(&p.Resources, p.s.Inventory, *p.own)
	case p.HasOwnGroup(in.Spec):
		group, err := p.Security.KeepOwn(ctx, &p.Resources, p.s.Inventory, p.ownName, in.Spec, secgroup.ForListeners(after))
		if err != nil {
			return nil, err
		}
		if group.Problem != nil && slices.Contains(p.has.SecurityGroups, group.ID) {
			p.Present = append(p.Present, group) // the balancer goes on with it
		}
		own, closing = &group, append(closing, group.ID)
	}
	for _, r := range p.Wanted {
		first = append(first, r.Ref())
	}
	err = p.Security.NodeRules(&p.Resources, p.s.Inventory, p.needs(closing), own, p.doubt)
	for i := len(first); i < len(p.Wanted); i++ {
		p.Wanted[i].Needs = []cloud.IDOf{p.lb} // its deletion may find them by the balancer alone
	}
	return first, err
}

// leaving are the security groups that the nodes were opened for and that are not wanted, without
// the balancer's own.
func (e *Balancers) leaving(s *Snapshot, spec cloud.Spec) []string {
	wanted := e.Groups(spec)
	return without(e.opened(s, spec), wanted)
}

// opened are the balancer's security groups that its nodes may have been opened for, without its
// own:
//
//	the balancer has                the nodes were opened for
//	its own                         that: the others are extra ones
//	the first of the wanted groups  that: the others are extra ones
//	neither                         any but the wanted extra ones: AWS keeps no order
func (e *Balancers) opened(s *Snapshot, spec cloud.Spec) []string {
	if s.Balancer == nil {
		return nil
	}
	groups, wanted := s.Balancer.SecurityGroups, e.Groups(spec)
	switch _, own := e.own(s, spec); {
	case slices.Contains(groups, own):
		return nil
	case slices.Contains(groups, wanted[0]):
		return wanted[:1]
	}
	return without(groups, wanted)
}

// without returns the items of a list that other does not have.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return slices.Contains(other, item) })
}

// unshared returns those of the security groups that no other classic balancer has, of whatever
// cluster.
func (e *Balancers) unshared(ctx context.Context, groups []string, except string) ([]string, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	all, err := e.describe(ctx)
	for _, b := range all {
		if aws.ToString(b.LoadBalancerName) != except {
			groups = without(groups, b.SecurityGroups)
		}
	}
	return groups, err
}
