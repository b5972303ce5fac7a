// Package elb reads and writes Classic Load Balancers.
package elb

import (
	"context"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// Client is what is called of load balancing.
type Client interface {
	DescribeLoadBalancerAttributes(context.Context, *sdk.DescribeLoadBalancerAttributesInput, ...func(*sdk.Options)) (*sdk.DescribeLoadBalancerAttributesOutput, error)
	DescribeLoadBalancers(context.Context, *sdk.DescribeLoadBalancersInput, ...func(*sdk.Options)) (*sdk.DescribeLoadBalancersOutput, error)
	DescribeTags(context.Context, *sdk.DescribeTagsInput, ...func(*sdk.Options)) (*sdk.DescribeTagsOutput, error)
	AddTags(context.Context, *sdk.AddTagsInput, ...func(*sdk.Options)) (*sdk.AddTagsOutput, error)
	ApplySecurityGroupsToLoadBalancer(context.Context, *sdk.ApplySecurityGroupsToLoadBalancerInput, ...func(*sdk.Options)) (*sdk.ApplySecurityGroupsToLoadBalancerOutput, error)
	AttachLoadBalancerToSubnets(context.Context, *sdk.AttachLoadBalancerToSubnetsInput, ...func(*sdk.Options)) (*sdk.AttachLoadBalancerToSubnetsOutput, error)
	ConfigureHealthCheck(context.Context, *sdk.ConfigureHealthCheckInput, ...func(*sdk.Options)) (*sdk.ConfigureHealthCheckOutput, error)
	CreateLoadBalancer(context.Context, *sdk.CreateLoadBalancerInput, ...func(*sdk.Options)) (*sdk.CreateLoadBalancerOutput, error)
	CreateLoadBalancerListeners(context.Context, *sdk.CreateLoadBalancerListenersInput, ...func(*sdk.Options)) (*sdk.CreateLoadBalancerListenersOutput, error)
	CreateLoadBalancerPolicy(context.Context, *sdk.CreateLoadBalancerPolicyInput, ...func(*sdk.Options)) (*sdk.CreateLoadBalancerPolicyOutput, error)
	DeleteLoadBalancer(context.Context, *sdk.DeleteLoadBalancerInput, ...func(*sdk.Options)) (*sdk.DeleteLoadBalancerOutput, error)
	DeleteLoadBalancerListeners(context.Context, *sdk.DeleteLoadBalancerListenersInput, ...func(*sdk.Options)) (*sdk.DeleteLoadBalancerListenersOutput, error)
	DeregisterInstancesFromLoadBalancer(context.Context, *sdk.DeregisterInstancesFromLoadBalancerInput, ...func(*sdk.Options)) (*sdk.DeregisterInstancesFromLoadBalancerOutput, error)
	DetachLoadBalancerFromSubnets(context.Context, *sdk.DetachLoadBalancerFromSubnetsInput, ...func(*sdk.Options)) (*sdk.DetachLoadBalancerFromSubnetsOutput, error)
	ModifyLoadBalancerAttributes(context.Context, *sdk.ModifyLoadBalancerAttributesInput, ...func(*sdk.Options)) (*sdk.ModifyLoadBalancerAttributesOutput, error)
	RegisterInstancesWithLoadBalancer(context.Context, *sdk.RegisterInstancesWithLoadBalancerInput, ...func(*sdk.Options)) (*sdk.RegisterInstancesWithLoadBalancerOutput, error)
	RemoveTags(context.Context, *sdk.RemoveTagsInput, ...func(*sdk.Options)) (*sdk.RemoveTagsOutput, error)
	SetLoadBalancerListenerSSLCertificate(context.Context, *sdk.SetLoadBalancerListenerSSLCertificateInput, ...func(*sdk.Options)) (*sdk.SetLoadBalancerListenerSSLCertificateOutput, error)
	SetLoadBalancerPoliciesForBackendServer(context.Context, *sdk.SetLoadBalancerPoliciesForBackendServerInput, ...func(*sdk.Options)) (*sdk.SetLoadBalancerPoliciesForBackendServerOutput, error)
	SetLoadBalancerPoliciesOfListener(context.Context, *sdk.SetLoadBalancerPoliciesOfListenerInput, ...func(*sdk.Options)) (*sdk.SetLoadBalancerPoliciesOfListenerOutput, error)
}

// Balancers reads and writes Classic Load Balancers.
type Balancers struct {
	desired.Settings
	client Client
	groups *secgroup.Groups
}

// New returns the Classic Load Balancers of a cluster.
func New(client Client, groups *secgroup.Groups, s desired.Settings) *Balancers {
	return &Balancers{client: client, groups: groups, Settings: s}
}
