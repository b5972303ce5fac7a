// Package service gives each Service its balancer: it finds it, of whichever kind it is, and hands
// it to the package of its kind.
package service

import (
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// AWS has two kinds of load balancers for Services: classic and network ones, with an API each.

// Parts are what balancers are made of.
type Parts struct {
	VPC     *vpc.Reader
	Groups  *secgroup.Groups
	Targets *targetgroup.Groups
	Classic *elb.Balancers
	Network *nlb.Balancers
}

// Balancers implements cloud.Balancers.
type Balancers struct {
	Parts
	region  string
	cluster tag.Cluster
}

// New returns the balancers of a cluster.
func New(region string, cluster tag.Cluster, p Parts) *Balancers {
	return &Balancers{Parts: p, region: region, cluster: cluster}
}
