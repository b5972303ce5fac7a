package sim

import (
	"context"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// ListRoutes implements cloud.Routes.
func (d *Driver) ListRoutes(ctx context.Context, owner cloud.Owner) ([]cloud.Route, error) {
	listed, err := d.client.Routes(ctx, ownershipTags.Cluster(owner.Cluster))
	if err != nil {
		return nil, fmt.Errorf("listing routes: %w", err)
	}
	routes := []cloud.Route{}
	for _, r := range listed {
		routes = append(routes, cloud.Route{Name: r.ID, Destination: r.Destination, Target: cloud.InstanceID(r.Machine), Blackhole: r.Blackhole})
	}
	return routes, nil
}

// CreateRoute implements cloud.Routes. There can be one route per destination: a second
// one is a conflict.
func (d *Driver) CreateRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	spec := api.RouteSpec{Destination: route.Destination, Machine: string(route.Target), Labels: ownershipTags.Of(owner)}
	made, err := d.client.CreateRoute(ctx, spec)
	if err != nil {
		return fmt.Errorf("creating route to %s: %w", route.Destination, err)
	}
	return cloud.GoesOn(made.Operations...)
}

// DeleteRoute implements cloud.Routes.
func (d *Driver) DeleteRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	left, err := d.client.DeleteRoute(ctx, route.Name)
	if err != nil && !api.IsNotFound(err) {
		return fmt.Errorf("deleting route to %s: %w", route.Destination, err)
	}
	return cloud.GoesOn(left.Operations...)
}
