// Package secgroup keeps the security groups of balancers and of the nodes behind them.
package secgroup

import (
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
)

// Groups reads and writes security groups.
type Groups struct {
	config.Config
	Client *ec2.Client
}
