package run

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

type routes struct {
	*caller
	next cloud.Routes
}

var _ cloud.Routes = (*routes)(nil)

func (r *routes) ListRoutes(ctx context.Context, owner cloud.Owner) ([]cloud.Route, error) {
	return call(ctx, r.caller, opListRoutes, func(ctx context.Context) ([]cloud.Route, error) {
		return r.next.ListRoutes(ctx, owner)
	})
}

func (r *routes) CreateRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	return run(ctx, r.caller, opCreateRoute, func(ctx context.Context) error {
		return r.next.CreateRoute(ctx, owner, route)
	})
}

func (r *routes) DeleteRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	return run(ctx, r.caller, opDeleteRoute, func(ctx context.Context) error {
		return r.next.DeleteRoute(ctx, owner, route)
	})
}
