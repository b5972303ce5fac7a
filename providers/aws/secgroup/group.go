package secgroup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Error codes of security groups.
const (
	codeGroupExists = "InvalidGroup.Duplicate"
	codeInUse       = "DependencyViolation"
)

// findGroup looks for the group also among those without the cluster's tag.
func (gs *Groups) findGroup(ctx context.Context, inv *vpc.Inventory, n Name) (ec2types.SecurityGroup, bool, error) {
	if g, known := n.In(inv); known {
		return g, true, nil
	}
	answer, err := gs.client.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{gs.cluster.InVPC(), filter.By("group-name", n.Name)}})
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

// Ensure returns the security group of a balancer, which it makes where there is none, with
// at least the wanted rules, and as it is then.
func (gs *Groups) Ensure(ctx context.Context, inv *vpc.Inventory, n Name, spec cloud.Spec, wanted Rules) (ec2types.SecurityGroup, error) {
	g, exists, err := gs.findGroup(ctx, inv, n)
	switch {
	case err != nil:
		return g, err
	case !exists:
		if g, err = gs.createGroup(ctx, n, spec); failure.Is(err, codeGroupExists) {
			err = gs.nameTaken(ctx, n)
		}
		if err != nil {
			return g, err
		}
	case gs.isAnothers(g, spec.Ref.Owner):
		return g, fmt.Errorf("security group %s (%s) belongs to another cluster: choose another name for the balancer, with %s", *g.GroupId, n.Name, option.Name.Name)
	case !gs.cluster.Owns(tag.Of(g.Tags)):
		if err := gs.claimGroup(ctx, g, n); err != nil {
			return g, err
		}
	}
	added := wanted.Without(Ingress(g))
	g.IpPermissions = slices.Clone(g.IpPermissions)
	for _, r := range added.Sorted() {
		g.IpPermissions = append(g.IpPermissions, r.Permission(""))
	}
	return g, gs.authorize(ctx, *g.GroupId, added)
}

// nameTaken says what is in the place of a group that could not be made: nothing of ours, unless
// another process has just made it.
func (gs *Groups) nameTaken(ctx context.Context, n Name) error {
	if _, exists, err := gs.findGroup(ctx, &vpc.Inventory{}, n); exists || err != nil {
		return errors.Join(err, &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureConflict}, Op: "creating security group " + n.Name, Err: errGroupAppeared})
	}
	return &cloud.Invalid{
		Field: option.Groups.Name, Value: "",
		Want: fmt.Sprintf("the balancer needs a security group of its own with the name %s, and VPC %s has one of that name with another description, so it is not ours: delete it, or name groups here", n.Name, gs.cluster.VPC),
	}
}

var errGroupAppeared = errors.New("another request has made it just now")

// isAnothers reports whether the tags of a group say that it is another cluster's.
func (gs *Groups) isAnothers(g ec2types.SecurityGroup, us cloud.Owner) bool {
	tags := tag.Of(g.Tags)
	if cluster := tag.Marks.Owner(tags).Cluster; cluster != "" && cluster != us.Cluster {
		return true
	}
	return tag.InAny(tags) && !gs.cluster.Has(tags)
}

func (gs *Groups) createGroup(ctx context.Context, n Name, spec cloud.Spec) (ec2types.SecurityGroup, error) {
	tags := gs.cluster.GroupTags(spec)
	made, err := gs.client.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{
		GroupName: &n.Name, Description: &n.Description, VpcId: &gs.cluster.VPC,
		TagSpecifications: []ec2types.TagSpecification{{ResourceType: ec2types.ResourceTypeSecurityGroup, Tags: tag.List(tags)}},
	})
	if err != nil {
		return ec2types.SecurityGroup{}, fmt.Errorf("creating security group %s: %w", n.Name, err)
	}
	if made.GroupId == nil {
		return ec2types.SecurityGroup{}, fmt.Errorf("creating security group %s: %w", n.Name, failure.ErrBlank)
	}
	return ec2types.SecurityGroup{GroupId: made.GroupId, GroupName: &n.Name, Description: &n.Description, Tags: tag.List(tags)}, nil
}

// claimGroup gives a group of ours the cluster's tag, which somebody has taken from it.
func (gs *Groups) claimGroup(ctx context.Context, g ec2types.SecurityGroup, n Name) error {
	if value, has := tag.Of(g.Tags)[tag.ClusterPrefix+gs.cluster.ID]; has {
		return fmt.Errorf("security group %s (%s) has the cluster's tag with value %q, so it is shared: delete it, or set %s", *g.GroupId, n.Name, value, option.Groups.Name)
	}
	_, err := gs.client.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{*g.GroupId}, Tags: tag.List(gs.cluster.Tags())})
	return failure.Wrap(err, "tagging security group "+*g.GroupId)
}

// Drop deletes a security group of ours after what refers to it in other groups.
// While it is in use, as by a balancer that is being deleted, it is not gone.
func (gs *Groups) Drop(ctx context.Context, inv *vpc.Inventory, id string) (gone bool, err error) {
	for _, other := range inv.GroupIDs() {
		references := Rules{}
		for r, description := range Ingress(inv.Groups[other]) {
			if r.Source == id {
				references[r] = description
			}
		}
		if err := gs.Revoke(ctx, other, references); err != nil {
			return false, err
		}
	}
	_, err = gs.client.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: &id})
	switch {
	case failure.Is(err, codeInUse):
		return false, nil
	case failure.Classify(err).Class == cloud.FailureNotFound:
		return true, nil
	}
	return err == nil, failure.Wrap(err, "deleting security group "+id)
}
