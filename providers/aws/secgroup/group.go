package secgroup

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// codeGroupExists is the answer where a security group of that name is there.
const codeGroupExists = "InvalidGroup.Duplicate"

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

// nameTaken says what is in the place of a group that could not be made: nothing of ours, unless
// another process has just made it.
func (gs *Groups) nameTaken(ctx context.Context, n Name) error {
	if _, exists, err := gs.findGroup(ctx, &vpc.Inventory{}, n); exists || err != nil {
		return errors.Join(err, &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureConflict}, Op: "creating security group " + n.Name, Err: errGroupAppeared})
	}
	return &cloud.Invalid{
		Field: option.Groups.Name, Value: "",
		Want: fmt.Sprintf("the balancer needs a security group of its own with the name %s, and VPC %s has one of that name with another description, so it is not ours: delete it, or name groups here", n.Name, gs.Cluster.VPC),
	}
}

var errGroupAppeared = errors.New("another request has made it just now")

// isAnothers reports whether the tags of a group say that it is another cluster's.
func (gs *Groups) isAnothers(g ec2types.SecurityGroup, us cloud.Owner) bool {
	tags := tag.Of(g.Tags)
	if cluster := tag.Marks.Owner(tags).Cluster; cluster != "" && cluster != us.Cluster {
		return true
	}
	return tag.InAny(tags) && !gs.Cluster.Has(tags)
}
