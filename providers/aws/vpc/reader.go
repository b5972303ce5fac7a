// Package vpc reads what surrounds the balancers of a VPC, and chooses their subnets.
package vpc

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Client is what is called of EC2.
type Client interface {
	DescribeSubnets(context.Context, *ec2.DescribeSubnetsInput, ...func(*ec2.Options)) (*ec2.DescribeSubnetsOutput, error)
	DescribeRouteTables(context.Context, *ec2.DescribeRouteTablesInput, ...func(*ec2.Options)) (*ec2.DescribeRouteTablesOutput, error)
	DescribeAvailabilityZones(context.Context, *ec2.DescribeAvailabilityZonesInput, ...func(*ec2.Options)) (*ec2.DescribeAvailabilityZonesOutput, error)
	DescribeSecurityGroups(context.Context, *ec2.DescribeSecurityGroupsInput, ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupsOutput, error)
}

// Reader reads the VPC of a cluster.
type Reader struct {
	client  Client
	cluster tag.Cluster
	// fallback is the subnet of balancers where none is found by tags, "" for none.
	fallback string
}

// New returns a reader, with the subnet of balancers where none is found by tags.
func New(client Client, cluster tag.Cluster, fallback string) *Reader {
	return &Reader{client: client, cluster: cluster, fallback: fallback}
}
