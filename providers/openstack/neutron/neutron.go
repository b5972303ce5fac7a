// Package neutron knows the objects of Neutron that several packages use: ports, networks, subnets.
package neutron

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// Network is the name of a network.
type Network struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Identifier is the id, as lists name it.
func (n Network) Identifier() string { return n.ID }

// External is a network that may be external. A project is shown the ids of its subnets, though often not the subnets.
type External struct {
	Network
	External *bool    `json:"router:external"`
	Subnets  []string `json:"subnets"`
}

// Subnet is what the driver uses of a subnet of Neutron.
type Subnet struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Network string   `json:"network_id"`
	CIDR    string   `json:"cidr"`
	Version int      `json:"ip_version"`
	Tags    []string `json:"tags"`
}

// Identifier is the id, as lists name it.
func (s Subnet) Identifier() string { return s.ID }

// Port is what the driver uses of a port of Neutron.
type Port struct {
	ID          string    `json:"id"`
	Network     string    `json:"network_id"`
	Device      string    `json:"device_id"`
	DeviceOwner string    `json:"device_owner"`
	Status      string    `json:"status"`
	FixedIPs    []FixedIP `json:"fixed_ips"`
	// Trunk is the trunk whose parent the port is. Only clouds with trunks have the field.
	Trunk *trunk `json:"trunk_details"`

	Groups []string      `json:"security_groups"`
	Pairs  []AddressPair `json:"allowed_address_pairs"`
	// Security is nil in clouds that cannot turn port security off.
	Security *bool `json:"port_security_enabled"`
	Revision int   `json:"revision_number"`
}

// FixedIP is an address of a port.
type FixedIP struct {
	Address netip.Addr `json:"ip_address"`
	Subnet  string     `json:"subnet_id"`
}

type trunk struct {
	SubPorts []struct {
		ID string `json:"port_id"`
	} `json:"sub_ports"`
}

// Identifier is the id, as lists name it.
func (p Port) Identifier() string { return p.ID }

// Has says whether the address is one of the port's.
func (p Port) Has(address netip.Addr) bool {
	return slices.ContainsFunc(p.FixedIPs, func(f FixedIP) bool { return f.Address == address })
}

// Machine is the server the port belongs to, "" when that is gone or it belongs to something
// else.
func (p Port) Machine() string {
	if strings.HasPrefix(p.DeviceOwner, "compute:") {
		return p.Device
	}
	return ""
}

// AddressFields are the fields of ports that addresses need: the rest is four times as much.
var AddressFields = []string{"id", "network_id", "device_id", "device_owner", "status", "fixed_ips", "trunk_details"}

// Ports lists ports, sorted by id.
func Ports(ctx context.Context, network *gophercloud.ServiceClient, query url.Values) ([]Port, error) {
	return api.ListAll[Port](ctx, network, "ports", "ports", query)
}

// ByID lists objects by their ids, some at a time.
func ByID[T any](ids []string, read func(url.Values) ([]T, error)) ([]T, error) {
	slices.Sort(ids)
	var all []T
	for some := range slices.Chunk(slices.Compact(ids), api.MaxIDs) {
		items, err := read(url.Values{"id": some})
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
	}
	return all, nil
}

// AddressPair lets a port send and receive for an address or a network that is not its own.
type AddressPair struct {
	Address string `json:"ip_address"`
	// MAC is the port's own unless somebody set another.
	MAC string `json:"mac_address,omitempty"`
}

// Is says whether the pair is about exactly this network. Neutron writes a network of one
// address as an address where that is what it was given.
func (p AddressPair) Is(network netip.Prefix) bool {
	return network.IsValid() && p.Network() == network
}

// Network is what the pair is about, not valid where that cannot be read.
func (p AddressPair) Network() netip.Prefix {
	if written, err := netip.ParsePrefix(p.Address); err == nil {
		return written.Masked()
	}
	written, err := netip.ParseAddr(p.Address)
	if err != nil {
		return netip.Prefix{}
	}
	return netip.PrefixFrom(written, written.BitLen())
}

// IsIPv6 reports whether a text is an IPv6 address.
func IsIPv6(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Unmap().Is6()
}
