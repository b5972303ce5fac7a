package aws

import (
	"context"
	"fmt"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
)

// pageSize is the largest page of EC2.
const pageSize = 1000

// area is what surrounds the balancers of the VPC.
type area struct {
	subnets []ec2types.Subnet
	// public says which subnets, by id, have a route to an internet gateway.
	public map[string]bool
	// regular says of the zones whether they are availability zones, and no local ones.
	regular map[string]bool
	// groups are security groups by id: those with the cluster's tag, and those of the nodes.
	groups map[string]ec2types.SecurityGroup
}

// readArea reads what surrounds the balancers.
func (d *Driver) readArea(ctx context.Context) (*area, error) {
	a := &area{groups: map[string]ec2types.SecurityGroup{}}
	if err := d.readSubnets(ctx, a); err != nil {
		return nil, err
	}
	zones, err := d.Compute.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{})
	if err != nil {
		return nil, fmt.Errorf("reading the availability zones: %w", err)
	}
	a.regular = map[string]bool{}
	for _, zone := range zones.AvailabilityZones {
		a.regular[awssdk.ToString(zone.ZoneName)] = awssdk.ToString(zone.ZoneType) == "availability-zone" || zone.ZoneType == nil
	}
	return a, d.readGroups(ctx, a, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{d.config.Cluster.InVPC(), d.config.Cluster.Filter()}})
}

// with returns the area together with the security groups of the candidates. There are none where
// the balancer is to be deleted: then all groups may have rules for it.
func (d *Driver) with(ctx context.Context, a *area, spec cloud.Spec) (*area, error) {
	if spec.Deleting {
		whole := *a
		whole.groups = map[string]ec2types.SecurityGroup{}
		return &whole, d.readGroups(ctx, &whole, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{d.config.Cluster.InVPC()}})
	}
	var missing []string
	for _, id := range groupsOf(spec.Candidates) {
		if _, known := a.groups[id]; !known {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return a, nil
	}
	whole := *a
	whole.groups = map[string]ec2types.SecurityGroup{}
	for id, group := range a.groups {
		whole.groups[id] = group
	}
	return &whole, d.readGroups(ctx, &whole, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{filter.By("group-id", missing...)}})
}

func groupsOf(candidates []cloud.Target) []string {
	var ids []string
	for _, c := range candidates {
		if list := c.Attributes[attributeGroups]; list != "" {
			ids = append(ids, strings.Split(list, ",")...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (d *Driver) readGroups(ctx context.Context, a *area, input *ec2.DescribeSecurityGroupsInput) error {
	input.MaxResults = awssdk.Int32(pageSize)
	for pages := ec2.NewDescribeSecurityGroupsPaginator(d.Compute, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("reading the security groups: %w", err)
		}
		for _, group := range page.SecurityGroups {
			a.groups[awssdk.ToString(group.GroupId)] = group
		}
	}
	return nil
}

func (d *Driver) readSubnets(ctx context.Context, a *area) error {
	for pages := ec2.NewDescribeSubnetsPaginator(d.Compute, &ec2.DescribeSubnetsInput{Filters: []ec2types.Filter{d.config.Cluster.InVPC()}, MaxResults: awssdk.Int32(pageSize)}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("reading the subnets: %w", err)
		}
		a.subnets = append(a.subnets, page.Subnets...)
	}
	var tables []ec2types.RouteTable
	for pages := ec2.NewDescribeRouteTablesPaginator(d.Compute, &ec2.DescribeRouteTablesInput{Filters: []ec2types.Filter{d.config.Cluster.InVPC()}, MaxResults: awssdk.Int32(100)}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("reading the route tables: %w", err)
		}
		tables = append(tables, page.RouteTables...)
	}
	a.public = publicSubnets(a.subnets, tables)
	return nil
}

// publicSubnets says which subnets lead to an internet gateway: by the table they are associated
// with, else by the main one.
func publicSubnets(subnets []ec2types.Subnet, tables []ec2types.RouteTable) map[string]bool {
	byMain, by := false, map[string]bool{}
	for _, table := range tables {
		leads := slices.ContainsFunc(table.Routes, func(r ec2types.Route) bool { return strings.HasPrefix(awssdk.ToString(r.GatewayId), "igw") })
		for _, association := range table.Associations {
			switch {
			case awssdk.ToBool(association.Main):
				byMain = leads
			case association.SubnetId != nil:
				by[*association.SubnetId] = leads
			}
		}
	}
	public := map[string]bool{}
	for _, subnet := range subnets {
		leads, explicit := by[awssdk.ToString(subnet.SubnetId)]
		public[awssdk.ToString(subnet.SubnetId)] = explicit && leads || !explicit && byMain
	}
	return public
}

// subnet returns the subnet with the id, false when the VPC has none.
func (a *area) subnet(id string) (ec2types.Subnet, bool) {
	for _, subnet := range a.subnets {
		if awssdk.ToString(subnet.SubnetId) == id {
			return subnet, true
		}
	}
	return ec2types.Subnet{}, false
}

// ranges returns the networks of subnets, sorted: IPv4 and IPv6.
func (a *area) ranges(ids []string) (v4, v6 []string) {
	for _, id := range ids {
		subnet, _ := a.subnet(id)
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
