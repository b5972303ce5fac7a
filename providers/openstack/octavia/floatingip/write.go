package floatingip

import (
	"cmp"
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// KindFloatingIP is the name of the kind of resources.
const KindFloatingIP = "floating IP"

// Kind is that of floating IPs.
func (m *Manager) Kind() cloud.ResourceKind {
	return cloud.ResourceKind{Name: KindFloatingIP, Create: m.Create, Update: m.update, Delete: m.remove}
}

// native is what a floating IP is for: made is the balancer of the spec that is made in the same change, nil where none is.
type native struct {
	spec cloud.Spec
	made *object.Snapshot
}

// body returns these fields with the port of the balancer, which its creation has told. At another one, such as of IPv6, whether there is
// to be a floating IP is known after a look.
func (n native) body(fields map[string]any) (map[string]any, error) {
	body := api.ForCreation(fields)
	if n.made != nil {
		if body["port_id"] = n.made.LB.Port; n.made.LB.Port == "" || neutron.IsIPv6(n.made.LB.Address) {
			return nil, &cloud.Waiting{}
		}
	}
	return body, nil
}

// attached notes the floating IP of the balancer that is made.
func (n native) attached(ip object.FloatingIP, err error) {
	if n.made != nil && err == nil {
		n.made.Floating = &ip
	}
}

// newFloatingIP is a floating IP at a port, with an address if that is not "".
func (m *Manager) newFloatingIP(port string, spec cloud.Spec, address string) cloud.Resource {
	return cloud.Resource{
		Kind: KindFloatingIP, Key: cmp.Or(address, "of "+spec.Ref.Owner.String()), Native: native{spec: spec}, Fields: map[string]any{
			"floating_network_id": m.Rules.FloatingNetwork(spec), "port_id": port, "description": m.Rules.Marks.FloatingDescription(spec.Ref.Owner),
			"floating_ip_address": address,
		},
	}
}

// Create makes a floating IP: where its address was not chosen, in the first subnet that
// has room. For a new balancer it is known already from where it is taken.
func (m *Manager) Create(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	n, _ := wanted.Native.(native)
	subnets := []string{""}
	if wanted.Fields["floating_ip_address"] == "" {
		if err := m.checked(ctx, n); err != nil {
			return "", err
		}
		var err error
		if subnets, err = m.Checker.FloatingSubnets(ctx, n.spec); err != nil {
			return "", err
		}
	}
	body, err := n.body(wanted.Fields)
	if err != nil {
		return "", err
	}
	for _, subnet := range subnets {
		if subnet != "" {
			body["subnet_id"] = subnet
		}
		var answer map[string]object.FloatingIP
		_, err = m.Network.Post(ctx, m.Network.ServiceURL("floatingips"), map[string]any{"floatingip": body}, &answer, api.Changed())
		switch api.Classify(err).Class {
		case cloud.FailureConflict, cloud.FailureInvalid, cloud.FailureQuota: // such as a subnet that is full
		default:
			n.attached(answer["floatingip"], err)
			return "", err
		}
	}
	return "", err
}

// checked looks at where the floating IP is taken from, as is done before a balancer is made.
func (m *Manager) checked(ctx context.Context, n native) error {
	if n.made != nil {
		return nil
	}
	return m.Checker.Floating(ctx, n.spec)
}

// update writes port and description. Only an explicit null detaches it.
func (m *Manager) update(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	n, _ := wanted.Native.(native)
	body, err := n.body(api.Chosen(wanted.Fields, append(fields, "port_id")))
	if err != nil {
		return err
	}
	if _, attaches := body["port_id"]; !attaches {
		body["port_id"] = nil
	}
	var answer map[string]object.FloatingIP
	_, err = m.Network.Put(ctx, m.Network.ServiceURL("floatingips", present.ID), map[string]any{"floatingip": body}, &answer, api.Changed())
	n.attached(answer["floatingip"], err)
	return err
}

func (m *Manager) remove(ctx context.Context, present cloud.Resource) error {
	return api.Remove(ctx, m.Network, "floatingips", present.ID)
}
