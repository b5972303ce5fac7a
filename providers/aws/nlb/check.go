package nlb

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// CheckAddresses refuses Elastic IPs that do not exist, or are in use by anything but the balancer
// that goes.
func (n *Balancers) CheckAddresses(ctx context.Context, lb *Balancer, wanted cloud.Balancer) error {
	var ids []string
	for _, m := range subnetMappings(wanted) {
		if id := aws.ToString(m.AllocationId); id != "" && (lb == nil || lb.addressOf(aws.ToString(m.SubnetId)) != id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	answer, err := n.Addresses.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{Filters: []ec2types.Filter{filter.By("allocation-id", ids...)}})
	if err != nil {
		return fmt.Errorf("reading the Elastic IPs: %w", err)
	}
	for _, address := range answer.Addresses {
		if id := aws.ToString(address.AllocationId); address.AssociationId == nil || lb != nil && lb.has(id) {
			ids = slices.DeleteFunc(ids, func(other string) bool { return other == id })
		}
	}
	if len(ids) > 0 {
		return &cloud.Invalid{Field: option.Addresses.Name, Value: ids[0], Want: "want allocation ids of Elastic IPs that are free"}
	}
	return nil
}

// has reports whether the balancer there is has the Elastic IP, in whatever subnet.
func (lb *Balancer) has(allocation string) bool {
	return slices.ContainsFunc(lb.Subnets(), func(id string) bool { return lb.addressOf(id) == allocation })
}

// CheckPrivate refuses private addresses outside their subnets.
func CheckPrivate(inv *vpc.Inventory, wanted cloud.Balancer) error {
	for _, m := range subnetMappings(wanted) {
		address, err := netip.ParseAddr(aws.ToString(m.PrivateIPv4Address))
		if m.PrivateIPv4Address == nil || inv == nil {
			continue
		}
		subnet, _ := inv.Subnet(aws.ToString(m.SubnetId))
		network, none := netip.ParsePrefix(aws.ToString(subnet.CidrBlock))
		if err != nil || none == nil && !network.Contains(address) {
			return &cloud.Invalid{
				Field: option.PrivateAddresses.Name, Value: *m.PrivateIPv4Address,
				Want: fmt.Sprintf("want an address of subnet %s, which is %s", *m.SubnetId, aws.ToString(subnet.CidrBlock)),
			}
		}
	}
	return nil
}

// IsNameTaken reports whether there is a load balancer of that name, of any type but classic.
func (n *Balancers) IsNameTaken(ctx context.Context, name string) (bool, error) {
	_, names, err := n.describe(ctx, name)
	return len(names) > 0, failure.UnlessGone(err)
}

// Protected is the error of a balancer that AWS would refuse to delete, nil where there is none.
func (s *Snapshot) Protected() error {
	if s.Balancer == nil || s.Balancer.attributes[attributeProtection.Name()] != "true" {
		return nil
	}
	return protected(s.Name)
}

// protected says that AWS refuses to delete the balancer.
func protected(name string) error {
	return &cloud.Invalid{
		Field: option.Protection.Name, Value: "true",
		Want: "the network load balancer " + name + " is protected from deletion: switch that off in AWS",
	}
}
