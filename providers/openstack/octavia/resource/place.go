package resource

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// newBalancer is a balancer that is to be made. It is put where the Service asks for, at the user's port, or with the nodes,
// which completes where.
func (c *Composite) newBalancer(ctx context.Context, where *desired.Place, change cloud.Change) (cloud.Resource, error) {
	in, b := change.Input, change.After
	where.Subnet = cmp.Or(in.Preserved[desired.FieldSubnet], where.Subnet)
	where.Network = cmp.Or(in.Preserved[desired.FieldNetwork], where.Network)
	var err error
	switch {
	case where.Port != "":
		where.Network = ""
		where.Subnet, err = c.subnetOfPort(ctx, where.Port, in.IPv6)
	case where.Subnet == "" && where.Network != "" && in.IPv6: // Octavia would take one of IPv4, if there is any
		where.Subnet, err = c.subnetOf(ctx, where.Network, true)
	case where.Subnet == "" && where.Network == "":
		where.Subnet, err = c.subnetOfNodes(ctx, in)
		where.MemberSubnet = cmp.Or(where.MemberSubnet, where.Subnet)
	}
	other := ""
	if err == nil && b.DualStack {
		other, err = c.otherSubnet(ctx, where)
	}
	fields := cloud.FieldsOf(
		fieldName.Is(b.Name), fieldDescription.Is(c.Rules.OwnershipTags.Description(tag.Balancer, in.Owner)), fieldTags.Is(b.OwnershipTags),
		fieldProvider.Is(cmp.Or(in.Preserved[desired.FieldProvider], c.Rules.Config.Provider)),
		fieldFlavor.Is(b.ProviderFields[desired.FieldFlavor]), fieldZone.Is(b.ProviderFields[desired.FieldZone]),
		fieldVIPPort.Is(where.Port), fieldVIPAddress.Is(b.ProviderFields[desired.FieldAddress]),
		fieldVIPSubnet.Is(where.Subnet), fieldVIPNetwork.Is(where.Network),
	)
	if other != "" {
		fields = fields.With(fieldAdditionalVIP.Is([]object.AdditionalIP{{Subnet: other}}))
	}
	return cloud.Resource{Kind: kindBalancer, Key: TheBalancer(in.Spec).Key, Fields: fields}, err
}

// subnetOfPort is the subnet of a port's address of the family. Octavia has to be told where the
// port has several.
func (c *Composite) subnetOfPort(ctx context.Context, id string, ipv6 bool) (string, error) {
	p, _, err := api.GetOne[neutron.Port](ctx, c.Network, "port", "ports", id)
	switch {
	case api.IsNotFound(err):
		return "", &cloud.Invalid{Field: option.Port.Name, Value: id, Want: "there is no such port"}
	case err != nil:
		return "", fmt.Errorf("reading port %s: %w", id, err)
	}
	for _, fixed := range p.FixedIPs {
		if fixed.Address.Unmap().Is4() != ipv6 {
			return fixed.Subnet, nil
		}
	}
	return "", &cloud.Invalid{Field: option.Port.Name, Value: id, Want: "the port has no address of the Service's family"}
}

// subnetOfNodes is the subnet of the first node, where nothing says where the balancer is to be.
func (c *Composite) subnetOfNodes(ctx context.Context, in cloud.Input) (string, error) {
	for _, node := range in.Candidates {
		address, err := netip.ParseAddr(desired.MemberAddress(node, desired.OnIPv6(in)))
		if err != nil {
			continue
		}
		ports, err := neutron.Ports(ctx, c.Network, url.Values{"device_id": {string(node.InstanceID)}})
		if err != nil {
			return "", fmt.Errorf("looking for the subnet of node %s: %w", node.NodeName, err)
		}
		for _, p := range ports {
			for _, fixed := range p.FixedIPs {
				if fixed.Address == address {
					return fixed.Subnet, nil
				}
			}
		}
	}
	return "", &cloud.Invalid{
		Field: option.Subnet.Name, Value: "",
		Want: "no node shows which subnet to use; set it, or subnet-id or network-id in [LoadBalancer] of the configuration",
	}
}

// otherSubnet returns a subnet of the other family in the balancer's network, "" when there is
// none: then the balancer has one address only, and the Service is told.
func (c *Composite) otherSubnet(ctx context.Context, where *desired.Place) (string, error) {
	network, ipv6 := where.Network, where.IPv6
	if where.Subnet != "" {
		first, _, err := api.GetOne[neutron.Subnet](ctx, c.Network, "subnet", "subnets", where.Subnet)
		if err == nil && first.Network == "" {
			err = cloud.ErrIncomplete
		}
		if err != nil {
			return "", fmt.Errorf("reading subnet %s: %w", where.Subnet, err)
		}
		network, ipv6 = first.Network, first.Version == 6
	}
	if network == "" {
		return "", nil
	}
	return c.subnetOf(ctx, network, !ipv6)
}

// subnetOf returns a subnet of the family in a network, "" when there is none.
func (c *Composite) subnetOf(ctx context.Context, network string, ipv6 bool) (string, error) {
	subnets, err := api.ListAll[neutron.Subnet](ctx, c.Network, "subnets", "subnets", url.Values{"network_id": {network}})
	if err != nil {
		return "", fmt.Errorf("listing the subnets of network %s: %w", network, err)
	}
	for _, s := range subnets {
		if (s.Version == 6) == ipv6 {
			return s.ID, nil
		}
	}
	return "", nil
}
