// Package service gives each Service its balancer: it finds it, of whichever kind it is, and hands
// it to the package of its kind.
package service

import (
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// AWS has two kinds of load balancers for Services: classic and network ones, with an API each.

// Balancers implements cloud.Balancers.
type Balancers struct {
	config.Config
	VPC      *vpc.Reader
	Security *secgroup.Groups
	Targets  *targetgroup.Groups
	Classic  *elb.Balancers
	Network  *nlb.Balancers
}
