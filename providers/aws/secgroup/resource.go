package secgroup

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// KeepOwn adds a balancer's own security group as it is and as it has to be. It looks for it among
// those without the cluster's tag too. A group of that name which is not ours is refused like one that
// cannot be made, so that what does not refer to it goes on; nothing of it changes.
func (gs *Groups) KeepOwn(ctx context.Context, r *cloud.Resources, inv *vpc.Inventory, n Name, spec cloud.Spec, rules Rules) (cloud.Resource, error) {
	g, exists, err := gs.findGroup(ctx, inv, n)
	tags := tag.Of(g.Tags)
	own := cloud.Resource{Kind: KindGroup, Key: n.Name, ID: aws.ToString(g.GroupId), Native: creation{n, gs.Cluster.GroupTags(spec)}}
	switch value, shared := tags[tag.ClusterPrefix+gs.Cluster.ID]; {
	case err != nil:
		return own, err
	case !exists:
	case gs.isAnothers(g, spec.Ref.Owner):
		own.Problem = &cloud.Invalid{Field: option.Name.Name, Value: option.Name.In(spec.Options), Want: fmt.Sprintf("another name for the balancer: security group %s (%s) belongs to another cluster", own.ID, n.Name)}
	case !gs.Cluster.Owns(tags) && shared:
		own.Problem = &cloud.Invalid{Field: option.Groups.Name, Value: option.Groups.In(spec.Options), Want: fmt.Sprintf("other security groups, or delete %s (%s): it has the cluster's tag with value %q, so it is shared", own.ID, n.Name, value)}
	default:
		r.Present = append(r.Present, own)
		if !gs.Cluster.Owns(tags) {
			addTags(r, g, gs.Cluster.Tags())
		}
	}
	r.Wanted = append(r.Wanted, own)
	for _, rule := range rules.Without(Ingress(g)).Sorted() {
		one := ruleResource(own.Ref(), rule, "", nil)
		one.Problem = own.Problem
		r.Wanted = append(r.Wanted, one)
	}
	if own.Problem != nil {
		return own, nil
	}
	for _, rule := range Ingress(g).Without(rules).Sorted() {
		r.Present = append(r.Present, ruleResource(own.Ref(), rule, "", nil))
	}
	return own, nil
}

// creation is what a security group is made with.
type creation struct {
	Name
	tags map[string]string
}

// findGroup looks for the group also among those without the cluster's tag.
func (gs *Groups) findGroup(ctx context.Context, inv *vpc.Inventory, n Name) (ec2types.SecurityGroup, bool, error) {
	if g, known := n.In(inv); known {
		return g, true, nil
	}
	answer, err := gs.Client.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{gs.Cluster.InVPC(), filter.By("group-name", n.Name)}})
	if err != nil {
		return ec2types.SecurityGroup{}, false, fmt.Errorf("looking for security group %s: %w", n.Name, err)
	}
	for _, g := range answer.SecurityGroups {
		if n.owns(g) {
			return g, true, nil
		}
	}
	return ec2types.SecurityGroup{}, false, nil
}

// addTags adds tags that a security group has to have.
func addTags(r *cloud.Resources, g ec2types.SecurityGroup, wanted map[string]string) {
	has := tag.Of(g.Tags)
	maps.DeleteFunc(has, func(key, _ string) bool { _, is := wanted[key]; return !is })
	tags := cloud.Resource{Kind: KindTags, Key: aws.ToString(g.GroupName), ID: aws.ToString(g.GroupId), Fields: map[string]any{"Tags": has}}
	r.Present = append(r.Present, tags)
	tags.Fields = map[string]any{"Tags": wanted}
	r.Wanted = append(r.Wanted, tags)
}

// ruleResource is a rule, which is known by all it says but its description. The group is the id of a
// security group, or stands for it. Where the peer is the balancer's own group, that is what it refers
// to.
func ruleResource(group any, r Rule, description string, own *cloud.Resource) cloud.Resource {
	var peer any = r.Source
	if own != nil && (r.Source == own.ID || r.Source == tag.OwnGroup) {
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

// DropOwn adds security groups of ours that go, and the rules of other groups that refer to them.
func (gs *Groups) DropOwn(r *cloud.Resources, inv *vpc.Inventory, groups ...ec2types.SecurityGroup) {
	for _, g := range groups {
		own := cloud.Resource{Kind: KindGroup, Key: aws.ToString(g.GroupName), ID: aws.ToString(g.GroupId)}
		r.Present = append(r.Present, own)
		for _, id := range inv.GroupIDs() {
			for _, rule := range Ingress(inv.Groups[id]).Sorted() {
				if rule.Source == own.ID && id != own.ID {
					r.Present = append(r.Present, ruleResource(id, rule, "", &own))
				}
			}
		}
	}
}

// MarkOwn adds marks to those of the security groups of a balancer that goes which would not be found
// without it: one that was taken over, or has another name than the Service asks for by now.
func (gs *Groups) MarkOwn(r *cloud.Resources, own []ec2types.SecurityGroup, us cloud.Owner, wanted string) {
	named := gs.groupNames(us, wanted, cloud.UIDName(us.UID))
	for _, group := range own {
		if uid := tag.Marks.Owner(tag.Of(group.Tags)).UID; uid != us.UID && (uid != "" || !isAny(named, group)) {
			addTags(r, group, tag.Marks.Of(us))
		}
	}
}

// Refs are security groups as a balancer names them: its own one is a resource, the others have ids.
func Refs(ids []string, own Name) []any {
	refs := make([]any, len(ids))
	for i, id := range ids {
		if refs[i] = id; id == tag.OwnGroup {
			refs[i] = cloud.IDOf{Kind: KindGroup, Key: own.Name}
		}
	}
	return refs
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
	for _, id := range inv.GroupIDs() {
		surplus := n.Surplus(inv, id)
		for _, rule := range surplus.Sorted() {
			needed, next, err := n.left(id, rule)
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

// Add adds a rule for each source, unless there is one.
func (n Needs) Add(transport string, port int, sources []string, description string) {
	for _, source := range sources {
		r := Port(transport, port, source)
		if _, taken := n.Rules[r]; !taken {
			n.Rules[r] = description
		}
	}
}

func (n Needs) left(group string, r Rule) (needed bool, description string, err error) {
	if n.NewOwner == nil {
		return false, "", nil
	}
	return n.NewOwner(group, r)
}

// NodeGroups returns the ids of the security groups to open for these machines, sorted:
//
//	groups with the cluster's tag  groups in all  opened
//	one or more                    –              those with the tag
//	none                           one            that one
//	none                           more           none, see ShutNodes
func (gs *Groups) NodeGroups(inv *vpc.Inventory, machines []cloud.Target) []string {
	var ids []string
	for _, machine := range machines {
		all := instance.Groups([]cloud.Target{machine})
		tagged := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !gs.Cluster.Has(tag.Of(inv.Groups[id].Tags)) })
		switch {
		case len(tagged) > 0:
			ids = append(ids, tagged...)
		case len(all) == 1:
			ids = append(ids, all...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ShutNodes are the names of nodes of which NodeGroups opens none, sorted.
func (gs *Groups) ShutNodes(inv *vpc.Inventory, machines []cloud.Target) []string {
	var names []string
	for _, machine := range machines {
		if machine.Attributes[instance.AttributeTagged] == "true" && len(gs.NodeGroups(inv, []cloud.Target{machine})) == 0 {
			names = append(names, machine.NodeName)
		}
	}
	slices.Sort(names)
	return names
}

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

// NewOwner says whether another balancer needs a rule in that security group, and the description it
// then gets.
type NewOwner func(group string, r Rule) (needed bool, description string, err error)
