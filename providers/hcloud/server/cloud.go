package server

import (
	"cmp"
	"net/netip"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// labelProvidedBy is the label of Nodes that says which kind of server they are.
const labelProvidedBy = "instance.hetzner.cloud/provided-by"

// zones are the names of data centres that upstream made zones of. The API names none any more, so the
// zone of each location is the one that its Nodes had.
var zones = map[string]string{
	"nbg1": "nbg1-dc3", "hel1": "hel1-dc2", "fsn1": "fsn1-dc14", "ash": "ash-dc1", "hil": "hil-dc1", "sin": "sin-dc1",
}

// fromCloud is a cloud server as a machine. The server is not changed.
func (m *Machines) fromCloud(s *hcloud.Server) cloud.Instance {
	i := cloud.Instance{
		ID: ID(s.ID), ProviderID: Scheme + "://" + string(ID(s.ID)), Name: s.Name, State: stateOf(s.Status),
		Addresses: m.cloudAddresses(s), Labels: map[string]string{labelProvidedBy: "cloud"},
	}
	if ip := addr(s.PublicNet.IPv4.IP); !m.Settings.IPv4 && ip.IsValid() {
		i.Attributes = map[string]string{PublicIPv4: ip.String()}
	}
	if s.ServerType != nil {
		i.Type = s.ServerType.Name
	}
	if s.Location != nil {
		i.Region = s.Location.Name
		if m.Settings.ZoneLabel {
			i.Zone = cmp.Or(zones[s.Location.Name], s.Location.Name)
		}
	}
	return i
}

// stateOf maps a server's status. Only "off" is a machine that was shut down: one that stops or is being
// deleted, or a status we do not know, must not make its Node look so.
func stateOf(status hcloud.ServerStatus) cloud.State {
	switch status {
	case hcloud.ServerStatusOff:
		return cloud.StateStopped
	case hcloud.ServerStatusInitializing, hcloud.ServerStatusStarting:
		return cloud.StatePending
	default:
		return cloud.StateRunning
	}
}

// cloudAddresses lists what a Node shows, in upstream's order. Any address may be missing.
func (m *Machines) cloudAddresses(s *hcloud.Server) []cloud.Address {
	list := []cloud.Address{{Type: cloud.AddressHostname, Address: s.Name}}
	if m.Settings.IPv4 {
		list = with(list, cloud.AddressExternalIP, addr(s.PublicNet.IPv4.IP))
	}
	if network := s.PublicNet.IPv6.Network; m.Settings.IPv6 && network != nil {
		list = with(list, cloud.AddressExternalIP, first(addr(network.IP)))
	}
	for _, attachment := range s.PrivateNet {
		if m.Network != 0 && attachment.Network != nil && attachment.Network.ID == m.Network {
			list = with(list, cloud.AddressInternalIP, addr(attachment.IP))
		}
	}
	return list
}

// with adds an address, if there is one.
func with(list []cloud.Address, kind cloud.AddressType, ip netip.Addr) []cloud.Address {
	if !ip.IsValid() || ip.IsUnspecified() {
		return list
	}
	return append(list, cloud.Address{Type: kind, Address: ip.String()})
}

// addr is an address of the client library, not valid where there is none.
func addr(ip []byte) netip.Addr {
	a, _ := netip.AddrFromSlice(ip)
	return a.Unmap()
}

// first is the address of a server in its IPv6 network: the one with the last bit set.
func first(network netip.Addr) netip.Addr {
	if !network.Is6() || network.IsUnspecified() {
		return netip.Addr{}
	}
	bytes := network.As16()
	bytes[15] |= 1
	return netip.AddrFrom16(bytes)
}
