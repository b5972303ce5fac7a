// Package route writes the routes to pods into the route tables of the VPC.
package route

import (
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
)

// Tables implements cloud.Routes.
type Tables struct {
	config.Config
	Client    *ec2.Client
	Instances *instance.Machines
}
