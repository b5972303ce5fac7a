// Package targetgroup reads and writes the target groups of Network Load Balancers, and what is
// registered with them.
package targetgroup

import (
	"context"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Client is what is called of load balancing.
type Client interface {
	DescribeTags(context.Context, *sdk.DescribeTagsInput, ...func(*sdk.Options)) (*sdk.DescribeTagsOutput, error)
	DescribeTargetGroupAttributes(context.Context, *sdk.DescribeTargetGroupAttributesInput, ...func(*sdk.Options)) (*sdk.DescribeTargetGroupAttributesOutput, error)
	DescribeTargetGroups(context.Context, *sdk.DescribeTargetGroupsInput, ...func(*sdk.Options)) (*sdk.DescribeTargetGroupsOutput, error)
	DescribeTargetHealth(context.Context, *sdk.DescribeTargetHealthInput, ...func(*sdk.Options)) (*sdk.DescribeTargetHealthOutput, error)
	CreateTargetGroup(context.Context, *sdk.CreateTargetGroupInput, ...func(*sdk.Options)) (*sdk.CreateTargetGroupOutput, error)
	DeleteTargetGroup(context.Context, *sdk.DeleteTargetGroupInput, ...func(*sdk.Options)) (*sdk.DeleteTargetGroupOutput, error)
	DeregisterTargets(context.Context, *sdk.DeregisterTargetsInput, ...func(*sdk.Options)) (*sdk.DeregisterTargetsOutput, error)
	ModifyTargetGroup(context.Context, *sdk.ModifyTargetGroupInput, ...func(*sdk.Options)) (*sdk.ModifyTargetGroupOutput, error)
	ModifyTargetGroupAttributes(context.Context, *sdk.ModifyTargetGroupAttributesInput, ...func(*sdk.Options)) (*sdk.ModifyTargetGroupAttributesOutput, error)
	RegisterTargets(context.Context, *sdk.RegisterTargetsInput, ...func(*sdk.Options)) (*sdk.RegisterTargetsOutput, error)
}

// Groups reads and writes target groups.
type Groups struct {
	client  Client
	cluster tag.Cluster
}

// New returns the target groups of a cluster.
func New(client Client, cluster tag.Cluster) *Groups {
	return &Groups{client: client, cluster: cluster}
}
