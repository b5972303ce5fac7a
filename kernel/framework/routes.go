package framework

import (
	"context"
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/route"
)

// routing manages routes; *route.Manager does.
type routing interface {
	List(ctx context.Context) ([]route.Route, error)
	Create(ctx context.Context, node string, destination netip.Prefix) error
	Delete(ctx context.Context, r route.Route) error
}

// routes adapts the routes to the route controller.
type routes struct {
	routing routing
	gate    *drain
	// retry asks for another pass.
	retry func()
	// plans are told of each look; nil is possible.
	plans *planPrinter
}

var _ cloudprovider.Routes = (*routes)(nil)

// ListRoutes returns the routes that may be deleted.
func (r *routes) ListRoutes(ctx context.Context, _ string) ([]*cloudprovider.Route, error) {
	r.plans.round("routes")
	list, err := track(ctx, r.gate, cloud.PriorityRefresh, r.routing.List)
	if err != nil {
		return nil, err
	}
	found := make([]*cloudprovider.Route, 0, len(list))
	for _, one := range list {
		found = append(found, &cloudprovider.Route{
			Name:            one.Name,
			TargetNode:      types.NodeName(one.Node),
			DestinationCIDR: one.Destination.String(),
			Blackhole:       one.Blackhole,
		})
	}
	return found, nil
}

// CreateRoute sends a pod network to a Node.
func (r *routes) CreateRoute(ctx context.Context, _ string, _ string, wanted *cloudprovider.Route) error {
	return r.change(ctx, wanted, func(ctx context.Context, destination netip.Prefix) error {
		return r.routing.Create(ctx, string(wanted.TargetNode), destination)
	})
}

// DeleteRoute deletes a route that ListRoutes returned.
func (r *routes) DeleteRoute(ctx context.Context, _ string, unwanted *cloudprovider.Route) error {
	return r.change(ctx, unwanted, func(ctx context.Context, destination netip.Prefix) error {
		return r.routing.Delete(ctx, route.Route{
			Name:        unwanted.Name,
			Node:        string(unwanted.TargetNode),
			Destination: destination,
			Blackhole:   unwanted.Blackhole,
		})
	})
}

// change makes one change. Where the controller works on events it forgets a failed one.
func (r *routes) change(ctx context.Context, of *cloudprovider.Route, do func(context.Context, netip.Prefix) error) error {
	destination, err := netip.ParsePrefix(of.DestinationCIDR)
	if err != nil {
		return fmt.Errorf("destination of route: %w", err)
	}
	_, err = track(ctx, r.gate, cloud.PriorityNodeInit, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, do(ctx, destination)
	})
	if err != nil {
		r.retry()
	}
	return err
}

// anotherPass makes the route controller reconcile: upstream takes an update without a
// difference for the periodic resync.
func anotherPass(h cache.ResourceEventHandler) { h.OnUpdate(anyNode, anyNode) }
