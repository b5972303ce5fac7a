package elb

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// keepGroups opens the nodes for the security group that the balancer keeps. What the Service asks for
// now says nothing of what is needed meanwhile, so that nothing is closed, and the rules of its own
// group stay.
func (p *parts) keepGroups() error {
	has := strings.Split(p.change.After.ProviderFields[balancer.FieldGroups], ",")
	needs := p.needs(nil)
	var own *cloud.Resource
	switch {
	case p.own != nil && slices.Contains(has, secgroup.OwnGroup):
		own = &cloud.Resource{Kind: secgroup.KindGroup, Key: p.ownName.Name, ID: p.ownID}
		p.Wanted, p.Present = append(p.Wanted, *own), append(p.Present, *own)
		needs.Rules = packetfilter.Rules{opening(own.ID): {}}
	case !slices.Contains(has, p.Groups(p.change.Input.Spec)[0]):
		return nil // which of them the nodes were opened for is not known
	}
	return p.Security.NodeRules(&p.Resources, p.s.Inventory, needs, own, true)
}

// needs is that the nodes let in everything from the first of the balancer's security
// groups, as upstream has it. A rule was made for the balancer when it refers to its own security
// group, or says that it was made for balancers and refers to one that was its first. Any other is
// somebody else's: a user could have it removed by naming the group. Rules that refer to the groups of
// closing are not needed.
func (p *parts) needs(closing []string) packetfilter.Needs {
	own, first := p.ownID, p.Groups(p.change.Input.Spec)[0]
	if first == secgroup.OwnGroup {
		first = own
	}
	return packetfilter.Needs{
		Mine: func(_ packetfilter.Rules, r packetfilter.Rule, description string) bool {
			return isOpening(r, description, own) && slices.Contains(closing, r.Peer.Group)
		},
		Rules:  packetfilter.Rules{opening(first): {Description: openingWords(first, own)}},
		Groups: p.nodeGroups,
	}
}

// ruleOpening is the description of rules that open nodes for a security group which is not the
// balancer's own. Upstream writes none: there, a rule that somebody else needs looks the same.
const ruleOpening = "multicloud-ccm.io/rule/elb"

// isOpening recognises a rule on a node's security group as it is made for balancers.
func isOpening(r packetfilter.Rule, description, own string) bool {
	return r == opening(r.Peer.Group) && description == openingWords(r.Peer.Group, own)
}

// opening lets in everything from a security group.
func opening(group string) packetfilter.Rule {
	return packetfilter.All(packetfilter.Peer{Group: group})
}

func openingWords(group, own string) string {
	if group == own {
		return ""
	}
	return ruleOpening
}
