package secgroup

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
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

var nativeName cloud.NativeOf[Name]

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

// ClassicName returns the name of a classic balancer's own security group.
func ClassicName(balancer string, owner cloud.Owner) Name {
	return Name{Name: classicName + balancer, Description: fmt.Sprintf("%s%s (%s)", classicDescription, balancer, owner)}
}
