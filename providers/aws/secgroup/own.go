package secgroup

import (
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Own returns the security groups that were made for a Service's balancer, of either kind, in an
// inventory that has all of the VPC's. Wanted is the name the balancer shall have, and present that of
// the one there is, "" for none:
//
//	named for                   tags        ours
//	any balancer                this UID    yes
//	the balancer there is       any of the  yes: it was taken over with it
//	                            cluster
//	the default name            none        yes, unless they are another cluster's
//	the wanted name, and        none        yes, unless they are another cluster's: any Service
//	 described as this                       can want that name
//	 Service's
func (gs *Groups) Own(inv *vpc.Inventory, us cloud.Owner, wanted, present string) []ec2types.SecurityGroup {
	var taken []Name
	if present != "" {
		taken = gs.groupNames(us, present)
	}
	var own []ec2types.SecurityGroup
	for _, id := range slices.Sorted(maps.Keys(inv.Groups)) {
		group := inv.Groups[id]
		tags := tag.Of(group.Tags)
		uid := tag.OwnershipTags.Owner(tags).UID
		switch {
		case gs.Cluster.IsAnothers(tags, us):
		case uid == us.UID && uid != "" || uid == "" && gs.isNamed(group, us, wanted) || isAny(taken, group):
			own = append(own, group)
		}
	}
	return own
}

// groupNames are those of the security groups that balancers of these names may have for
// themselves.
func (gs *Groups) groupNames(us cloud.Owner, balancers ...string) []Name {
	all := []Name{gs.NetworkName(us)}
	for _, balancer := range balancers {
		all = append(all, ClassicName(balancer, us))
	}
	return all
}

// isNamed reports whether name and description of a group without ownership tags say that it was made for a balancer of the Service.
func (gs *Groups) isNamed(g ec2types.SecurityGroup, us cloud.Owner, wanted string) bool {
	asked := ClassicName(wanted, us)
	described := aws.ToString(g.GroupName) == asked.Name && aws.ToString(g.Description) == asked.Description
	return described || isAny(gs.groupNames(us, cloud.UIDName(us.UID)), g)
}

// isAny reports whether the group has one of the names.
func isAny(named []Name, g ec2types.SecurityGroup) bool {
	return slices.ContainsFunc(named, func(n Name) bool { return n.owns(g) })
}

// TagOwn adds ownership tags to those of the security groups of a balancer that goes which would not be found
// without it: one that was taken over, or has another name than the Service asks for by now.
func (gs *Groups) TagOwn(r *cloud.Resources, own []ec2types.SecurityGroup, us cloud.Owner, wanted string) {
	for _, group := range own {
		if uid := tag.OwnershipTags.Owner(tag.Of(group.Tags)).UID; uid != us.UID && (uid != "" || !gs.isNamed(group, us, wanted)) {
			addTags(r, group, tag.OwnershipTags.Of(us))
		}
	}
}

// Problem returns the first of these ids of security groups that the Service may not have, ""
// when there is none. Its balancer does not have them yet, and has or will have the name. Whether
// one does not exist or is another's is nobody's business:
//
//	in the VPC  made for                      the Service may have it
//	no          –                             no
//	yes         another Service or cluster    no: its deletion would hang
//	yes         this Service, or no balancer  yes
func (gs *Groups) Problem(inv *vpc.Inventory, ids []string, us cloud.Owner, balancer string) string {
	for _, id := range ids {
		group, exists := inv.Groups[id]
		if !exists || aws.ToString(group.VpcId) != gs.Cluster.VPC || gs.isOfAnother(group, us, balancer) {
			return id
		}
	}
	return ""
}

// isOfAnother reports whether a group was made for a balancer of another Service or cluster.
func (gs *Groups) isOfAnother(g ec2types.SecurityGroup, us cloud.Owner, balancer string) bool {
	tags := tag.Of(g.Tags)
	if uid := tag.OwnershipTags.Owner(tags).UID; uid != "" {
		return uid != us.UID
	}
	if isAny(gs.groupNames(us, balancer, cloud.UIDName(us.UID)), g) {
		return false
	}
	_, owned := tags[tag.Controller]
	for key, value := range tags {
		owned = owned || strings.HasPrefix(key, tag.ClusterPrefix) && value == tag.Owned
	}
	made := aws.ToString(g.Description) == networkDescription || IsOfClassic(g)
	return owned && (made || !gs.Cluster.Has(tags))
}
