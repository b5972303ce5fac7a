// Package nlb reads and writes Network Load Balancers and their listeners.
package nlb

import (
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

// Balancers reads and writes Network Load Balancers.
type Balancers struct {
	desired.Settings
	Client    *sdk.Client
	Addresses *ec2.Client
	Security  *secgroup.Groups
	Targets   *targetgroup.Groups
}
