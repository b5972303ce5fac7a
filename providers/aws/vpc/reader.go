// Package vpc reads what surrounds the balancers of a VPC, and chooses their subnets.
package vpc

import (
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
)

// Reader reads the VPC of a cluster.
type Reader struct {
	config.Config
	Client *ec2.Client
}
