package elb

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// addGroups adds the balancer's own security group and its rules, and the rules for the balancer in
// the security groups of nodes. It returns what has to be there before the balancer.
func (e *Balancers) addGroups(ctx context.Context, p *parts, change cloud.Change) (first []cloud.IDOf, err error) {
	spec := change.Spec
	if p.Balancer != nil && !e.isAsked(spec, *change.After) {
		return nil, e.keepGroups(p, change)
	}
	closing, err := e.unshared(ctx, e.leaving(p.Snapshot, spec), p.of.Key)
	if err != nil {
		return nil, err
	}
	var own *cloud.Resource
	if e.HasOwnGroup(spec) {
		group, err := e.Security.KeepOwn(ctx, &p.Resources, p.Inventory, p.ownName, spec, desired.Ingress(spec))
		if err != nil {
			return nil, err
		}
		if group.Problem != nil && slices.Contains(p.lb.SecurityGroups, group.ID) {
			p.Present = append(p.Present, group) // the balancer goes on with it
		}
		own, closing = &group, append(closing, group.ID)
	} else if present := e.own(p.Snapshot, spec); present != nil {
		e.Security.DropOwn(&p.Resources, p.Inventory, *present)
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

// isAsked reports whether a balancer shall have the security groups, the sources and the ports that the
// Service asks for. Where it is left as it is but for its targets, it need not.
func (e *Balancers) isAsked(spec cloud.Spec, after cloud.Balancer) bool {
	var asked, has []int
	for _, port := range spec.Ports {
		asked = append(asked, port.Port)
	}
	for _, l := range after.Listeners {
		has = append(has, l.Port)
	}
	slices.Sort(asked)
	slices.Sort(has)
	return balancer.Joined(e.Groups(spec)) == after.ProviderFields[balancer.FieldGroups] && slices.Equal(e.Allow(spec), after.Allow) && slices.Equal(asked, has)
}

// keepGroups opens the nodes for the security group that the balancer keeps. What the Service asks for
// now says nothing of what is needed meanwhile, so that nothing is closed, and the rules of its own
// group stay.
func (e *Balancers) keepGroups(p *parts, change cloud.Change) error {
	spec, has := change.Spec, balancer.List(change.After.ProviderFields[balancer.FieldGroups])
	needs := e.needsOf(p.Snapshot, spec, balancer.TargetsOf(spec.Candidates, change.After.Targets), nil)
	var own *cloud.Resource
	switch group := e.own(p.Snapshot, spec); {
	case group != nil && slices.Contains(has, balancer.OwnGroup):
		own = &cloud.Resource{Kind: secgroup.KindGroup, Key: p.ownName.Name, ID: aws.ToString(group.GroupId)}
		p.Wanted, p.Present = append(p.Wanted, *own), append(p.Present, *own)
		needs.Rules = secgroup.Rules{secgroup.All(own.ID): ""}
	case !slices.Contains(has, e.Groups(spec)[0]):
		return nil // which of them the nodes were opened for is not known
	}
	return e.Security.NodeRules(&p.Resources, p.Inventory, needs, own, true)
}

// ofDeletion returns the balancer, and the rules of the nodes that refer to a security group which is not
// its own: they are known by the balancer alone.
func (e *Balancers) ofDeletion(ctx context.Context, s *Snapshot, spec cloud.Spec) (r cloud.Resources, err error) {
	name := s.Name
	lb := cloud.Resource{Kind: kindBalancer, Key: name, ID: name}
	if own := e.own(s, spec); own != nil {
		lb.Needs = []cloud.IDOf{{Kind: secgroup.KindGroup, Key: aws.ToString(own.GroupName)}}
	}
	r.Present = append(r.Present, lb)
	closing, err := e.unshared(ctx, e.opened(s, spec), name)
	if err != nil {
		return r, err
	}
	needs := secgroup.Needs{Mine: func(_ secgroup.Rules, rule secgroup.Rule, description string) bool {
		return isOpening(rule, description, "") && slices.Contains(closing, rule.Source)
	}}
	return r, e.Security.NodeRules(&r, s.Inventory, needs, nil, false)
}

// unshared returns those of the security groups that no other classic balancer has, of whatever
// cluster.
func (e *Balancers) unshared(ctx context.Context, groups []string, except string) ([]string, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	all, err := e.describe(ctx)
	for _, b := range all {
		if b.name() != except {
			groups = balancer.Missing(groups, b.SecurityGroups)
		}
	}
	return groups, err
}

// own returns the security group that was made for the balancer, nil when there is none
// with the cluster's tag.
func (e *Balancers) own(s *Snapshot, spec cloud.Spec) *ec2types.SecurityGroup {
	if group, exists := secgroup.ClassicName(s.Name, spec.Ref.Owner).In(s.Inventory); exists {
		return &group
	}
	return nil
}

// ownID is its id, or balancer.OwnGroup.
func (e *Balancers) ownID(s *Snapshot, spec cloud.Spec) string {
	if own := e.own(s, spec); own != nil {
		return aws.ToString(own.GroupId)
	}
	return balancer.OwnGroup
}

// needsOf is that the nodes let in everything from the first of the balancer's security
// groups, as upstream has it. A rule was made for the balancer when it refers to its own security
// group, or says that it was made for balancers and refers to one that was its first. Any other is
// somebody else's: a user could have it removed by naming the group. Rules that refer to the groups of
// closing are not needed.
func (e *Balancers) needsOf(s *Snapshot, spec cloud.Spec, machines []cloud.Target, closing []string) secgroup.Needs {
	wanted, own := e.Groups(spec), e.ownID(s, spec)
	first := wanted[0]
	if first == balancer.OwnGroup {
		first = own
	}
	return secgroup.Needs{
		Groups: e.Security.NodeGroups(s.Inventory, machines),
		Rules:  secgroup.Rules{secgroup.All(first): openingWords(first, own)},
		Mine: func(_ secgroup.Rules, r secgroup.Rule, description string) bool {
			return isOpening(r, description, own) && slices.Contains(closing, r.Source)
		},
	}
}

// ruleOpening is the description of rules that open nodes for a security group which is not the
// balancer's own. Upstream writes none: there, a rule that somebody else needs looks the same.
const ruleOpening = "multicloud-ccm.io/rule/elb"

func openingWords(group, own string) string {
	if group == own {
		return ""
	}
	return ruleOpening
}

// isOpening recognises a rule on a node's security group as it is made for balancers.
func isOpening(r secgroup.Rule, description, own string) bool {
	return r == secgroup.All(r.Source) && description == openingWords(r.Source, own)
}

// leaving are the security groups that the nodes were opened for and that are not wanted, without
// the balancer's own.
func (e *Balancers) leaving(s *Snapshot, spec cloud.Spec) []string {
	wanted := e.Groups(spec)
	return slices.DeleteFunc(e.opened(s, spec), func(id string) bool { return slices.Contains(wanted, id) })
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
	switch {
	case slices.Contains(groups, e.ownID(s, spec)):
		return nil
	case slices.Contains(groups, wanted[0]):
		return wanted[:1]
	}
	return balancer.Missing(groups, wanted)
}
