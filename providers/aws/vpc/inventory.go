package vpc

import (
	"context"
	"fmt"
	"maps"
	"slices"

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
	Network
	// Groups are security groups by id: those with the cluster's tag, and those of the nodes.
	Groups Groups
}

// Groups are security groups by id.
type Groups = map[string]ec2types.SecurityGroup

// ReadGroups reads the security groups with the cluster's tag.
func (r *Reader) ReadGroups(ctx context.Context) (Groups, error) {
	return r.readGroups(ctx, Groups{}, r.Cluster.InVPC(), r.Cluster.Filter())
}

// Read returns the inventory of a network: the security groups with the cluster's tag, and those of the
// candidates. There are none of these where the balancer is to be deleted: then all groups may have rules
// for it. It reads what is nil.
func (r *Reader) Read(ctx context.Context, n *Network, groups Groups, spec cloud.Spec) (_ *Inventory, err error) {
	if n == nil {
		if n, err = r.ReadNetwork(ctx); err != nil {
			return nil, err
		}
	}
	switch {
	case spec.Deleting:
		groups, err = r.readGroups(ctx, Groups{}, r.Cluster.InVPC())
	case groups == nil:
		groups, err = r.ReadGroups(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r.withGroups(ctx, &Inventory{Network: *n, Groups: groups}, instance.Groups(spec.Candidates))
}

// WithNamed returns the inventory together with security groups that a Service names.
func (r *Reader) WithNamed(ctx context.Context, inv *Inventory, ids []string) (*Inventory, error) {
	return r.withGroups(ctx, inv, ids, r.Cluster.InVPC())
}

func (r *Reader) withGroups(ctx context.Context, inv *Inventory, ids []string, filters ...ec2types.Filter) (*Inventory, error) {
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, known := inv.Groups[id]; return known })
	if len(unknown) == 0 {
		return inv, nil
	}
	groups, err := r.readGroups(ctx, maps.Clone(inv.Groups), append(filters, filter.By("group-id", unknown...))...)
	return &Inventory{Network: inv.Network, Groups: groups}, err
}

// GroupIDs are the ids of the security groups, sorted.
func (inv *Inventory) GroupIDs() []string { return slices.Sorted(maps.Keys(inv.Groups)) }

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
