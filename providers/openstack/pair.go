package openstack

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// addressPair lets a port send and receive for an address or a network that is not its own.
type addressPair struct {
	Address string `json:"ip_address"`
	// MAC is the port's own unless somebody set another.
	MAC string `json:"mac_address,omitempty"`
}

// is says whether the pair is about exactly this network. Neutron writes a network of one
// address as an address where that is what it was given.
func (p addressPair) is(network netip.Prefix) bool {
	return network.IsValid() && p.network() == network
}

// network is what the pair is about, not valid where that cannot be read.
func (p addressPair) network() netip.Prefix {
	if written, err := netip.ParsePrefix(p.Address); err == nil {
		return written.Masked()
	}
	written, err := netip.ParseAddr(p.Address)
	if err != nil {
		return netip.Prefix{}
	}
	return netip.PrefixFrom(written, written.BitLen())
}

// portOf is the body of a request about a port.
type portOf struct {
	Port struct {
		Pairs []addressPair `json:"allowed_address_pairs"`
	} `json:"port"`
}

// permit lets the port send and receive for a pod network, and reports whether that took a new
// pair. Ports without port security may.
func (d *Driver) permit(ctx context.Context, p port, pods netip.Prefix) (made bool, err error) {
	if !d.Extension[extensionPairs] || p.Security != nil && !*p.Security ||
		slices.ContainsFunc(p.Pairs, func(pair addressPair) bool { return pair.is(pods) }) {
		return false, nil
	}
	err = d.putPairs(ctx, p, append(slices.Clone(p.Pairs), addressPair{Address: pods.String()}))
	return err == nil, err
}

// forbid takes the pod network back from whatever port has the address the route leads to,
// also when the machine is gone and left the port behind.
func (d *Driver) forbid(ctx context.Context, route extraRoute) error {
	if !d.Extension[extensionPairs] {
		return nil
	}
	// Two clusters may use the same addresses on networks of their own.
	links, err := d.links(ctx)
	if err != nil || len(links) == 0 {
		return err
	}
	ports, err := d.ports(ctx, url.Values{"network_id": links, "fixed_ips": {"ip_address=" + route.NextHop.String()}})
	if err != nil {
		return fmt.Errorf("listing ports with address %s: %w", route.NextHop, err)
	}
	for _, p := range ports {
		left := slices.DeleteFunc(slices.Clone(p.Pairs), func(pair addressPair) bool { return pair.is(route.Destination) })
		if len(left) == len(p.Pairs) || !p.has(route.NextHop) {
			continue
		}
		if err := d.putPairs(ctx, p, left); err != nil {
			return err
		}
	}
	return nil
}

func (d *Driver) putPairs(ctx context.Context, p port, pairs []addressPair) error {
	var body portOf
	body.Port.Pairs = pairs
	if err := api.Put(ctx, d.Network, d.Network.ServiceURL("ports", p.ID), body, p.Revision); err != nil {
		return fmt.Errorf("setting the allowed address pairs of port %s: %w", p.ID, err)
	}
	return nil
}
