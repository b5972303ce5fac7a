package sim

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
)

// ListRoutes implements cloud.Routes.
func (d *Driver) ListRoutes(ctx context.Context, owner cloud.Owner) ([]cloud.Route, error) {
	listed, err := d.client.Routes(ctx, map[string]string{labelCluster: owner.Cluster})
	if err != nil {
		return nil, fmt.Errorf("listing routes: %w", err)
	}
	routes := []cloud.Route{}
	for _, r := range listed {
		destination, err := netip.ParsePrefix(r.Destination)
		if err != nil {
			return nil, fmt.Errorf("listing routes: %s: %w", r.ID, err)
		}
		routes = append(routes, cloud.Route{
			Name: r.ID, Destination: destination, Target: cloud.InstanceID(r.Machine), Blackhole: r.Blackhole,
		})
	}
	return routes, nil
}

// CreateRoute implements cloud.Routes. There can be one route per destination: a second
// one is a conflict.
func (d *Driver) CreateRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	_, err := d.client.CreateRoute(ctx, world.RouteSpec{
		Destination: route.Destination.Masked().String(), Machine: string(route.Target), Labels: ownerLabels(owner),
	})
	if err != nil {
		return fmt.Errorf("creating route to %s: %w", route.Destination, err)
	}
	return nil
}

// DeleteRoute implements cloud.Routes.
func (d *Driver) DeleteRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	if err := d.client.DeleteRoute(ctx, route.Name); err != nil && !d.absent(err) {
		return fmt.Errorf("deleting route to %s: %w", route.Destination, err)
	}
	return nil
}
