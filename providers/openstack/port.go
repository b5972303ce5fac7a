package openstack

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// port is what the driver uses of a port of Neutron.
type port struct {
	ID          string    `json:"id"`
	Network     string    `json:"network_id"`
	Device      string    `json:"device_id"`
	DeviceOwner string    `json:"device_owner"`
	Status      string    `json:"status"`
	FixedIPs    []fixedIP `json:"fixed_ips"`
	// Trunk is the trunk whose parent the port is. Only clouds with trunks have the field.
	Trunk *trunk `json:"trunk_details"`

	Groups []string      `json:"security_groups"`
	Pairs  []addressPair `json:"allowed_address_pairs"`
	// Security is nil in clouds that cannot turn port security off.
	Security *bool `json:"port_security_enabled"`
	Revision int   `json:"revision_number"`
}

type fixedIP struct {
	Address netip.Addr `json:"ip_address"`
	Subnet  string     `json:"subnet_id"`
}

type trunk struct {
	SubPorts []struct {
		ID string `json:"port_id"`
	} `json:"sub_ports"`
}

// network is the name of a network.
type network struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (p port) Identifier() string { return p.ID }

func (n network) Identifier() string { return n.ID }

// has says whether the address is one of the port's.
func (p port) has(address netip.Addr) bool {
	return slices.ContainsFunc(p.FixedIPs, func(f fixedIP) bool { return f.Address == address })
}

// machine is the server the port belongs to, "" when that is gone or it belongs to something
// else.
func (p port) machine() string {
	if strings.HasPrefix(p.DeviceOwner, "compute:") {
		return p.Device
	}
	return ""
}

// addressFields are the fields of ports that addresses need: the rest is four times as much.
var addressFields = []string{"id", "network_id", "device_id", "device_owner", "status", "fixed_ips", "trunk_details"}

// ports lists ports, sorted by id.
func (d *Driver) ports(ctx context.Context, query url.Values) ([]port, error) {
	return api.ListAll[port](ctx, d.Network, "ports", "ports", query)
}

// topology is the ports of machines and what hangs on them.
type topology struct {
	// byDevice are the ports of each server.
	byDevice map[string][]port
	// byID are all ports, those below a trunk among them.
	byID map[string]port
	// networks are the names of the networks that ports below a trunk are in.
	networks map[string]string
}

// wire reads the names of networks that the addresses of these ports need: none without
// trunks. Ports below a trunk that are not there are read with their ids.
func (d *Driver) wire(ctx context.Context, ports []port) (topology, error) {
	w := topology{byDevice: map[string][]port{}, byID: map[string]port{}, networks: map[string]string{}}
	for _, p := range ports {
		w.byDevice[p.Device] = append(w.byDevice[p.Device], p)
		w.byID[p.ID] = p
	}
	below := w.below()
	missing := slices.DeleteFunc(slices.Clone(below), func(id string) bool { return w.byID[id].ID != "" })
	more, err := byID(missing, func(query url.Values) ([]port, error) {
		query["fields"] = addressFields
		return d.ports(ctx, query)
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
	networks, err := byID(ids, func(query url.Values) ([]network, error) {
		query["fields"] = []string{"id", "name"}
		return api.ListAll[network](ctx, d.Network, "networks", "networks", query)
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
		if p.Trunk != nil && p.machine() != "" {
			for _, sub := range p.Trunk.SubPorts {
				ids = append(ids, sub.ID)
			}
		}
	}
	return ids
}

// byID lists objects by their ids, some at a time.
func byID[T any](ids []string, read func(url.Values) ([]T, error)) ([]T, error) {
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
