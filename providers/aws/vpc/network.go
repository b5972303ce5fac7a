// Package vpc reads what surrounds the balancers of a VPC, and chooses their subnets.
package vpc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Reader reads the VPC of a cluster.
type Reader struct {
	Cluster tag.Cluster
	// FallbackSubnet is where balancers go when no subnet is found by tags, "" for nowhere.
	FallbackSubnet string
	Client         *ec2.Client
}

// pageSize is the largest page of EC2.
const pageSize = 1000

// Network is where balancers of the VPC can be placed. It changes rarely.
type Network struct {
	subnets []ec2types.Subnet
	// public says which subnets, by id, have a route to an internet gateway.
	public map[string]bool
	// regular says of the zones whether they are availability zones, and no local ones.
	regular map[string]bool
}

// ReadNetwork reads subnets, route tables and zones.
func (r *Reader) ReadNetwork(ctx context.Context) (*Network, error) {
	subnets, err := filter.All(func(page *string) (*ec2.DescribeSubnetsOutput, error) {
		return r.Client.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{Filters: []ec2types.Filter{filter.InVPC(r.Cluster)}, MaxResults: aws.Int32(pageSize), NextToken: page})
	}, func(o *ec2.DescribeSubnetsOutput) ([]ec2types.Subnet, *string) { return o.Subnets, o.NextToken })
	if err != nil {
		return nil, fmt.Errorf("reading the subnets: %w", err)
	}
	tables, err := filter.All(func(page *string) (*ec2.DescribeRouteTablesOutput, error) {
		return r.Client.DescribeRouteTables(ctx, &ec2.DescribeRouteTablesInput{Filters: []ec2types.Filter{filter.InVPC(r.Cluster)}, MaxResults: aws.Int32(100), NextToken: page})
	}, func(o *ec2.DescribeRouteTablesOutput) ([]ec2types.RouteTable, *string) {
		return o.RouteTables, o.NextToken
	})
	if err != nil {
		return nil, fmt.Errorf("reading the route tables: %w", err)
	}
	zones, err := r.Client.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{})
	if err == nil && zones.AvailabilityZones == nil {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, fmt.Errorf("reading the availability zones: %w", err)
	}
	n := &Network{subnets: subnets, public: publicSubnets(subnets, tables), regular: map[string]bool{}}
	for _, zone := range zones.AvailabilityZones {
		n.regular[aws.ToString(zone.ZoneName)] = aws.ToString(zone.ZoneType) == "availability-zone" || zone.ZoneType == nil
	}
	return n, nil
}

// publicSubnets says which subnets lead to an internet gateway: by the table they are associated
// with, else by the main one.
func publicSubnets(subnets []ec2types.Subnet, tables []ec2types.RouteTable) map[string]bool {
	byMain, by := false, map[string]bool{}
	for _, table := range tables {
		leads := slices.ContainsFunc(table.Routes, func(r ec2types.Route) bool { return strings.HasPrefix(aws.ToString(r.GatewayId), "igw") })
		for _, association := range table.Associations {
			switch {
			case aws.ToBool(association.Main):
				byMain = leads
			case association.SubnetId != nil:
				by[*association.SubnetId] = leads
			}
		}
	}
	public := map[string]bool{}
	for _, subnet := range subnets {
		leads, explicit := by[aws.ToString(subnet.SubnetId)]
		public[aws.ToString(subnet.SubnetId)] = explicit && leads || !explicit && byMain
	}
	return public
}

// Ranges returns the networks of subnets, sorted: IPv4 and IPv6.
func (n *Network) Ranges(ids []string) (v4, v6 []string) {
	for _, id := range ids {
		subnet, _ := n.Subnet(id)
		if subnet.CidrBlock != nil {
			v4 = append(v4, packetfilter.Network(*subnet.CidrBlock).Network)
		}
		for _, association := range subnet.Ipv6CidrBlockAssociationSet {
			if association.Ipv6CidrBlock != nil {
				v6 = append(v6, packetfilter.Network(*association.Ipv6CidrBlock).Network)
			}
		}
	}
	slices.Sort(v4)
	slices.Sort(v6)
	return slices.Compact(v4), slices.Compact(v6)
}

// HasRange reports whether a subnet has that network.
func (n *Network) HasRange(cidr string) bool {
	return slices.ContainsFunc(n.subnets, func(subnet ec2types.Subnet) bool {
		v4, v6 := n.Ranges([]string{aws.ToString(subnet.SubnetId)})
		return slices.Contains(append(v4, v6...), cidr)
	})
}

// Inventory is what surrounds the balancers of the VPC.
type Inventory struct {
	Network
	// Groups are security groups by id: those with the cluster's tag, and those of the nodes.
	Groups Groups
}

// Groups are security groups by id.
type Groups = map[string]ec2types.SecurityGroup

// ReadGroups reads the security groups with the cluster's tag.
func (r *Reader) ReadGroups(ctx context.Context) (Groups, error) {
	return r.readGroups(ctx, Groups{}, filter.Ours(r.Cluster)...)
}

// Read returns the inventory of a network: the security groups with the cluster's tag, and those of the
// candidates. There are none of these where the balancer is to be deleted: then all groups may have rules
// for it. Those with the tag are read where they are nil.
func (r *Reader) Read(ctx context.Context, n *Network, groups Groups, in cloud.Input) (_ *Inventory, err error) {
	switch {
	case in.Deleting:
		groups, err = r.readGroups(ctx, Groups{}, filter.InVPC(r.Cluster))
	case groups == nil:
		groups, err = r.ReadGroups(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r.withGroups(ctx, &Inventory{Network: *n, Groups: groups}, instance.Groups(in.Candidates))
}

// WithNamed returns the inventory together with security groups that a Service names.
func (r *Reader) WithNamed(ctx context.Context, inv *Inventory, ids []string) (*Inventory, error) {
	return r.withGroups(ctx, inv, ids, filter.InVPC(r.Cluster))
}

func (r *Reader) withGroups(ctx context.Context, inv *Inventory, ids []string, filters ...ec2types.Filter) (*Inventory, error) {
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, known := inv.Groups[id]; return known })
	if len(unknown) == 0 {
		return inv, nil
	}
	groups, err := r.readGroups(ctx, maps.Clone(inv.Groups), append(filters, filter.By("group-id", unknown...))...)
	return &Inventory{Network: inv.Network, Groups: groups}, err
}

// readGroups adds the security groups that the filters choose.
func (r *Reader) readGroups(ctx context.Context, groups Groups, filters ...ec2types.Filter) (Groups, error) {
	read, err := filter.All(func(page *string) (*ec2.DescribeSecurityGroupsOutput, error) {
		return r.Client.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: filters, MaxResults: aws.Int32(pageSize), NextToken: page})
	}, func(o *ec2.DescribeSecurityGroupsOutput) ([]ec2types.SecurityGroup, *string) {
		return o.SecurityGroups, o.NextToken
	})
	if err != nil {
		return nil, fmt.Errorf("reading the security groups: %w", err)
	}
	for _, group := range read {
		groups[aws.ToString(group.GroupId)] = group
	}
	return groups, nil
}
