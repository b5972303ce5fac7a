package secgroup

import (
	"crypto/sha256"
	"encoding/hex"
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
	tags, made := tag.Of(g.Tags), isOfBalancer(g)
	owner, madeFor := gs.service(g, us, balancer), gs.Cluster.MadeFor(tags)
	switch {
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

// isOfBalancer reports whether the group was made for a balancer, of whichever Service or cluster.
func isOfBalancer(g ec2types.SecurityGroup) bool {
	return aws.ToString(g.Description) == networkDescription || IsOfClassic(g)
}

// IsOfClassic reports whether the group is the own one of a classic balancer.
func IsOfClassic(g ec2types.SecurityGroup) bool {
	return strings.HasPrefix(aws.ToString(g.Description), classicDescription)
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

// networkDescription is that of network balancers' own security groups.
const networkDescription = "[k8s] Managed SecurityGroup for LoadBalancer"

// NetworkName returns the name of a network balancer's own security group.
func (gs *Groups) NetworkName(owner cloud.Owner) Name {
	sum := sha256.Sum256([]byte(gs.ClusterName + owner.Name + owner.Namespace + owner.UID))
	return Name{Name: tag.Child(owner, hex.EncodeToString(sum[:])), Description: networkDescription}
}

// whose judges a security group. Balancer is the name of the one that it may be the own group of.
func (gs *Groups) whose(g ec2types.SecurityGroup, us cloud.Owner, balancer Name) ownership.Whose {
	return ownership.Of(gs.owner(g, us, balancer), us)
}

// IsOurs reports whether a security group was made for a balancer of the Service, or goes with the one that is present.
func (gs *Groups) IsOurs(g ec2types.SecurityGroup, us cloud.Owner, balancer Name) bool {
	return gs.whose(g, us, balancer) == ownership.Ours
}

// OfNetwork returns the security group that was made for a Service's network balancer, if there is one with the cluster's tag.
func (gs *Groups) OfNetwork(inv *vpc.Inventory, us cloud.Owner) (ec2types.SecurityGroup, bool) {
	own, exists := gs.NetworkName(us).In(inv)
	return own, exists && gs.IsOurs(own, us, Name{})
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
