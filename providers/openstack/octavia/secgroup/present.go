package secgroup

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// addPresent adds a group and the ports that have it. Before it is deleted it is taken from all of them, not only from those of machines.
func (m *Manager) addPresent(ctx context.Context, r *cloud.Resources, s *object.Snapshot, group cloud.Resource, goes bool) (err error) {
	ports := s.Security.Ports
	if goes {
		if ports, err = neutron.Ports(ctx, m.Network, url.Values{"security_groups": {group.ID}}); err != nil {
			return fmt.Errorf("listing the ports of security group %s: %w", group.ID, err)
		}
	}
	r.Present = append(r.Present, group)
	for _, p := range ports {
		if slices.Contains(p.Groups, group.ID) {
			r.Present = append(r.Present, membership(group, p))
		}
	}
	return nil
}

// membership is that of a port in a group.
func membership(group cloud.Resource, p neutron.Port) cloud.Resource {
	return cloud.Resource{Kind: kindMembership, Key: p.ID + " in " + group.Key, Native: nativePort.Seal(p), Fields: cloud.FieldsOf(fieldGroup.Is(cloud.To(group.Ref())))}
}
