package floatingip

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// KindFloatingIP is the name of the kind of resources.
const KindFloatingIP = "floating IP"

// The fields of a floating IP, by their names in Neutron.
var (
	fieldPort        = cloud.NewField[cloud.Reference]("port_id")
	fieldDescription = cloud.NewField[string]("description")
	fieldNetwork     = cloud.NewField[string]("floating_network_id")
	fieldAddress     = cloud.NewField[string]("floating_ip_address")
)

// nativeInput says for what a floating IP is made.
var nativeInput cloud.NativeOf[cloud.Input]

// Kind is that of floating IPs.
func (m *Manager) Kind() cloud.ResourceKind {
	return cloud.ResourceKind{Name: KindFloatingIP, Update: m.update, Delete: m.remove, Create: m.Create}
}

// Create makes a floating IP: where its address was not chosen, in the first subnet that
// has room.
func (m *Manager) Create(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	in := nativeInput.Open(wanted.Native)
	subnets := []string{""}
	if fieldAddress.Of(wanted) == "" {
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
	body := wanted.Fields.Only(append(fields, fieldPort.Name())...)
	if fieldPort.Of(wanted) == (cloud.Reference{}) {
		body = body.With(fieldPort.Is(cloud.Reference{}).Cleared())
	}
	return api.Update(ctx, m.Network, "floatingip", body, "floatingips", present.ID)
}

func (m *Manager) remove(ctx context.Context, present cloud.Resource) error {
	return api.Remove(ctx, m.Network, "floatingips", present.ID)
}
