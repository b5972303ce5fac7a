// Package targetgroup reads and writes the target groups of Network Load Balancers, and what is
// registered with them.
package targetgroup

import (
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
)

// Groups reads and writes target groups.
type Groups struct {
	config.Config
	Client *sdk.Client
}
