package secgroup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Rule lets traffic into a security group. EC2 tells rules apart by just these fields: there
// can't be a second one with another description.
type Rule struct {
	Protocol string // "tcp", "udp", "icmp", "icmpv6" or allProtocols
	// From and to are ports, type and code with ICMP, and -1 with allProtocols.
	From, to int32
	// Source is a network, or the id of a security group or prefix list.
	Source string
}

// Rules are the ingress rules of a security group with their descriptions.
type Rules map[Rule]string

const allProtocols = "-1"

// All lets in everything from a security group.
func All(group string) Rule { return Rule{allProtocols, -1, -1, group} }

// String returns the rule for people: "tcp/80 from 0.0.0.0/0".
func (r Rule) String() string {
	switch {
	case r.Protocol == allProtocols:
		return "all from " + r.Source
	case r.From == r.to:
		return fmt.Sprintf("%s/%d from %s", r.Protocol, r.From, r.Source)
	}
	return fmt.Sprintf("%s/%d-%d from %s", r.Protocol, r.From, r.to, r.Source)
}

func (r Rule) compare(o Rule) int {
	return cmp.Or(cmp.Compare(r.Protocol, o.Protocol), cmp.Compare(r.From, o.From), cmp.Compare(r.to, o.to), cmp.Compare(r.Source, o.Source))
}

// Sorted returns the rules in a fixed order.
func (rs Rules) Sorted() []Rule { return slices.SortedFunc(maps.Keys(rs), Rule.compare) }

// Without returns the rules that other does not have.
func (rs Rules) Without(other Rules) Rules {
	left := maps.Clone(rs)
	maps.DeleteFunc(left, func(r Rule, _ string) bool { _, has := other[r]; return has })
	return left
}

// Sources are the networks that any of the rules lets in, sorted.
func (rs Rules) Sources() []string {
	var list []string
	for r := range rs {
		list = append(list, r.Source)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Ingress returns the rules of a security group.
func Ingress(g ec2types.SecurityGroup) Rules {
	rs := Rules{}
	for _, p := range g.IpPermissions {
		r := Rule{Protocol: aws.ToString(p.IpProtocol), From: -1, to: -1}
		if r.Protocol != allProtocols {
			r.From, r.to = aws.ToInt32(p.FromPort), aws.ToInt32(p.ToPort)
		}
		add := func(source, description *string) {
			r.Source = aws.ToString(source)
			rs[r] = aws.ToString(description)
		}
		for _, s := range p.IpRanges {
			add(s.CidrIp, s.Description)
		}
		for _, s := range p.Ipv6Ranges {
			add(s.CidrIpv6, s.Description)
		}
		for _, s := range p.PrefixListIds {
			add(s.PrefixListId, s.Description)
		}
		for _, s := range p.UserIdGroupPairs {
			add(s.GroupId, s.Description)
		}
	}
	return rs
}

// ruleResource is a rule, which is known by all it says but its description. The group is the id of a
// security group, or stands for it. Where the peer is the balancer's own group, that is what it refers
// to.
func ruleResource(group any, r Rule, description string, own *cloud.Resource) cloud.Resource {
	var peer any = r.Source
	if own != nil && (r.Source == own.ID || r.Source == OwnGroup) {
		peer = own.Ref()
	}
	where := group
	if ref, own := group.(cloud.IDOf); own {
		where = ref.Key
	}
	return cloud.Resource{
		Kind: KindRule, Key: fmt.Sprintf("%s in %s", r, where), Native: described{r, description},
		Fields: map[string]any{"GroupId": group, "Peer": peer},
	}
}

type described struct {
	Rule
	description string
}

// NodeRules adds the rules of nodes' security groups that are missing, and those that were made for the
// balancer and are not needed. One that another balancer needs gets its description. Own is the
// balancer's own group, nil where it has none. With doubt, when a target is no candidate, what seems
// too much may be needed.
func (gs *Groups) NodeRules(r *cloud.Resources, inv *vpc.Inventory, n Needs, own *cloud.Resource, doubt bool) error {
	if gs.Balancer.LeaveNodeGroups {
		return nil
	}
	for _, id := range n.Groups {
		missing := n.Rules.Without(Ingress(inv.Groups[id]))
		for _, rule := range missing.Sorted() {
			one := ruleResource(id, rule, missing[rule], own)
			if own != nil {
				one.Needs = []cloud.IDOf{own.Ref()}
			}
			r.Wanted = append(r.Wanted, one)
		}
	}
	if doubt {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(inv.Groups)) {
		surplus := n.Surplus(inv, id)
		for _, rule := range surplus.Sorted() {
			var needed bool
			var next string
			var err error
			if n.NewOwner != nil {
				needed, next, err = n.NewOwner(id, rule)
			}
			switch one := ruleResource(id, rule, surplus[rule], own); {
			case err != nil:
				return err
			case !needed:
				r.Present = append(r.Present, one)
			case next != surplus[rule]:
				r.Present = append(r.Present, withDescription(one, surplus[rule]))
				r.Wanted = append(r.Wanted, withDescription(one, next))
			}
		}
	}
	return nil
}

func withDescription(r cloud.Resource, text string) cloud.Resource {
	r.Fields = maps.Clone(r.Fields)
	r.Fields["Description"] = text
	return r
}

// Needs are the rules that the security groups of a balancer's nodes have to have, all the
// same ones.
type Needs struct {
	Groups []string
	Rules  Rules
	// Optional rules are neither missed nor too much.
	Optional Rules
	// Mine recognises a rule that was made for the balancer, among all of a group.
	Mine func(all Rules, r Rule, description string) bool
	// NewOwner says who else needs a rule; nil when nobody can. Only what is closed is asked for.
	NewOwner NewOwner
}

// NewOwner says whether another balancer needs a rule in that security group, and the description it
// then gets.
type NewOwner func(group string, r Rule) (needed bool, description string, err error)

// Surplus returns the rules for the balancer on a group that it does not need there.
func (n Needs) Surplus(inv *vpc.Inventory, id string) Rules {
	left, all := Rules{}, Ingress(inv.Groups[id])
	for r, description := range all {
		_, needed := n.Rules[r]
		_, optional := n.Optional[r]
		used := (needed || optional) && slices.Contains(n.Groups, id)
		// What lets the members of a group talk to each other is never a balancer's, though one may
		// have had that group too.
		if !used && r.Source != id && n.Mine(all, r, description) {
			left[r] = description
		}
	}
	return left
}
