// Package instance reads and tags the machines of the cluster: instances of EC2 and machines of
// Fargate.
package instance

import (
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
)

// The values of Families.
const (
	ipv4 = "ipv4"
	ipv6 = "ipv6"
)

// Machines implements cloud.Instances, and what else the kernel asks about machines.
type Machines struct {
	config.Config
	Client *ec2.Client
}
