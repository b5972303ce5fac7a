package aws

import (
	"context"
	"errors"
	"fmt"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Error codes of security groups.
const (
	codeGroupExists = "InvalidGroup.Duplicate"
	codeInUse       = "DependencyViolation"
)

// groupName is the name and the description of a security group that belongs to one balancer.
// Upstream's name and description are how it is known.
type groupName struct{ name, description string }

// owns reports whether the security group was made for the balancer. A classic balancer's is known
// by the balancer's name: the Service at the end of its description may be another one, which it
// was taken over from. A network balancer's is known by the Service, which is in the group's name.
func (n groupName) owns(g ec2types.SecurityGroup) bool {
	have, _, _ := strings.Cut(awssdk.ToString(g.Description), " (")
	want, _, _ := strings.Cut(n.description, " (")
	return awssdk.ToString(g.GroupName) == n.name && have == want
}

// ownIn returns the group if the area has it.
func (n groupName) ownIn(a *area) (ec2types.SecurityGroup, bool) {
	for _, g := range a.groups {
		if n.owns(g) {
			return g, true
		}
	}
	return ec2types.SecurityGroup{}, false
}

// findGroup looks for the group also among those without the cluster's tag.
func (d *Driver) findGroup(ctx context.Context, a *area, n groupName) (ec2types.SecurityGroup, bool, error) {
	if g, known := n.ownIn(a); known {
		return g, true, nil
	}
	answer, err := d.Compute.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{d.config.Cluster.InVPC(), filter.By("group-name", n.name)}})
	if err != nil {
		return ec2types.SecurityGroup{}, false, fmt.Errorf("looking for security group %s: %w", n.name, err)
	}
	for _, g := range answer.SecurityGroups {
		if n.owns(g) {
			return g, true, nil
		}
	}
	return ec2types.SecurityGroup{}, false, nil
}

// ensureGroup returns the security group of a balancer, which it makes where there is none, with
// at least the wanted rules.
func (d *Driver) ensureGroup(ctx context.Context, a *area, n groupName, spec cloud.Spec, wanted rules) (ec2types.SecurityGroup, error) {
	g, exists, err := d.findGroup(ctx, a, n)
	switch {
	case err != nil:
		return g, err
	case !exists:
		if g, err = d.createGroup(ctx, n, spec); failure.Is(err, codeGroupExists) {
			err = d.nameTaken(ctx, n)
		}
		if err != nil {
			return g, err
		}
	case d.isAnothers(g, spec.Ref.Owner):
		return g, fmt.Errorf("security group %s (%s) belongs to another cluster: choose another name for the balancer, with %s", *g.GroupId, n.name, option.Name.Name)
	case !d.config.Cluster.Owns(tag.Of(g.Tags)):
		if err := d.claimGroup(ctx, g, n); err != nil {
			return g, err
		}
	}
	return g, d.authorize(ctx, *g.GroupId, wanted.without(ingress(g)))
}

// nameTaken says what is in the place of a group that could not be made: nothing of ours, unless
// another process has just made it.
func (d *Driver) nameTaken(ctx context.Context, n groupName) error {
	if _, exists, err := d.findGroup(ctx, &area{}, n); exists || err != nil {
		return errors.Join(err, &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureConflict}, Op: "creating security group " + n.name, Err: errGroupAppeared})
	}
	return &cloud.Invalid{
		Field: option.Groups.Name, Value: "",
		Want: fmt.Sprintf("the balancer needs a security group of its own with the name %s, and VPC %s has one of that name with another description, so it is not ours: delete it, or name groups here", n.name, d.config.Cluster.VPC),
	}
}

var errGroupAppeared = errors.New("another request has made it just now")

// isAnothers reports whether the tags of a group say that it is another cluster's.
func (d *Driver) isAnothers(g ec2types.SecurityGroup, us cloud.Owner) bool {
	tags := tag.Of(g.Tags)
	if cluster := tag.Marks.Owner(tags).Cluster; cluster != "" && cluster != us.Cluster {
		return true
	}
	return tag.InAny(tags) && !d.config.Cluster.Has(tags)
}

func (d *Driver) createGroup(ctx context.Context, n groupName, spec cloud.Spec) (ec2types.SecurityGroup, error) {
	tags := d.config.Cluster.GroupTags(spec)
	made, err := d.Compute.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{
		GroupName: &n.name, Description: &n.description, VpcId: &d.config.Cluster.VPC,
		TagSpecifications: []ec2types.TagSpecification{{ResourceType: ec2types.ResourceTypeSecurityGroup, Tags: tag.List(tags)}},
	})
	if err != nil {
		return ec2types.SecurityGroup{}, fmt.Errorf("creating security group %s: %w", n.name, err)
	}
	if made.GroupId == nil {
		return ec2types.SecurityGroup{}, fmt.Errorf("creating security group %s: %w", n.name, failure.ErrBlank)
	}
	return ec2types.SecurityGroup{GroupId: made.GroupId, GroupName: &n.name, Description: &n.description, Tags: tag.List(tags)}, nil
}

// claimGroup gives a group of ours the cluster's tag, which somebody has taken from it.
func (d *Driver) claimGroup(ctx context.Context, g ec2types.SecurityGroup, n groupName) error {
	if value, has := tag.Of(g.Tags)[tag.ClusterPrefix+d.config.Cluster.ID]; has {
		return fmt.Errorf("security group %s (%s) has the cluster's tag with value %q, so it is shared: delete it, or set %s", *g.GroupId, n.name, value, option.Groups.Name)
	}
	_, err := d.Compute.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{*g.GroupId}, Tags: tag.List(d.config.Cluster.Tags())})
	return failure.Wrap(err, "tagging security group "+*g.GroupId)
}

// dropGroup deletes a security group of ours after what refers to it in other groups.
// While it is in use, as by a balancer that is being deleted, it is not gone.
func (d *Driver) dropGroup(ctx context.Context, a *area, id string) (gone bool, err error) {
	for _, other := range sortedGroups(a) {
		references := rules{}
		for r, description := range ingress(a.groups[other]) {
			if r.source == id {
				references[r] = description
			}
		}
		if err := d.revoke(ctx, other, references); err != nil {
			return false, err
		}
	}
	_, err = d.Compute.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: &id})
	switch {
	case failure.Is(err, codeInUse):
		return false, nil
	case failure.Classify(err).Class == cloud.FailureNotFound:
		return true, nil
	}
	return err == nil, failure.Wrap(err, "deleting security group "+id)
}
