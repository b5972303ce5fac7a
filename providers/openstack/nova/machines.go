// Package nova shows the servers of Nova as machines, with the addresses of their ports.
package nova

import (
	"context"
	"fmt"
	"net/url"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// Scheme is the scheme of provider-IDs.
const Scheme = "openstack"

// Machines are the servers of a project.
type Machines struct {
	compute, network *gophercloud.ServiceClient
	settings         Settings
}

// Settings are those of the configuration that are about machines.
type Settings struct {
	Region string
	// Regional says to write the region into provider-IDs.
	Regional   bool
	Networking config.Networking
}

// New returns the servers that the clients of Nova and Neutron show.
func New(compute, network *gophercloud.ServiceClient, settings Settings) *Machines {
	return &Machines{compute: compute, network: network, settings: settings}
}

// Addresses returns the addresses of a server and its ports; found is false where there certainly is no
// such server.
func (m *Machines) Addresses(ctx context.Context, id string) (all []cloud.Address, ports []neutron.Port, found bool, err error) {
	s, err := m.getServer(ctx, id)
	if err != nil {
		return nil, nil, false, fmt.Errorf("reading server %s: %w", id, err)
	}
	if s == nil {
		return nil, nil, false, nil
	}
	if ports, err = neutron.Ports(ctx, m.network, url.Values{"device_id": {id}}); err != nil {
		return nil, nil, false, fmt.Errorf("listing ports of server %s: %w", id, err)
	}
	w, err := m.wire(ctx, ports)
	if err != nil {
		return nil, nil, false, err
	}
	return networking(m.settings.Networking).addresses(s, w), ports, true, nil
}

// List implements cloud.Instances: the servers of the project, with two requests for a
// thousand of them. Complete is false when a part of the cloud does not answer.
func (m *Machines) List(ctx context.Context) (cloud.InstanceList, error) {
	servers, err := m.servers(ctx, nil)
	if err != nil {
		return cloud.InstanceList{}, fmt.Errorf("listing servers: %w", err)
	}
	list := cloud.InstanceList{Complete: true}
	known := servers[:0]
	for _, s := range servers {
		if s.Status == statusUnknown {
			list.Complete = false
			continue
		}
		known = append(known, s)
	}
	if len(known) == 0 {
		return list, nil
	}
	// Administrators see the ports of all projects.
	list.Items, err = m.describe(ctx, known, url.Values{"project_id": {known[0].Project}})
	return list, err
}

// Get implements cloud.Instances.
func (m *Machines) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return cloud.GetEach(ids, func(id cloud.InstanceID) (cloud.Instance, error) {
		s, err := m.getServer(ctx, string(id))
		if err != nil {
			return cloud.Instance{}, fmt.Errorf("reading server %s: %w", id, err)
		}
		if s == nil {
			return cloud.Instance{}, nil
		}
		described, err := m.describe(ctx, []server{*s}, url.Values{"device_id": {s.ID}})
		if err != nil {
			return cloud.Instance{}, err
		}
		return described[0], nil
	})
}

// FindByName implements cloud.Instances. Like upstream on MySQL it ignores case, because
// kubelets give their Node the host name in lower case, unless a server has exactly that name.
func (m *Machines) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	named, err := m.namedLike(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("listing servers by name: %w", err)
	}
	if len(named) == 0 {
		return nil, nil
	}
	query := url.Values{}
	for _, s := range named {
		query.Add("device_id", s.ID)
	}
	return m.describe(ctx, named, query)
}

// describe makes instances of servers, whose ports the query finds.
func (m *Machines) describe(ctx context.Context, servers []server, query url.Values) ([]cloud.Instance, error) {
	query["fields"] = neutron.AddressFields
	ports, err := neutron.Ports(ctx, m.network, query)
	if err != nil {
		return nil, fmt.Errorf("listing ports of servers: %w", err)
	}
	wiring, err := m.wire(ctx, ports)
	if err != nil {
		return nil, err
	}
	types := flavors{client: m.compute}
	instances := make([]cloud.Instance, len(servers))
	for i := range servers {
		if instances[i], err = m.instance(ctx, &servers[i], wiring, &types); err != nil {
			return nil, err
		}
	}
	return instances, nil
}

func (m *Machines) instance(ctx context.Context, s *server, w topology, types *flavors) (cloud.Instance, error) {
	size, err := types.instanceType(ctx, s.Flavor)
	if err != nil {
		return cloud.Instance{}, err
	}
	return cloud.Instance{
		ID:         cloud.InstanceID(s.ID),
		ProviderID: m.providerID(s.ID),
		Name:       s.Name,
		Type:       size,
		Region:     m.settings.Region,
		Zone:       cloud.LabelValue(s.Zone),
		State:      state(s.Status),
		Addresses:  networking(m.settings.Networking).addresses(s, w),
	}, nil
}
