package framework

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/dryrun"
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
	calls   *drain.Drain
	// retry asks for another pass.
	retry func()
	// pace lets passes begin, nil where upstream begins them by events.
	pace *pace
	// plans are told of each look; nil is possible.
	plans *dryrun.Printer
	// held are the names of Nodes without a route because the cloud is not asked for it, see route.Held.
	held sync.Map
	// waking are the destinations of which a pass is asked for when that is over.
	waking sync.Map
}

var _ cloudprovider.Routes = (*routes)(nil)

// ListRoutes returns the routes that may be deleted. Each pass begins with it.
func (r *routes) ListRoutes(ctx context.Context, _ string) ([]*cloudprovider.Route, error) {
	if r.pace.wait(ctx) != nil {
		runtime.Goexit() // of an error upstream would log that the routes could not be reconciled, although the process only stops
	}
	r.plans.Round("routes")
	list, err := drain.Track(ctx, r.calls, cloud.PriorityRefresh, r.routing.List)
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
		err := r.routing.Create(ctx, string(wanted.TargetNode), destination)
		if pause, held := route.Held(err); held {
			r.held.Store(string(wanted.TargetNode), true)
			r.wake(destination, pause)
		} else {
			r.held.Delete(string(wanted.TargetNode))
		}
		return err
	})
}

// DeleteRoute deletes a route that ListRoutes returned.
func (r *routes) DeleteRoute(ctx context.Context, _ string, unwanted *cloudprovider.Route) error {
	return r.change(ctx, unwanted, func(ctx context.Context, destination netip.Prefix) error {
		err := r.routing.Delete(ctx, route.Route{
			Name:        unwanted.Name,
			Node:        string(unwanted.TargetNode),
			Destination: destination,
			Blackhole:   unwanted.Blackhole,
		})
		if err == nil {
			r.held.Range(func(any, any) bool { // there is room for one of them
				r.held.Clear()
				r.retry()
				return false
			})
		}
		return err
	})
}

// quiet reports whether an event says with the time of each attempt what route.Manager said once.
func (r *routes) quiet(event *corev1.Event) bool {
	if r == nil || event.Reason != "FailedToCreateRoute" {
		return false
	}
	_, held := r.held.Load(event.InvolvedObject.Name)
	return held
}

// wake asks for a pass after the pause of a refusal. Without a pause something else has to change first, which is an event.
func (r *routes) wake(destination netip.Prefix, pause time.Duration) {
	if pause == 0 {
		return
	}
	if _, waking := r.waking.LoadOrStore(destination, true); !waking {
		time.AfterFunc(pause, func() {
			r.waking.Delete(destination)
			r.retry()
		})
	}
}

// change makes one change. Where the controller works on events it forgets a failed one. Of what the cloud is not asked for
// another attempt is of no use.
func (r *routes) change(ctx context.Context, of *cloudprovider.Route, do func(context.Context, netip.Prefix) error) error {
	destination, err := netip.ParsePrefix(of.DestinationCIDR)
	if err != nil {
		return fmt.Errorf("destination of route: %w", err)
	}
	err = drain.Do(ctx, r.calls, cloud.PriorityNodeInit, func(ctx context.Context) error { return do(ctx, destination) })
	if _, held := route.Held(err); err != nil && !held {
		r.retry()
	}
	if advice := cloud.Advice(err); err != nil && advice != "" {
		return fmt.Errorf("%w; %s", err, advice)
	}
	return err
}
