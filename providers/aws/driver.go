package aws

import (
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// Driver is one region of an AWS account, and in it one VPC.
type Driver struct {
	clients
	config config
	// cloud is the name of the configuration's entry, for the owner marks.
	cloud string
	// clusterName is --cluster-name, a part of names upstream gives.
	clusterName string
}

// clients are those of the APIs. They never retry: the kernel does.
type clients struct {
	compute *ec2.Client
	classic *elasticloadbalancing.Client
	network *elasticloadbalancingv2.Client
	tokens  *sts.Client
}
