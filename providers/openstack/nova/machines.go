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

var _ cloud.Instances = (*Machines)(nil)

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
