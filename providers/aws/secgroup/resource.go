package secgroup

import (
	"context"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// The kinds of resources of both kinds of load balancers that have to do with security groups.
const (
	KindTags  = "security group tags"
	KindGroup = "security group"
	KindRule  = "security group rule"
)

// Kinds returns them in the order in which they are made.
func (gs *Groups) Kinds() []cloud.ResourceKind {
	return []cloud.ResourceKind{
		{Name: KindTags, Update: gs.writeTags},
		{Name: KindGroup, Create: gs.create, Delete: gs.remove},
		{Name: KindRule, Together: "GroupId", Add: gs.open, Remove: gs.shut, Update: gs.redescribe},
	}
}

// creation is what a security group is made with.
type creation struct {
	Name
	tags map[string]string
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

type described struct {
	Rule
	description string
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

func (gs *Groups) writeTags(ctx context.Context, present, wanted cloud.Resource, _ []string) error {
	tags, _ := wanted.Fields["Tags"].(map[string]string)
	_, err := gs.Client.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{present.ID}, Tags: tag.List(tags)})
	return err
}

func (gs *Groups) create(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	c, _ := wanted.Native.(creation)
	made, err := gs.Client.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{
		GroupName: &c.Name.Name, Description: &c.Description, VpcId: &gs.Cluster.VPC,
		TagSpecifications: []ec2types.TagSpecification{{ResourceType: ec2types.ResourceTypeSecurityGroup, Tags: tag.List(c.tags)}},
	})
	switch {
	case failure.Is(err, codeGroupExists):
		return "", gs.nameTaken(ctx, c.Name)
	case err != nil:
		return "", err
	case made.GroupId == nil:
		return "", cloud.ErrIncomplete
	}
	return *made.GroupId, nil
}

func (gs *Groups) remove(ctx context.Context, present cloud.Resource) error {
	_, err := gs.Client.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: &present.ID})
	return failure.UnlessInUse(err)
}

// rulesOf returns rules of one security group by what is sent.
func rulesOf(list []cloud.Resource) (group string, rules Rules) {
	rules = Rules{}
	for _, r := range list {
		d, _ := r.Native.(described)
		d.Source, _ = r.Fields["Peer"].(string)
		group, _ = r.Fields["GroupId"].(string)
		rules[d.Rule] = d.description
	}
	return group, rules
}

// open adds rules to a security group. Some may be there: EC2 refuses all for one of them.
func (gs *Groups) open(ctx context.Context, wanted []cloud.Resource) error {
	group, rules := rulesOf(wanted)
	return eachRule(rules, codeRuleExists, func(permissions []ec2types.IpPermission) error {
		_, err := gs.Client.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &group, IpPermissions: permissions})
		return failure.Wrap(err, "opening security group "+group)
	})
}

// shut removes rules from a security group, whatever their descriptions say. Some may be gone, or the
// group.
func (gs *Groups) shut(ctx context.Context, present []cloud.Resource) error {
	group, rules := rulesOf(present)
	for r := range rules {
		rules[r] = ""
	}
	return failure.UnlessGone(eachRule(rules, codeRuleMissing, func(permissions []ec2types.IpPermission) error {
		_, err := gs.Client.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: &group, IpPermissions: permissions})
		return failure.Wrap(err, "closing security group "+group)
	}))
}

// redescribe changes the description of a rule.
func (gs *Groups) redescribe(ctx context.Context, _, wanted cloud.Resource, _ []string) error {
	group, rules := rulesOf([]cloud.Resource{wanted})
	input := &ec2.UpdateSecurityGroupRuleDescriptionsIngressInput{GroupId: &group}
	for r := range rules {
		description, _ := wanted.Fields["Description"].(string)
		input.IpPermissions = append(input.IpPermissions, r.Permission(description))
	}
	_, err := gs.Client.UpdateSecurityGroupRuleDescriptionsIngress(ctx, input)
	return failure.Wrap(err, "describing rules of security group "+group)
}
