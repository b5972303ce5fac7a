// Package route writes the routes to pods into the route tables of the VPC.
package route

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Client is what is called of EC2.
type Client interface {
	DescribeRouteTables(context.Context, *ec2.DescribeRouteTablesInput, ...func(*ec2.Options)) (*ec2.DescribeRouteTablesOutput, error)
	CreateRoute(context.Context, *ec2.CreateRouteInput, ...func(*ec2.Options)) (*ec2.CreateRouteOutput, error)
	ReplaceRoute(context.Context, *ec2.ReplaceRouteInput, ...func(*ec2.Options)) (*ec2.ReplaceRouteOutput, error)
	DeleteRoute(context.Context, *ec2.DeleteRouteInput, ...func(*ec2.Options)) (*ec2.DeleteRouteOutput, error)
	ModifyInstanceAttribute(context.Context, *ec2.ModifyInstanceAttributeInput, ...func(*ec2.Options)) (*ec2.ModifyInstanceAttributeOutput, error)
	ModifyNetworkInterfaceAttribute(context.Context, *ec2.ModifyNetworkInterfaceAttributeInput, ...func(*ec2.Options)) (*ec2.ModifyNetworkInterfaceAttributeOutput, error)
}

// Instances reads instances by id. One that is missing from the answer does not exist.
type Instances interface {
	Read(ctx context.Context, ids []string) ([]ec2types.Instance, error)
}

// Tables implements cloud.Routes.
type Tables struct {
	client    Client
	instances Instances
	cluster   tag.Cluster
	// ids are those of the configuration; none means the tables with the cluster's tag.
	ids []string
}

// New returns the route tables of a cluster: those with these ids, else those with its tag.
func New(client Client, instances Instances, cluster tag.Cluster, ids []string) *Tables {
	return &Tables{client: client, instances: instances, cluster: cluster, ids: ids}
}
