package secgroup

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Own returns the security groups that were made for a Service's balancer, of either kind, in an
// inventory that has all of the VPC's. Balancer is the name of the group of a classic one.
func (gs *Groups) Own(inv *vpc.Inventory, us cloud.Owner, balancer Name) []ec2types.SecurityGroup {
	var own []ec2types.SecurityGroup
	for _, id := range slices.Sorted(maps.Keys(inv.Groups)) {
		if group := inv.Groups[id]; gs.IsOurs(group, us, balancer) {
			own = append(own, group)
		}
	}
	return own
}

// TagOwn adds ownership tags to those of the security groups of a balancer that goes which would not be found
// without it.
func (gs *Groups) TagOwn(r *cloud.Resources, own []ec2types.SecurityGroup, us cloud.Owner) {
	for _, group := range own {
		if !gs.IsOurs(group, us, Name{}) {
			of := cloud.Resource{Kind: KindTags, Key: aws.ToString(group.GroupName), Native: tag.NativeIDs.Seal([]string{aws.ToString(group.GroupId)})}
			tag.AddWanted(r, of, tag.Of(group.Tags), tag.OwnershipTags.Of(us))
		}
	}
}
