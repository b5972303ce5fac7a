package elb

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// keepGroups opens the nodes for the security group that the balancer keeps. What the Service asks for
// now says nothing of what is needed meanwhile, so that nothing is closed, and the rules of its own
// group stay.
func (e *Balancers) keepGroups(p *parts, change cloud.Change) error {
	spec, has := change.Spec, strings.Split(change.After.ProviderFields[balancer.FieldGroups], ",")
	needs := e.needsOf(p.Snapshot, spec, balancer.TargetsOf(spec.Candidates, change.After.Targets), nil)
	var own *cloud.Resource
	switch {
	case p.own != nil && slices.Contains(has, balancer.OwnGroup):
		own = &cloud.Resource{Kind: secgroup.KindGroup, Key: p.ownName.Name, ID: p.ownID}
		p.Wanted, p.Present = append(p.Wanted, *own), append(p.Present, *own)
		needs.Rules = secgroup.Rules{secgroup.All(own.ID): ""}
	case !slices.Contains(has, e.Groups(spec)[0]):
		return nil // which of them the nodes were opened for is not known
	}
	return e.Security.NodeRules(&p.Resources, p.Inventory, needs, own, true)
}

// addGroups adds the balancer's own security group and its rules, and the rules for the balancer in
// the security groups of nodes. It returns what has to be there before the balancer.
func (e *Balancers) addGroups(ctx context.Context, p *parts, change cloud.Change) (first []cloud.IDOf, err error) {
	spec := change.Spec
	leaving := e.leaving(p.Snapshot, spec)
	closing, err := e.unshared(ctx, leaving, p.of.Key)
	if err != nil {
		return nil, err
	}
	var own *cloud.Resource
	if !e.HasOwnGroup(spec) && p.own != nil {
		e.Security.DropOwn(&p.Resources, p.Inventory, *p.own)
	} else if e.HasOwnGroup(spec) {
		group, err := e.Security.KeepOwn(ctx, &p.Resources, p.Inventory, p.ownName, spec, desired.Ingress(spec))
		if err != nil {
			return nil, err
		}
		if group.Problem != nil && slices.Contains(p.lb.SecurityGroups, group.ID) {
			p.Present = append(p.Present, group) // the balancer goes on with it
		}
		own, closing = &group, append(closing, group.ID)
	}
	for _, r := range p.Wanted {
		first = append(first, r.Ref())
	}
	needs, present := e.needsOf(p.Snapshot, spec, balancer.TargetsOf(spec.Candidates, change.After.Targets), closing), len(p.Present)
	err = e.Security.NodeRules(&p.Resources, p.Inventory, needs, own, balancer.Doubtful(spec.Candidates, *change.After))
	groups := cloud.IDOf{Kind: kindGroups, Key: p.of.Key}
	for i := len(first); i < len(p.Wanted); i++ {
		p.Wanted[i].Needs = []cloud.IDOf{p.of} // its deletion may find them by the balancer alone
		// A group that the balancer has needs its rule, whatever groups are refused.
		if peer, _ := p.Wanted[i].Fields["Peer"].(string); !slices.Contains(p.lb.SecurityGroups, peer) {
			p.Wanted[i].For = groups
		}
	}
	for i := present; i < len(p.Present); i++ {
		p.Present[i].For = groups
	}
	return first, err
}

// needsOf is that the nodes let in everything from the first of the balancer's security
// groups, as upstream has it. A rule was made for the balancer when it refers to its own security
// group, or says that it was made for balancers and refers to one that was its first. Any other is
// somebody else's: a user could have it removed by naming the group. Rules that refer to the groups of
// closing are not needed.
func (e *Balancers) needsOf(s *Snapshot, spec cloud.Spec, machines []cloud.Target, closing []string) secgroup.Needs {
	_, own := e.own(s, spec)
	first := e.Groups(spec)[0]
	if first == balancer.OwnGroup {
		first = own
	}
	return secgroup.Needs{
		Mine: func(_ secgroup.Rules, r secgroup.Rule, description string) bool {
			return isOpening(r, description, own) && slices.Contains(closing, r.Source)
		},
		Rules:  secgroup.Rules{secgroup.All(first): openingWords(first, own)},
		Groups: e.Security.NodeGroups(s.Inventory, machines),
	}
}

// ruleOpening is the description of rules that open nodes for a security group which is not the
// balancer's own. Upstream writes none: there, a rule that somebody else needs looks the same.
const ruleOpening = "multicloud-ccm.io/rule/elb"

// isOpening recognises a rule on a node's security group as it is made for balancers.
func isOpening(r secgroup.Rule, description, own string) bool {
	return description == openingWords(r.Source, own) && r == secgroup.All(r.Source)
}

func openingWords(group, own string) string {
	if group == own {
		return ""
	}
	return ruleOpening
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
