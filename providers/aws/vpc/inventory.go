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
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
)

// pageSize is the largest page of EC2.
const pageSize = 1000

// Inventory is what surrounds the balancers of the VPC.
type Inventory struct {
	subnets []ec2types.Subnet
	// public says which subnets, by id, have a route to an internet gateway.
	public map[string]bool
	// regular says of the zones whether they are availability zones, and no local ones.
	regular map[string]bool
	// Groups are security groups by id: those with the cluster's tag, and those of the nodes.
	Groups map[string]ec2types.SecurityGroup
}

// Read reads what surrounds the balancers.
func (r *Reader) Read(ctx context.Context) (*Inventory, error) {
	inv := &Inventory{Groups: map[string]ec2types.SecurityGroup{}}
	if err := r.readSubnets(ctx, inv); err != nil {
		return nil, err
	}
	zones, err := r.client.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{})
	if err != nil {
		return nil, fmt.Errorf("reading the availability zones: %w", err)
	}
	inv.regular = map[string]bool{}
	for _, zone := range zones.AvailabilityZones {
		inv.regular[aws.ToString(zone.ZoneName)] = aws.ToString(zone.ZoneType) == "availability-zone" || zone.ZoneType == nil
	}
	return inv, r.readGroups(ctx, inv, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{r.cluster.InVPC(), r.cluster.Filter()}})
}

// With returns the inventory together with the security groups of the candidates. There are none where
// the balancer is to be deleted: then all groups may have rules for it.
func (r *Reader) With(ctx context.Context, inv *Inventory, spec cloud.Spec) (*Inventory, error) {
	if spec.Deleting {
		whole := *inv
		whole.Groups = map[string]ec2types.SecurityGroup{}
		return &whole, r.readGroups(ctx, &whole, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{r.cluster.InVPC()}})
	}
	return r.withGroups(ctx, inv, instance.Groups(spec.Candidates))
}

// WithNamed returns the inventory together with security groups that a Service names.
func (r *Reader) WithNamed(ctx context.Context, inv *Inventory, ids []string) (*Inventory, error) {
	return r.withGroups(ctx, inv, ids, r.cluster.InVPC())
}

func (r *Reader) withGroups(ctx context.Context, inv *Inventory, ids []string, filters ...ec2types.Filter) (*Inventory, error) {
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, known := inv.Groups[id]; return known })
	if len(unknown) == 0 {
		return inv, nil
	}
	whole := *inv
	whole.Groups = maps.Clone(inv.Groups)
	return &whole, r.readGroups(ctx, &whole, &ec2.DescribeSecurityGroupsInput{Filters: append(filters, filter.By("group-id", unknown...))})
}

// With returns the inventory with a security group as it is now. The one before may be that of others
// too, so it stays as it is.
func (inv *Inventory) With(g ec2types.SecurityGroup) *Inventory {
	next := *inv
	next.Groups = maps.Clone(inv.Groups)
	next.Groups[aws.ToString(g.GroupId)] = g
	return &next
}

// GroupIDs are the ids of the security groups, sorted.
func (inv *Inventory) GroupIDs() []string { return slices.Sorted(maps.Keys(inv.Groups)) }

func (r *Reader) readGroups(ctx context.Context, inv *Inventory, input *ec2.DescribeSecurityGroupsInput) error {
	input.MaxResults = aws.Int32(pageSize)
	for pages := ec2.NewDescribeSecurityGroupsPaginator(r.client, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("reading the security groups: %w", err)
		}
		for _, group := range page.SecurityGroups {
			inv.Groups[aws.ToString(group.GroupId)] = group
		}
	}
	return nil
}

func (r *Reader) readSubnets(ctx context.Context, inv *Inventory) error {
	for pages := ec2.NewDescribeSubnetsPaginator(r.client, &ec2.DescribeSubnetsInput{Filters: []ec2types.Filter{r.cluster.InVPC()}, MaxResults: aws.Int32(pageSize)}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("reading the subnets: %w", err)
		}
		inv.subnets = append(inv.subnets, page.Subnets...)
	}
	var tables []ec2types.RouteTable
	for pages := ec2.NewDescribeRouteTablesPaginator(r.client, &ec2.DescribeRouteTablesInput{Filters: []ec2types.Filter{r.cluster.InVPC()}, MaxResults: aws.Int32(100)}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("reading the route tables: %w", err)
		}
		tables = append(tables, page.RouteTables...)
	}
	inv.public = publicSubnets(inv.subnets, tables)
	return nil
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

// Subnet returns the subnet with the id, false when the VPC has none.
func (inv *Inventory) Subnet(id string) (ec2types.Subnet, bool) {
	for _, subnet := range inv.subnets {
		if aws.ToString(subnet.SubnetId) == id {
			return subnet, true
		}
	}
	return ec2types.Subnet{}, false
}

// Zone returns the name of the zone of a subnet.
func (inv *Inventory) Zone(id string) string {
	subnet, _ := inv.Subnet(id)
	return aws.ToString(subnet.AvailabilityZone)
}

// Ranges returns the networks of subnets, sorted: IPv4 and IPv6.
func (inv *Inventory) Ranges(ids []string) (v4, v6 []string) {
	for _, id := range ids {
		subnet, _ := inv.Subnet(id)
		if subnet.CidrBlock != nil {
			v4 = append(v4, *subnet.CidrBlock)
		}
		for _, association := range subnet.Ipv6CidrBlockAssociationSet {
			if association.Ipv6CidrBlock != nil {
				v6 = append(v6, *association.Ipv6CidrBlock)
			}
		}
	}
	slices.Sort(v4)
	slices.Sort(v6)
	return slices.Compact(v4), slices.Compact(v6)
}
