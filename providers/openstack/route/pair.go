package route

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// permit lets the port send and receive for a pod network, and reports whether that took a new
// pair. Ports without port security may.
func (t *Table) permit(ctx context.Context, p neutron.Port, pods netip.Prefix) (made bool, err error) {
	if !t.extension[extensionPairs] || p.Security != nil && !*p.Security ||
		slices.ContainsFunc(p.Pairs, func(pair neutron.AddressPair) bool { return pair.Is(pods) }) {
		return false, nil
	}
	err = t.putPairs(ctx, p, append(slices.Clone(p.Pairs), neutron.AddressPair{Address: pods.String()}))
	return err == nil, err
}

// forbid takes the pod network back from whatever port has the address the route leads to,
// also when the machine is gone and left the port behind.
func (t *Table) forbid(ctx context.Context, route extraRoute) error {
	if !t.extension[extensionPairs] {
		return nil
	}
	// Two clusters may use the same addresses on networks of their own.
	links, err := t.links(ctx)
	if err != nil || len(links) == 0 {
		return err
	}
	ports, err := neutron.Ports(ctx, t.network, url.Values{"network_id": links, "fixed_ips": {"ip_address=" + route.NextHop.String()}})
	if err != nil {
		return fmt.Errorf("listing ports with address %s: %w", route.NextHop, err)
	}
	for _, p := range ports {
		left := slices.DeleteFunc(slices.Clone(p.Pairs), func(pair neutron.AddressPair) bool { return pair.Is(route.Destination) })
		if len(left) == len(p.Pairs) || !p.Has(route.NextHop) {
			continue
		}
		if err := t.putPairs(ctx, p, left); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) putPairs(ctx context.Context, p neutron.Port, pairs []neutron.AddressPair) error {
	body := map[string]any{"allowed_address_pairs": pairs}
	if err := api.UpdateAt(ctx, t.network, p.Revision, "port", body, "ports", p.ID); err != nil {
		return fmt.Errorf("setting the allowed address pairs of port %s: %w", p.ID, err)
	}
	return nil
}
