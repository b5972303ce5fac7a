package aws

import (
	"context"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// openGuard returns the security groups the balancer shall have, nil for those it has. Its own one
// is made where there is none, and opened.
func (d *Driver) openGuard(ctx context.Context, s *snapshot, change cloud.Change) ([]string, error) {
	wanted := change.After.ProviderFields[fieldGroups]
	if wanted == "" {
		return nil, nil
	}
	ids := strings.Split(wanted, ",")
	for i, id := range ids {
		if id != ownGroup {
			continue
		}
		own, err := d.groups.Ensure(ctx, s.area, secgroup.NetworkName(d.clusterName, change.Spec.Ref.Owner), change.Spec, guardRules(*change.After))
		if err != nil {
			return nil, err
		}
		ids[i] = awssdk.ToString(own.GroupId)
		s.guard = &own
	}
	return ids, nil
}

// closeGuard removes what the balancer's own security group does not have to let in any more. The
// group is deleted when the balancer has others instead.
func (d *Driver) closeGuard(ctx context.Context, s *snapshot, change cloud.Change) (done bool, err error) {
	if s.guard != nil {
		return true, d.groups.Revoke(ctx, awssdk.ToString(s.guard.GroupId), secgroup.Ingress(*s.guard).Without(guardRules(*change.After)))
	}
	if own, exists := d.guardIn(s.area, change.Spec); exists {
		return d.groups.Drop(ctx, s.area, awssdk.ToString(own.GroupId))
	}
	return true, nil
}

// placeNetwork changes the security groups, subnets and address types.
func (d *Driver) placeNetwork(ctx context.Context, s *snapshot, change cloud.Change, groups []string) error {
	lb, after := s.network, *change.After
	fail := func(err error, what string) error {
		return failure.Wrap(err, "changing the "+what+" of network load balancer "+after.Name)
	}
	if len(groups) > 0 && sortedList(groups) != sortedList(lb.SecurityGroups) {
		if _, err := d.Network.SetSecurityGroups(ctx, &elb.SetSecurityGroupsInput{LoadBalancerArn: lb.LoadBalancerArn, SecurityGroups: groups}); err != nil {
			return fail(err, "security groups")
		}
	}
	if wanted := after.ProviderFields[fieldSubnets]; wanted != placesText(lb.subnets(), lb.addressOf) && wanted != "" {
		if _, err := d.Network.SetSubnets(ctx, &elb.SetSubnetsInput{LoadBalancerArn: lb.LoadBalancerArn, SubnetMappings: subnetMappings(after)}); err != nil {
			return fail(err, "subnets")
		}
	}
	if lb.dualStack() == after.DualStack {
		return nil
	}
	kind := elbtypes.IpAddressTypeIpv4
	if after.DualStack {
		kind = elbtypes.IpAddressTypeDualstack
	}
	_, err := d.Network.SetIpAddressType(ctx, &elb.SetIpAddressTypeInput{LoadBalancerArn: lb.LoadBalancerArn, IpAddressType: kind})
	return fail(err, "address type")
}

// subnetMappings are the subnets of a wanted balancer with their addresses.
func subnetMappings(b cloud.Balancer) []elbtypes.SubnetMapping {
	var mappings []elbtypes.SubnetMapping
	for place := range strings.SplitSeq(b.ProviderFields[fieldSubnets], ",") {
		id, address, _ := strings.Cut(place, "=")
		m := elbtypes.SubnetMapping{SubnetId: awssdk.String(id)}
		switch {
		case strings.HasPrefix(address, "eipalloc-"):
			m.AllocationId = &address
		case address != "":
			m.PrivateIPv4Address = &address
		}
		mappings = append(mappings, m)
	}
	return mappings
}

// placedSubnets are the ids of the subnets of a wanted balancer.
func placedSubnets(b cloud.Balancer) []string {
	var ids []string
	for _, m := range subnetMappings(b) {
		ids = append(ids, awssdk.ToString(m.SubnetId))
	}
	return ids
}
