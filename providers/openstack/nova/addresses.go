package nova

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// addressList collects addresses, each with a type once.
type addressList struct {
	addresses []cloud.Address
	// ipv4Only drops IPv6 addresses.
	ipv4Only bool
}

func (l *addressList) add(kind cloud.AddressType, text string) {
	address := cloud.Address{Type: kind, Address: text}
	if text == "" || l.ipv4Only && neutron.IsIPv6(text) || slices.Contains(l.addresses, address) {
		return
	}
	l.addresses = append(l.addresses, address)
}

// remove drops an address, whatever its type.
func (l *addressList) remove(text string) {
	l.addresses = slices.DeleteFunc(l.addresses, func(a cloud.Address) bool { return a.Address == text })
}

// networking says what the addresses of machines are.
type networking config.Networking

// addresses are those of a server, in upstream's order: Kubernetes uses the first of a type.
//
//	1  fixed addresses of its ports that are up  InternalIP
//	2  accessIPv4, accessIPv6                    ExternalIP
//	3  hostname in the metadata                  Hostname
//	4  all by network, sorted by its name        as n.role says, which may also take back 1 and 2
func (n networking) addresses(s *server, w topology) []cloud.Address {
	list := addressList{ipv4Only: n.Ipv6Disabled}
	for _, p := range w.byDevice[s.ID] {
		for _, fixed := range p.FixedIPs {
			if p.Status == "ACTIVE" {
				list.add(cloud.AddressInternalIP, fixed.Address.String())
			}
		}
	}
	list.add(cloud.AddressExternalIP, s.AccessIPv4)
	list.add(cloud.AddressExternalIP, s.AccessIPv6)
	list.add(cloud.AddressHostname, s.Metadata["hostname"])
	byNetwork := w.withTrunks(s)
	for _, network := range slices.Sorted(maps.Keys(byNetwork)) {
		for _, a := range byNetwork[network] {
			kind, sole := n.role(network, a.Type)
			if sole {
				list.remove(a.Address)
			}
			if kind != "" {
				list.add(kind, a.Address)
			}
		}
	}
	n.sort(list.addresses)
	return list.addresses
}

// role says what an address on a network is, "" for nothing, and whether it is nothing else.
//
//	type      network                               role        alone
//	floating  any                                   ExternalIP  no
//	fixed     one of public-network-name            ExternalIP  yes
//	fixed     internal-network-name empty or has it InternalIP  no
//	fixed     any other                             none        yes
func (n networking) role(network, kind string) (role cloud.AddressType, sole bool) {
	switch {
	case kind == "floating":
		return cloud.AddressExternalIP, false
	case slices.Contains(n.PublicNetworks, network):
		return cloud.AddressExternalIP, true
	case len(n.InternalNetworks) == 0 || slices.Contains(n.InternalNetworks, network):
		return cloud.AddressInternalIP, false
	}
	return "", true
}

// withTrunks returns the addresses Nova knows of, and behind them those of the ports below the
// server's trunks, of which it knows nothing.
func (w topology) withTrunks(s *server) map[string][]serverAddress {
	byNetwork := map[string][]serverAddress{}
	for network, addresses := range s.Addresses {
		byNetwork[network] = slices.Clone(addresses)
	}
	for _, parent := range w.byDevice[s.ID] {
		if parent.Trunk == nil {
			continue
		}
		for _, sub := range parent.Trunk.SubPorts {
			name, ok := w.networks[w.byID[sub.ID].Network]
			if !ok { // the credentials cannot see it
				continue
			}
			for _, fixed := range w.byID[sub.ID].FixedIPs {
				byNetwork[name] = append(byNetwork[name], serverAddress{Address: fixed.Address.String(), Type: "fixed"})
			}
		}
	}
	return byNetwork
}

// sort moves the addresses of address-sort-order to the front: those of an earlier network
// first, within one network the lower ones first. The others keep their order.
func (n networking) sort(addresses []cloud.Address) {
	if len(n.SortOrder) == 0 {
		return
	}
	slices.SortStableFunc(addresses, func(a, b cloud.Address) int {
		rankA, ipA := n.rank(a)
		rankB, ipB := n.rank(b)
		if rankA != rankB || rankA == len(n.SortOrder) {
			return rankA - rankB
		}
		return ipA.Compare(ipB)
	})
}

func (n networking) rank(a cloud.Address) (int, netip.Addr) {
	ip, err := netip.ParseAddr(a.Address)
	if err != nil {
		return len(n.SortOrder), ip
	}
	for i, prefix := range n.SortOrder {
		if prefix.Contains(ip) {
			return i, ip
		}
	}
	return len(n.SortOrder), ip
}

// topology is the ports of machines and what hangs on them.
type topology struct {
	// byDevice are the ports of each server.
	byDevice map[string][]neutron.Port
	// ByID are all ports, those below a trunk among them.
	byID map[string]neutron.Port
	// networks are the names of the networks that ports below a trunk are in.
	networks map[string]string
}

// wire reads the names of networks that the addresses of these ports need: none without
// trunks. Ports below a trunk that are not there are read with their ids.
func (m *Machines) wire(ctx context.Context, ports []neutron.Port) (topology, error) {
	w := topology{byDevice: map[string][]neutron.Port{}, byID: map[string]neutron.Port{}, networks: map[string]string{}}
	for _, p := range ports {
		w.byDevice[p.Device] = append(w.byDevice[p.Device], p)
		w.byID[p.ID] = p
	}
	below := w.below()
	missing := slices.DeleteFunc(slices.Clone(below), func(id string) bool { return w.byID[id].ID != "" })
	more, err := neutron.ByID(missing, func(query url.Values) ([]neutron.Port, error) {
		query["fields"] = neutron.AddressFields
		return neutron.Ports(ctx, m.network, query)
	})
	if err != nil {
		return topology{}, fmt.Errorf("listing ports below trunks: %w", err)
	}
	for _, p := range more {
		w.byID[p.ID] = p
	}
	var ids []string
	for _, id := range below {
		if p, ok := w.byID[id]; ok {
			ids = append(ids, p.Network)
		}
	}
	networks, err := neutron.ByID(ids, func(query url.Values) ([]neutron.Network, error) {
		query["fields"] = []string{"id", "name"}
		return api.ListAll[neutron.Network](ctx, m.network, "networks", "networks", query)
	})
	if err != nil {
		return topology{}, fmt.Errorf("listing networks of trunks: %w", err)
	}
	for _, n := range networks {
		w.networks[n.ID] = n.Name
	}
	return w, nil
}

// below returns the ids of all ports below the trunks of machines.
func (w topology) below() (ids []string) {
	for _, p := range w.byID {
		if p.Trunk != nil && p.Machine() != "" {
			for _, sub := range p.Trunk.SubPorts {
				ids = append(ids, sub.ID)
			}
		}
	}
	return ids
}
