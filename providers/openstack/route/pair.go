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

// lacksPair says whether the port needs another pair to send and receive for a pod network. Ports without port security need none.
func (t *Table) lacksPair(p neutron.Port, pods netip.Prefix) bool {
	return t.extension[extensionPairs] && (p.Security == nil || *p.Security) &&
		!slices.ContainsFunc(p.Pairs, func(pair neutron.AddressPair) bool { return pair.Is(pods) })
}

// permit lets the port send and receive for a pod network.
func (t *Table) permit(ctx context.Context, p neutron.Port, pods netip.Prefix) error {
	if !t.lacksPair(p, pods) {
		return nil
	}
	return t.putPairs(ctx, p, append(slices.Clone(p.Pairs), neutron.AddressPair{Address: pods.String()}))
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
		if !p.Has(route.NextHop) {
			continue
		}
		if err := t.forbidAt(ctx, p, route.Destination); err != nil {
			return err
		}
	}
	return nil
}

// forbidAt takes the pod network back from a port.
func (t *Table) forbidAt(ctx context.Context, p neutron.Port, pods netip.Prefix) error {
	left := slices.DeleteFunc(slices.Clone(p.Pairs), func(pair neutron.AddressPair) bool { return pair.Is(pods) })
	if len(left) == len(p.Pairs) {
		return nil
	}
	return t.putPairs(ctx, p, left)
}

func (t *Table) putPairs(ctx context.Context, p neutron.Port, pairs []neutron.AddressPair) error {
	body := map[string]any{"allowed_address_pairs": pairs}
	if err := api.UpdateAt(ctx, t.network, p.Revision, "port", body, "ports", p.ID); err != nil {
		return fmt.Errorf("setting the allowed address pairs of port %s: %w", p.ID, err)
	}
	return nil
}
