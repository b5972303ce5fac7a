package floatingip

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// KindFloatingIP is the name of the kind of resources.
const KindFloatingIP = "floating IP"

// Kind is that of floating IPs.
func (m *Manager) Kind() cloud.ResourceKind {
	return cloud.ResourceKind{Name: KindFloatingIP, Update: m.update, Delete: m.remove, Create: m.Create}
}

// Create makes a floating IP: where its address was not chosen, in the first subnet that
// has room.
func (m *Manager) Create(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	in, _ := wanted.Native.(cloud.Input)
	subnets := []string{""}
	if wanted.Fields["floating_ip_address"] == "" {
		if err := m.Checker.Floating(ctx, in); err != nil {
			return "", err
		}
		var err error
		if subnets, err = m.Checker.FloatingSubnets(ctx, in); err != nil {
			return "", err
		}
	}
	var err error
	for _, subnet := range subnets {
		body := api.ForCreation(wanted.Fields)
		if subnet != "" {
			body["subnet_id"] = subnet
		}
		err = api.Post(ctx, m.Network, "floatingip", body, nil, "floatingips")
		switch api.Classify(err).Class {
		case cloud.FailureConflict, cloud.FailureInvalid, cloud.FailureQuota: // such as a subnet that is full
		default:
			return "", err
		}
	}
	return "", err
}

// update writes port and description. Only an explicit null detaches it.
func (m *Manager) update(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	body := api.Chosen(wanted.Fields, append(fields, "port_id"))
	if body["port_id"] == "" {
		body["port_id"] = nil
	}
	return api.Update(ctx, m.Network, "floatingip", body, "floatingips", present.ID)
}

func (m *Manager) remove(ctx context.Context, present cloud.Resource) error {
	return api.Remove(ctx, m.Network, "floatingips", present.ID)
}
