package nlb

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// openOwnGroup returns the security groups the balancer shall have, nil for those it has. Its own one
// is made where there is none, and opened.
func (n *Balancers) openOwnGroup(ctx context.Context, s *Snapshot, change cloud.Change) ([]string, error) {
	wanted := change.After.ProviderFields[balancer.FieldGroups]
	if wanted == "" {
		return nil, nil
	}
	ids := strings.Split(wanted, ",")
	for i, id := range ids {
		if id != balancer.OwnGroup {
			continue
		}
		own, err := n.groups.Ensure(ctx, s.Inventory, n.groups.NetworkName(change.Spec.Ref.Owner), change.Spec, ownGroupRules(*change.After))
		if err != nil {
			return nil, err
		}
		ids[i] = aws.ToString(own.GroupId)
		s.ownGroup = &own
	}
	return ids, nil
}

// closeOwnGroup removes what the balancer's own security group does not have to let in any more. The
// group is deleted when the balancer has others instead.
func (n *Balancers) closeOwnGroup(ctx context.Context, s *Snapshot, change cloud.Change) (done bool, err error) {
	if s.ownGroup != nil {
		return true, n.groups.Revoke(ctx, aws.ToString(s.ownGroup.GroupId), secgroup.Ingress(*s.ownGroup).Without(ownGroupRules(*change.After)))
	}
	if own, exists := n.ownGroup(s.Inventory, change.Spec); exists {
		return n.groups.Drop(ctx, s.Inventory, aws.ToString(own.GroupId))
	}
	return true, nil
}

// place changes the security groups, subnets and address types.
func (n *Balancers) place(ctx context.Context, s *Snapshot, change cloud.Change, groups []string) error {
	lb, after := s.Balancer, *change.After
	fail := func(err error, what string) error {
		return failure.Wrap(err, "changing the "+what+" of network load balancer "+after.Name)
	}
	if len(groups) > 0 && balancer.Joined(groups) != balancer.Joined(lb.SecurityGroups) {
		if _, err := n.client.SetSecurityGroups(ctx, &sdk.SetSecurityGroupsInput{LoadBalancerArn: lb.LoadBalancerArn, SecurityGroups: groups}); err != nil {
			return fail(err, "security groups")
		}
	}
	if wanted := after.ProviderFields[balancer.FieldSubnets]; wanted != balancer.PlacesText(lb.Subnets(), lb.addressOf) && wanted != "" {
		if _, err := n.client.SetSubnets(ctx, &sdk.SetSubnetsInput{LoadBalancerArn: lb.LoadBalancerArn, SubnetMappings: subnetMappings(after)}); err != nil {
			return fail(err, "subnets")
		}
	}
	if lb.dualStack() == after.DualStack {
		return nil
	}
	kind := types.IpAddressTypeIpv4
	if after.DualStack {
		kind = types.IpAddressTypeDualstack
	}
	_, err := n.client.SetIpAddressType(ctx, &sdk.SetIpAddressTypeInput{LoadBalancerArn: lb.LoadBalancerArn, IpAddressType: kind})
	return fail(err, "address type")
}

// subnetMappings are the subnets of a wanted balancer with their addresses.
func subnetMappings(b cloud.Balancer) []types.SubnetMapping {
	var mappings []types.SubnetMapping
	for place := range strings.SplitSeq(b.ProviderFields[balancer.FieldSubnets], ",") {
		id, address, _ := strings.Cut(place, "=")
		m := types.SubnetMapping{SubnetId: aws.String(id)}
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
		ids = append(ids, aws.ToString(m.SubnetId))
	}
	return ids
}
