package octavia

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// placementOf says where the parts of a Service's balancer are put. The first that is set counts:
//
//	                      internal                     external
//	network and subnet    annotation, class, config    class, annotation, config
//	member subnet         annotation, class, config    the same
//	floating network      –                            class, annotation, config
//	floating subnet       –                            class, annotation, config, each with its id,
//	                                                   name and tags together
//
// For the first row upstream's documentation differs from what it does; this is what it does.
func (d *Balancers) placementOf(spec cloud.Spec) config.Placement {
	own := config.Placement{
		Network: option.Network.In(spec.Options), Subnet: option.Subnet.In(spec.Options), MemberSubnet: option.MemberSubnet.In(spec.Options),
		FloatingNetwork: option.FloatingNetwork.In(spec.Options), FloatingSubnet: option.FloatingSubnet.In(spec.Options),
		FloatingSubnetName: option.FloatingName.In(spec.Options), FloatingSubnetTags: option.FloatingTags.In(spec.Options),
	}
	class, standard := d.classes[option.Class.In(spec.Options)].Placement, d.config.Placement
	first, second := class, own
	if d.wantsInternal(spec) {
		first, second = own, class
	}
	p := config.Placement{
		MemberSubnet:    cmp.Or(own.MemberSubnet, class.MemberSubnet, standard.MemberSubnet, standard.Subnet),
		FloatingNetwork: cmp.Or(class.FloatingNetwork, orDefault(option.FloatingNetwork, spec, standard.FloatingNetwork)),
	}
	p.Network, p.Subnet = cmp.Or(first.Network, second.Network), cmp.Or(first.Subnet, second.Subnet)
	if p.Network == "" && p.Subnet == "" && option.Port.In(spec.Options) == "" {
		p.Network, p.Subnet = standard.Network, standard.Subnet
	}
	for _, from := range []config.Placement{class, own, standard} {
		if from.FloatingSubnet+from.FloatingSubnetName+from.FloatingSubnetTags != "" {
			p.FloatingSubnet, p.FloatingSubnetName, p.FloatingSubnetTags = from.FloatingSubnet, from.FloatingSubnetName, from.FloatingSubnetTags
			break
		}
	}
	return p
}

// orDefault returns the value of an annotation, also an empty one, else what is configured.
func orDefault(key annotation.Key, spec cloud.Spec, configured string) string {
	if key.Has(spec.Options) {
		return key.In(spec.Options)
	}
	return configured
}

// wantsInternal reports whether the Service is to have no floating IP. An annotation cannot make
// a balancer external where all are internal.
func (d *Balancers) wantsInternal(spec cloud.Spec) bool {
	return d.config.Internal || option.Internal.Bool(spec.Options)
}

// place says where a new balancer is put: as is asked for, at the user's port, or with the nodes.
func (d *Balancers) place(ctx context.Context, spec cloud.Spec) (where config.Placement, err error) {
	where = d.placementOf(spec)
	if pinned := spec.Preserved[fieldSubnet]; pinned != "" {
		where.Subnet = pinned
	}
	if pinned := spec.Preserved[fieldNetwork]; pinned != "" {
		where.Network = pinned
	}
	switch id := portOfVIP(spec); {
	case id != "":
		where.Network = ""
		where.Subnet, err = d.subnetOfPort(ctx, id, spec.IPv6)
	case where.Subnet == "" && where.Network == "":
		where.Subnet, err = d.subnetOfNodes(ctx, spec)
		where.MemberSubnet = cmp.Or(where.MemberSubnet, where.Subnet)
	}
	return where, err
}

// portOfVIP is the user's port that the balancer has its address from: as it was, where one has to be
// made again, else as is asked for.
func portOfVIP(spec cloud.Spec) string {
	asked := option.Port.In(spec.Options)
	if asked == "" {
		return ""
	}
	return cmp.Or(spec.Preserved[fieldPort], asked)
}

// otherSubnet returns a subnet of the other family in the balancer's network, "" when there is
// none: then the balancer has one address only, and the Service is told.
func (d *Balancers) otherSubnet(ctx context.Context, where config.Placement, ipv6 bool) (string, error) {
	network := where.Network
	if network == "" && where.Subnet != "" {
		first, _, err := api.GetOne[neutron.Subnet](ctx, d.network, "subnet", "subnets", where.Subnet)
		if err != nil {
			return "", fmt.Errorf("reading subnet %s: %w", where.Subnet, err)
		}
		network = first.Network
	}
	if network == "" {
		return "", nil
	}
	subnets, err := api.ListAll[neutron.Subnet](ctx, d.network, "subnets", "subnets", url.Values{"network_id": {network}})
	if err != nil {
		return "", fmt.Errorf("listing the subnets of network %s: %w", network, err)
	}
	for _, s := range subnets {
		if (s.Version == 6) != ipv6 {
			return s.ID, nil
		}
	}
	return "", nil
}

// subnetOfPort is the subnet of a port's address of the family. Octavia has to be told where the
// port has several.
func (d *Balancers) subnetOfPort(ctx context.Context, id string, ipv6 bool) (string, error) {
	p, _, err := api.GetOne[neutron.Port](ctx, d.network, "port", "ports", id)
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
func (d *Balancers) subnetOfNodes(ctx context.Context, spec cloud.Spec) (string, error) {
	for _, node := range spec.Candidates {
		address, err := netip.ParseAddr(memberAddress(node, onIPv6(spec)))
		if err != nil {
			continue
		}
		ports, err := neutron.Ports(ctx, d.network, url.Values{"device_id": {string(node.InstanceID)}})
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
