// Package elb reads and writes Classic Load Balancers.
package elb

import (
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// Balancers reads and writes Classic Load Balancers.
type Balancers struct {
	desired.Settings
	Client   *sdk.Client
	Security *secgroup.Groups
}
