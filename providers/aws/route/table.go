package route

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Tables implements cloud.Routes.
type Tables struct {
	Cluster tag.Cluster
	// IDs are those of the tables that pod routes go into; none means those with the cluster's tag.
	IDs       []string
	Client    *ec2.Client
	Instances *instance.Machines
}

// tablePage is the most route tables one DescribeRouteTables gives.
const tablePage = 100

// routeTables reads the tables that pod routes go into: those of the configuration, else every
// one of the VPC that has the cluster's tag. Upstream fails where there is more than one.
func (t *Tables) routeTables(ctx context.Context) ([]ec2types.RouteTable, error) {
	input := &ec2.DescribeRouteTablesInput{Filters: filter.Ours(t.Cluster), MaxResults: aws.Int32(tablePage)}
	if ids := t.IDs; len(ids) > 0 {
		input = &ec2.DescribeRouteTablesInput{RouteTableIds: ids}
	}
	tables, err := filter.All(func(page *string) (*ec2.DescribeRouteTablesOutput, error) {
		input.NextToken = page
		return t.Client.DescribeRouteTables(ctx, input)
	}, func(o *ec2.DescribeRouteTablesOutput) ([]ec2types.RouteTable, *string) {
		return o.RouteTables, o.NextToken
	})
	if err != nil {
		return nil, fmt.Errorf("reading route tables: %w", err)
	}
	if len(t.IDs) == 0 {
		tables = slices.DeleteFunc(tables, func(table ec2types.RouteTable) bool { return !t.Cluster.Has(tag.Of(table.Tags)) })
	}
	if len(tables) < max(1, len(t.IDs)) {
		return nil, t.noTables(tables)
	}
	return tables, nil
}

// noTables says which route tables are not there.
func (t *Tables) noTables(found []ec2types.RouteTable) error {
	if len(t.IDs) == 0 {
		return refused(cloud.FailureInvalid, "no route table of VPC %s has the tag %s%s: give it to those that are for pods, or name them in RouteTableID",
			t.Cluster.VPC, tag.ClusterPrefix, t.Cluster.ID)
	}
	absent := slices.DeleteFunc(slices.Clone(t.IDs), func(id string) bool {
		return slices.ContainsFunc(found, func(table ec2types.RouteTable) bool { return aws.ToString(table.RouteTableId) == id })
	})
	return refused(cloud.FailureInvalid, "there is no route table %s, which RouteTableID names", strings.Join(absent, " and no "))
}

// entry is a route in one table.
type entry struct{ ec2types.Route }

// destination returns the network of either family; those of prefix lists have none.
func (e entry) destination() (netip.Prefix, bool) {
	text := aws.ToString(e.DestinationCidrBlock)
	if text == "" {
		text = aws.ToString(e.DestinationIpv6CidrBlock)
	}
	destination, err := netip.ParsePrefix(text)
	return destination.Masked(), err == nil
}

// target is the instance a route leads to, "" when it does not lead to one.
func (e entry) target() cloud.InstanceID { return cloud.InstanceID(aws.ToString(e.InstanceId)) }

// name tells routes to the same destination in different tables apart: EC2 has no names.
func (e entry) name() string {
	if e.target() != "" {
		return string(e.target())
	}
	return aws.ToString(e.NetworkInterfaceId)
}

// blackhole reports whether nothing is at the end of the route.
func (e entry) blackhole() bool { return e.State == ec2types.RouteStateBlackhole }

// concerns reports whether a route is of the kind that leads to Nodes: to an instance, or to a
// network interface that is gone. Gateways and interfaces of other services are nobody's Node.
func (e entry) concerns() bool {
	return e.target() != "" || e.blackhole() && strings.HasPrefix(e.name(), "eni-")
}

func find(table ec2types.RouteTable, destination netip.Prefix) (entry, bool) {
	for _, route := range table.Routes {
		e := entry{route}
		if at, ok := e.destination(); ok && at == destination {
			return e, true
		}
	}
	return entry{}, false
}

// refused is an error that EC2 did not have to be asked for.
func refused(class cloud.Class, format string, args ...any) error {
	return &cloud.Error{Failure: cloud.Failure{Class: class}, Op: "checking routes", Err: fmt.Errorf(format, args...)}
}
