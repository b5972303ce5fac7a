package secgroup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// OwnGroup stands for the balancer's own security group, which may have to be made.
const OwnGroup = packetfilter.OwnGroup

// Name is the name and the description of a security group that belongs to one balancer.
// Upstream's name and description are how it is found.
type Name struct {
	Name, Description string
	// Present says that the Service has the balancer. Its group goes with it, whichever Service that was made for.
	Present bool
}

// fits reports whether the security group has the name. A classic balancer's is found
// by the balancer's name: the Service at the end of its description may be another one, which it
// was taken over from. A network balancer's is found by the Service, which is in the group's name.
func (n Name) fits(g ec2types.SecurityGroup) bool {
	have, _, _ := strings.Cut(aws.ToString(g.Description), " (")
	want, _, _ := strings.Cut(n.Description, " (")
	return aws.ToString(g.GroupName) == n.Name && have == want
}

// In returns the group if the inventory has it.
func (n Name) In(inv *vpc.Inventory) (ec2types.SecurityGroup, bool) {
	for _, g := range inv.Groups {
		if n.fits(g) {
			return g, true
		}
	}
	return ec2types.SecurityGroup{}, false
}

// How names and descriptions of classic balancers' own security groups begin.
const (
	classicName        = "k8s-elb-"
	classicDescription = "Security group for Kubernetes ELB "
)

// networkDescription is that of network balancers' own security groups.
const networkDescription = "[k8s] Managed SecurityGroup for LoadBalancer"

// ClassicName returns the name of a classic balancer's own security group.
func ClassicName(balancer string, owner cloud.Owner) Name {
	return Name{Name: classicName + balancer, Description: fmt.Sprintf("%s%s (%s)", classicDescription, balancer, owner)}
}

// NetworkName returns the name of a network balancer's own security group.
func (gs *Groups) NetworkName(owner cloud.Owner) Name {
	sum := sha256.Sum256([]byte(gs.ClusterName + owner.Name + owner.Namespace + owner.UID))
	return Name{Name: tag.Child(owner, hex.EncodeToString(sum[:])), Description: networkDescription}
}

// OfNetwork returns the security group that was made for a Service's network balancer, if there is one with the cluster's tag.
func (gs *Groups) OfNetwork(inv *vpc.Inventory, us cloud.Owner) (ec2types.SecurityGroup, bool) {
	own, exists := gs.NetworkName(us).In(inv)
	return own, exists && gs.IsOurs(own, us, Name{})
}

// isOfBalancer reports whether the group was made for a balancer, of whichever Service or cluster.
func isOfBalancer(g ec2types.SecurityGroup) bool {
	return aws.ToString(g.Description) == networkDescription || IsOfClassic(g)
}

// IsOfClassic reports whether the group is the own one of a classic balancer.
func IsOfClassic(g ec2types.SecurityGroup) bool {
	return strings.HasPrefix(aws.ToString(g.Description), classicDescription)
}
