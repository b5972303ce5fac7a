// Package floatingip finds, makes and moves the floating IPs of load balancers.
package floatingip

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/check"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Manager are those of load balancers.
type Manager struct {
	Network *gophercloud.ServiceClient
	Rules   *desired.Rules
	Reader  *object.Reader
	Checker *check.Checker
}

// Find finds the floating IP at the balancer's port. Where one is wanted and there is
// none, it looks for one that is left of a balancer of this Service that is gone.
func (m *Manager) Find(ctx context.Context, s *object.Snapshot, from *object.BulkList, in cloud.Input) (err error) {
	if s.LB.Port != "" {
		var ips []object.FloatingIP
		ips, err = m.floatingOf(ctx, from, url.Values{"port_id": {s.LB.Port}})
		if at := slices.IndexFunc(ips, func(ip object.FloatingIP) bool { return ip.Port == s.LB.Port }); at >= 0 {
			s.Floating = &ips[at]
		}
	}
	unwanted := s.LB.ID != "" && (m.Rules.PlaceOf(in).Internal || neutron.IsIPv6(s.LB.Address))
	if err != nil || s.Floating != nil || unwanted {
		return err
	}
	made, err := m.floatingOf(ctx, from, url.Values{"description": m.Rules.OwnershipTags.OwnDescriptions(tag.FloatingIP, in.Owner)})
	for i, ip := range made {
		switch {
		case !ownership.IsCertain(m.madeFor(&ip, s, in), in.Owner):
		case ip.Port == "":
			s.Free = &made[i]
			return err
		case s.LB.ID != "" && !in.Deleting:
			s.OnOtherPort = &made[i]
		}
	}
	return err
}

// floatingOf returns the floating IPs of the bulk list, or those the query leads to.
func (m *Manager) floatingOf(ctx context.Context, from *object.BulkList, query url.Values) ([]object.FloatingIP, error) {
	if from != nil {
		return from.Floating, nil
	}
	return m.Reader.FloatingIPs(ctx, query)
}

// FindNetwork returns the external network to use where none is configured: the first
// with a subnet that is IPv4 or that we are not shown; "" when there is none.
func (m *Manager) FindNetwork(ctx context.Context) (string, error) {
	networks, err := api.ListAll[neutron.External](ctx, m.Network, "networks", "networks", url.Values{"router:external": {"true"}})
	if err != nil {
		return "", fmt.Errorf("listing external networks: %w", err)
	}
	for _, n := range networks {
		subnets, err := api.ListAll[neutron.Subnet](ctx, m.Network, "subnets", "subnets", url.Values{"network_id": {n.ID}})
		if err != nil {
			return "", fmt.Errorf("listing the subnets of network %s: %w", n.ID, err)
		}
		hidden := len(subnets) < len(n.Subnets)
		if hidden || slices.ContainsFunc(subnets, func(s neutron.Subnet) bool { return s.Version == 4 }) {
			return n.ID, nil
		}
	}
	return "", nil
}
