package secgroup

import (
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// owner returns what tags, name and description of a security group claim. Of the Service:
//
//	our tags  named for                         claims
//	–         the balancer that is present      the Service that has the balancer
//	yes       –                                 what they say
//	no        this Service's default name, or   its UID
//	          its network balancer
//	no        another network balancer          another UID
//	no        any other classic balancer        the Service of the description, with the UID of a default name
//	no        none                              none
//
// And of the cluster; upstream's tags tell clusters apart that were restored from one backup, whatever our tags say:
//
//	tags of clusters           made for a balancer  claims
//	made for ours              –                    ours, or what our tags say
//	used by ours               no                   ours
//	made for another           –                    that
//	none                       –                    what our tags say
//	used by some, made for     yes                  nothing, and no Service: somebody shares it
//	 none                      no                   none
func (gs *Groups) owner(g ec2types.SecurityGroup, us cloud.Owner, balancer Name) cloud.Owner {
	tags := tag.Of(g.Tags)
	owner, madeFor := gs.service(g, us, balancer), gs.Cluster.MadeFor(tags)
	switch made := isOfBalancer(g); {
	case madeFor == gs.Cluster.ID && madeFor != "", !made && gs.Cluster.Has(tags):
		if owner.Cluster == "" {
			owner.Cluster = us.Cluster
		}
	case madeFor != "":
		owner.Cluster = tag.ClusterPrefix + madeFor // no cluster of Kubernetes has that for its name
	case made && tag.InAny(tags):
		return cloud.Owner{}
	}
	return owner
}

// service is the part of owner that is about the Service, with the cluster of our tags.
func (gs *Groups) service(g ec2types.SecurityGroup, us cloud.Owner, balancer Name) cloud.Owner {
	owner, name := tag.OwnershipTags.Owner(tag.Of(g.Tags)), aws.ToString(g.GroupName)
	of, named := strings.CutPrefix(name, classicName)
	switch classic := named && IsOfClassic(g); {
	case balancer.Present && balancer.fits(g):
		owner.Namespace, owner.Name, owner.UID = us.Namespace, us.Name, us.UID
	case owner.UID != "":
	case classic && ownership.IsInName(of, us), gs.NetworkName(us).fits(g):
		owner.UID = us.UID
	case classic:
		_, service, _ := strings.Cut(aws.ToString(g.Description), " (")
		owner.Namespace, owner.Name, _ = strings.Cut(strings.TrimSuffix(service, ")"), "/")
		if ownership.HoldsUID(of) {
			owner.UID = of
		}
	case isOfBalancer(g):
		owner.UID = name // a hash of the UID is at its end
	}
	return owner
}

// whose judges a security group. Balancer is the name of the one that it may be the own group of.
func (gs *Groups) whose(g ec2types.SecurityGroup, us cloud.Owner, balancer Name) ownership.Whose {
	return ownership.Of(gs.owner(g, us, balancer), us)
}

// IsOurs reports whether a security group was made for a balancer of the Service, or goes with the one that is present.
func (gs *Groups) IsOurs(g ec2types.SecurityGroup, us cloud.Owner, balancer Name) bool {
	return gs.whose(g, us, balancer) == ownership.Ours
}

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
			addTags(r, group, tag.OwnershipTags.Of(us))
		}
	}
}

// Problem returns the first of these ids of security groups that the Service may not have, ""
// when there is none. Its balancer does not have them yet. Whether
// one does not exist or is another's is nobody's business:
//
//	in the VPC  made for                      the Service may have it
//	no          –                             no
//	yes         another Service or cluster    no: its deletion would hang
//	yes         this Service, or no balancer  yes
func (gs *Groups) Problem(inv *vpc.Inventory, ids []string, us cloud.Owner, balancer Name) string {
	for _, id := range ids {
		group, exists := inv.Groups[id]
		if !exists || aws.ToString(group.VpcId) != gs.Cluster.VPC {
			return id
		}
		switch gs.whose(group, us, balancer) {
		case ownership.AnotherService, ownership.AnotherCluster, ownership.Namesake:
			return id
		}
	}
	return ""
}
