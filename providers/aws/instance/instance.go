// Package instance reads and tags the machines of the cluster: instances of EC2 and machines of
// Fargate.
package instance

import (
	"context"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Client is what is called of EC2.
type Client interface {
	DescribeInstances(context.Context, *ec2.DescribeInstancesInput, ...func(*ec2.Options)) (*ec2.DescribeInstancesOutput, error)
	DescribeNetworkInterfaces(context.Context, *ec2.DescribeNetworkInterfacesInput, ...func(*ec2.Options)) (*ec2.DescribeNetworkInterfacesOutput, error)
	DescribeAvailabilityZones(context.Context, *ec2.DescribeAvailabilityZonesInput, ...func(*ec2.Options)) (*ec2.DescribeAvailabilityZonesOutput, error)
	DescribeInstanceTopology(context.Context, *ec2.DescribeInstanceTopologyInput, ...func(*ec2.Options)) (*ec2.DescribeInstanceTopologyOutput, error)
	CreateTags(context.Context, *ec2.CreateTagsInput, ...func(*ec2.Options)) (*ec2.CreateTagsOutput, error)
	DeleteTags(context.Context, *ec2.DeleteTagsInput, ...func(*ec2.Options)) (*ec2.DeleteTagsOutput, error)
}

// The values of Families.
const (
	ipv4 = "ipv4"
	ipv6 = "ipv6"
)

// Settings are those of machines.
type Settings struct {
	Region  string
	Cluster tag.Cluster
	// Families are the address families of Nodes, in their order.
	Families []string
	// TopologyPattern matches the instance types whose topology labels are mandatory.
	TopologyPattern *regexp.Regexp
}

// Machines implements cloud.Instances, and what else the kernel asks about machines.
type Machines struct {
	Settings
	client Client
}

// New returns the machines of a cluster.
func New(client Client, s Settings) *Machines { return &Machines{client: client, Settings: s} }
