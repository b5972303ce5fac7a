// Package nlb reads and writes Network Load Balancers and their listeners.
package nlb

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

// Client is what is called of load balancing.
type Client interface {
	DescribeListenerCertificates(context.Context, *sdk.DescribeListenerCertificatesInput, ...func(*sdk.Options)) (*sdk.DescribeListenerCertificatesOutput, error)
	DescribeListenerAttributes(context.Context, *sdk.DescribeListenerAttributesInput, ...func(*sdk.Options)) (*sdk.DescribeListenerAttributesOutput, error)
	DescribeListeners(context.Context, *sdk.DescribeListenersInput, ...func(*sdk.Options)) (*sdk.DescribeListenersOutput, error)
	DescribeLoadBalancerAttributes(context.Context, *sdk.DescribeLoadBalancerAttributesInput, ...func(*sdk.Options)) (*sdk.DescribeLoadBalancerAttributesOutput, error)
	DescribeLoadBalancers(context.Context, *sdk.DescribeLoadBalancersInput, ...func(*sdk.Options)) (*sdk.DescribeLoadBalancersOutput, error)
	AddListenerCertificates(context.Context, *sdk.AddListenerCertificatesInput, ...func(*sdk.Options)) (*sdk.AddListenerCertificatesOutput, error)
	AddTags(context.Context, *sdk.AddTagsInput, ...func(*sdk.Options)) (*sdk.AddTagsOutput, error)
	CreateListener(context.Context, *sdk.CreateListenerInput, ...func(*sdk.Options)) (*sdk.CreateListenerOutput, error)
	CreateLoadBalancer(context.Context, *sdk.CreateLoadBalancerInput, ...func(*sdk.Options)) (*sdk.CreateLoadBalancerOutput, error)
	DeleteListener(context.Context, *sdk.DeleteListenerInput, ...func(*sdk.Options)) (*sdk.DeleteListenerOutput, error)
	DeleteLoadBalancer(context.Context, *sdk.DeleteLoadBalancerInput, ...func(*sdk.Options)) (*sdk.DeleteLoadBalancerOutput, error)
	ModifyListener(context.Context, *sdk.ModifyListenerInput, ...func(*sdk.Options)) (*sdk.ModifyListenerOutput, error)
	ModifyListenerAttributes(context.Context, *sdk.ModifyListenerAttributesInput, ...func(*sdk.Options)) (*sdk.ModifyListenerAttributesOutput, error)
	ModifyLoadBalancerAttributes(context.Context, *sdk.ModifyLoadBalancerAttributesInput, ...func(*sdk.Options)) (*sdk.ModifyLoadBalancerAttributesOutput, error)
	RemoveListenerCertificates(context.Context, *sdk.RemoveListenerCertificatesInput, ...func(*sdk.Options)) (*sdk.RemoveListenerCertificatesOutput, error)
	RemoveTags(context.Context, *sdk.RemoveTagsInput, ...func(*sdk.Options)) (*sdk.RemoveTagsOutput, error)
	SetIpAddressType(context.Context, *sdk.SetIpAddressTypeInput, ...func(*sdk.Options)) (*sdk.SetIpAddressTypeOutput, error)
	SetSecurityGroups(context.Context, *sdk.SetSecurityGroupsInput, ...func(*sdk.Options)) (*sdk.SetSecurityGroupsOutput, error)
	SetSubnets(context.Context, *sdk.SetSubnetsInput, ...func(*sdk.Options)) (*sdk.SetSubnetsOutput, error)
}

// Addresses is what is called of EC2.
type Addresses interface {
	DescribeAddresses(context.Context, *ec2.DescribeAddressesInput, ...func(*ec2.Options)) (*ec2.DescribeAddressesOutput, error)
}

// Clients are those of the APIs, and the parts that balancers share with others.
type Clients struct {
	Client
	Addresses
	Groups  *secgroup.Groups
	Targets *targetgroup.Groups
}

// Balancers reads and writes Network Load Balancers.
type Balancers struct {
	reader
	desired.Settings
	addresses Addresses
	groups    *secgroup.Groups
}

// New returns the Network Load Balancers of a cluster.
func New(c Clients, s desired.Settings) *Balancers {
	return &Balancers{reader: reader{client: c.Client, targets: c.Targets, cluster: s.Cluster}, Settings: s, addresses: c.Addresses, groups: c.Groups}
}
