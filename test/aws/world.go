package aws

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
)

// WorldOptions say what is in a World.
type WorldOptions struct {
	// ClusterID is in the tags; "lab" when empty.
	ClusterID string
	// Region is Region when empty.
	Region string
	// Zones is how many zones have subnets; 3 when 0.
	Zones int
	// Alike gives everything in the World the ids that it has in all others that are so, if the
	// same is made in the same order and nothing else at that time.
	Alike bool
	// IPv6 gives the VPC, its subnets and its instances IPv6 addresses too.
	IPv6 bool
}

// World is an account with a VPC that a cluster can be in. Nothing in it has to be deleted: no
// other test has the account, and it ends with the server.
type World struct {
	Clients
	Account, Region, ClusterID string
	VPC                        string
	// Public and Private are subnets, one of each in every zone. Instances are in the private ones.
	Public, Private []string
	// NodeGroup is the security group of the instances, with the cluster's tag.
	NodeGroup string
	// PodTable is the VPC's main route table, with the cluster's tag; PublicTable leads to the
	// internet.
	PodTable, PublicTable string

	server *Server
	ipv6   bool
	booted int
}

// NewWorld makes a World in an account of its own.
func NewWorld(t testing.TB, o WorldOptions) *World {
	t.Helper()
	server := Require(t)
	w := &World{Account: server.Account(), Region: o.Region, ClusterID: o.ClusterID, server: server, ipv6: o.IPv6}
	if w.Region == "" {
		w.Region = Region
	}
	if w.ClusterID == "" {
		w.ClusterID = "lab"
	}
	if o.Zones == 0 {
		o.Zones = 3
	}
	direct := server.Transport(w.Account)
	t.Cleanup(direct.CloseIdleConnections)
	w.Clients = connect(direct, "http://moto", w.Region)
	if o.Alike {
		// The account's first call makes its default VPC.
		must(w.EC2.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{}))(t)
		server.reseed(t)
	}
	w.makeVPC(t)
	for zone := range o.Zones {
		w.Private = append(w.Private, w.makeSubnet(t, zone, zone, "kubernetes.io/role/internal-elb"))
		w.Public = append(w.Public, w.makeSubnet(t, zone, 8+zone, "kubernetes.io/role/elb"))
	}
	w.makeTables(t)
	w.NodeGroup = w.Group(t, "nodes", Owned(w.ClusterID))
	return w
}

// Proxy starts a proxy to the World.
func (w *World) Proxy(t testing.TB) *proxy.Proxy {
	t.Helper()
	transport := w.server.Transport(w.Account)
	t.Cleanup(transport.CloseIdleConnections)
	return proxy.Start(t, transport)
}

// Zone is the name of the n-th zone.
func (w *World) Zone(n int) string { return fmt.Sprintf("%s%c", w.Region, 'a'+rune(n)) }

// Owned is the tag of what belongs to a cluster, Shared that of what it may use.
func Owned(cluster string) types.Tag { return Tag("kubernetes.io/cluster/"+cluster, "owned") }

// Shared is the tag of what a cluster may use.
func Shared(cluster string) types.Tag { return Tag("kubernetes.io/cluster/"+cluster, "shared") }

// Tag makes a tag of EC2.
func Tag(key, value string) types.Tag {
	return types.Tag{Key: aws.String(key), Value: aws.String(value)}
}

func tagged(kind types.ResourceType, tags ...types.Tag) []types.TagSpecification {
	if len(tags) == 0 {
		return nil
	}
	return []types.TagSpecification{{ResourceType: kind, Tags: tags}}
}

func (w *World) makeVPC(t testing.TB) {
	t.Helper()
	made := must(w.EC2.CreateVpc(t.Context(), &ec2.CreateVpcInput{
		CidrBlock: aws.String("10.0.0.0/16"), AmazonProvidedIpv6CidrBlock: aws.Bool(w.ipv6), TagSpecifications: tagged(types.ResourceTypeVpc, Owned(w.ClusterID)),
	}))(t)
	w.VPC = *made.Vpc.VpcId
}

// makeSubnet makes the n-th subnet of the VPC, a /20.
func (w *World) makeSubnet(t testing.TB, zone, n int, role string) string {
	t.Helper()
	input := &ec2.CreateSubnetInput{
		VpcId: &w.VPC, AvailabilityZone: aws.String(w.Zone(zone)), CidrBlock: aws.String(fmt.Sprintf("10.0.%d.0/20", 16*n)),
		TagSpecifications: tagged(types.ResourceTypeSubnet, Shared(w.ClusterID), Tag(role, "1")),
	}
	if w.ipv6 {
		vpc := must(w.EC2.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{VpcIds: []string{w.VPC}}))(t).Vpcs[0]
		block := *vpc.Ipv6CidrBlockAssociationSet[0].Ipv6CidrBlock
		// A /56 ends in two digits of its fourth group.
		input.Ipv6CidrBlock = aws.String(fmt.Sprintf("%s%02x::/64", block[:len(block)-len("00::/56")], n))
	}
	return *must(w.EC2.CreateSubnet(t.Context(), input))(t).Subnet.SubnetId
}

// makeTables lets public subnets out to the internet. The others have the main table.
func (w *World) makeTables(t testing.TB) {
	t.Helper()
	filter := []types.Filter{{Name: aws.String("vpc-id"), Values: []string{w.VPC}}}
	w.PodTable = *must(w.EC2.DescribeRouteTables(t.Context(), &ec2.DescribeRouteTablesInput{Filters: filter}))(t).RouteTables[0].RouteTableId
	w.Tag(t, w.PodTable, Owned(w.ClusterID))
	gateway := must(w.EC2.CreateInternetGateway(t.Context(), &ec2.CreateInternetGatewayInput{}))(t).InternetGateway.InternetGatewayId
	must(w.EC2.AttachInternetGateway(t.Context(), &ec2.AttachInternetGatewayInput{InternetGatewayId: gateway, VpcId: &w.VPC}))(t)
	w.PublicTable = *must(w.EC2.CreateRouteTable(t.Context(), &ec2.CreateRouteTableInput{VpcId: &w.VPC}))(t).RouteTable.RouteTableId
	must(w.EC2.CreateRoute(t.Context(), &ec2.CreateRouteInput{RouteTableId: &w.PublicTable, DestinationCidrBlock: aws.String("0.0.0.0/0"), GatewayId: gateway}))(t)
	for _, subnet := range w.Public {
		must(w.EC2.AssociateRouteTable(t.Context(), &ec2.AssociateRouteTableInput{RouteTableId: &w.PublicTable, SubnetId: aws.String(subnet)}))(t)
	}
}

// Tag puts tags on something of EC2.
func (w *World) Tag(t testing.TB, id string, tags ...types.Tag) {
	t.Helper()
	must(w.EC2.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{id}, Tags: tags}))(t)
}

// Untag removes tags from something of EC2.
func (w *World) Untag(t testing.TB, id string, keys ...string) {
	t.Helper()
	input := &ec2.DeleteTagsInput{Resources: []string{id}}
	for _, key := range keys {
		input.Tags = append(input.Tags, types.Tag{Key: aws.String(key)})
	}
	must(w.EC2.DeleteTags(t.Context(), input))(t)
}

// Group makes a security group.
func (w *World) Group(t testing.TB, name string, tags ...types.Tag) string {
	t.Helper()
	return *must(w.EC2.CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{
		VpcId: &w.VPC, GroupName: aws.String(name), Description: aws.String(name), TagSpecifications: tagged(types.ResourceTypeSecurityGroup, tags...),
	}))(t).GroupId
}

// ElasticIP allocates an address and returns its allocation's id.
func (w *World) ElasticIP(t testing.TB) string {
	t.Helper()
	return *must(w.EC2.AllocateAddress(t.Context(), &ec2.AllocateAddressInput{Domain: types.DomainTypeVpc}))(t).AllocationId
}

// Certificate is the ARN of a certificate. Any is there, but those that are called missing.
func (w *World) Certificate(name string) string {
	return fmt.Sprintf("arn:aws:acm:%s:%s:certificate/%s", w.Region, w.Account, name)
}

// must makes of a call what fails the test where the call does.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
