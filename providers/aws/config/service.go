package config

import (
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// Service is an API that is called.
type Service struct {
	// ID is its ServiceID, which upstream compares since it uses the SDK's version 2.
	ID string
	// old is what version 1 called it: both API versions of load balancing were one service.
	old string
	// env is the variable with its endpoint.
	env string
}

// The APIs. Their endpoints, in every partition, are the SDK's, unless somebody overrides them.
var (
	Compute = Service{ec2.ServiceID, "ec2", "AWS_ENDPOINT_URL_EC2"}
	Classic = Service{elasticloadbalancing.ServiceID, "elasticloadbalancing", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING"}
	Network = Service{elasticloadbalancingv2.ServiceID, "elasticloadbalancing", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2"}
	Tokens  = Service{sts.ServiceID, "sts", "AWS_ENDPOINT_URL_STS"}

	services = []Service{Compute, Classic, Network, Tokens}
)
