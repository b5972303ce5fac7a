package nova

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

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
