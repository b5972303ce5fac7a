package framework

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/api"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

// balancers manages load balancers; *loadbalancer.Manager does.
type balancers interface {
	Ensure(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (loadbalancer.Outcome, error)
	UpdateTargets(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) error
	Delete(ctx context.Context, svc *corev1.Service) error
	Get(ctx context.Context, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error)
	Name(svc *corev1.Service) string
}

// services are the Services as the service controller sees them; *view.Services does.
type services interface {
	Current(svc *corev1.Service) *corev1.Service
	Enqueue(svc *corev1.Service)
}

// loadBalancers adapts the balancers to the service controller.
type loadBalancers struct {
	balancers  balancers
	services   services
	gate       *drain
	pending    *pending
	alarms     alarms
	watch      *watch
	departures *deletions
	record     func(ctx context.Context, svc *corev1.Service, annotations map[string]string) error
	// planOnly says that nothing is changed, so that nothing is to be reported as done.
	planOnly bool
	// plans are told of each look; nil is possible.
	plans *planPrinter
}

var _ cloudprovider.LoadBalancer = (*loadBalancers)(nil)

// GetLoadBalancer is asked before a deletion: "does not exist" drops the finalizer.
func (l *loadBalancers) GetLoadBalancer(ctx context.Context, _ string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	if begun, gone := l.departures.state(svc.UID); gone {
		return nil, false, nil
	} else if begun && isDeleting(svc) {
		return nil, false, api.NewRetryError("the load balancer is being deleted", unwatched)
	}
	type answer struct {
		status *corev1.LoadBalancerStatus
		exists bool
	}
	got, err := track(ctx, l.gate, cloud.PriorityBalancer, func(ctx context.Context) (a answer, err error) {
		a.status, a.exists, err = l.balancers.Get(ctx, svc)
		return a, err
	})
	l.soon(svc, err)
	return got.status, got.exists, outward(err)
}

// Hold implements [view.Follower].
func (l *loadBalancers) Hold(svc *corev1.Service) bool { return l.departures.hold(svc) }

// Forget implements [view.Follower]. It drops what is known of a Service that is gone.
func (l *loadBalancers) Forget(uid types.UID) {
	l.departures.forget(uid)
	l.watch.forget(uid)
}

// GetLoadBalancerName returns the name upstream would give the balancer.
func (l *loadBalancers) GetLoadBalancerName(_ context.Context, _ string, svc *corev1.Service) string {
	return l.balancers.Name(svc)
}

// EnsureLoadBalancer makes the balancer what the Service asks for, or begins to: what the cloud is
// still busy with is looked at again by watch.
func (l *loadBalancers) EnsureLoadBalancer(ctx context.Context, _ string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	l.departures.forget(svc.UID)
	outcome, err, known := l.watch.take(svc, nodes)
	if known {
		l.overtaken(svc) //nolint:contextcheck // it looks when this call has ended
	} else {
		outcome, err = l.ensure(ctx, svc, nodes)
	}
	l.pending.set(svc.UID, waiting(err))
	switch {
	case err != nil:
		return nil, l.watched(svc, err) //nolint:contextcheck // it looks when this call has ended
	case outcome.Again > 0:
		l.watch.in(outcome.Again, svc)
	default:
		l.watch.end(svc.UID)
	}
	if l.planOnly {
		klog.InfoS("Planned the load balancer, and changed nothing", "service", klog.KObj(svc))
		// Upstream would report an ensured balancer; this error it takes for an answer.
		return nil, cloudprovider.ImplementedElsewhere
	}
	if outcome.Status == nil {
		return svc.Status.LoadBalancer.DeepCopy(), nil
	}
	return outcome.Status, nil
}

func (l *loadBalancers) ensure(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (loadbalancer.Outcome, error) {
	defer l.overtaken(svc) //nolint:contextcheck // it looks when this call has ended
	l.plans.round("Service " + svc.Namespace + "/" + svc.Name)
	return track(ctx, l.gate, cloud.PriorityBalancer, func(ctx context.Context) (loadbalancer.Outcome, error) {
		outcome, err := l.balancers.Ensure(ctx, svc, nodes)
		if recorded := l.record(ctx, svc, outcome.Record); err == nil {
			err = recorded
		}
		return outcome, err
	})
}

// overtaken has the balancer deleted, after an ensure, when its Service gave it up meanwhile or
// before: the ensure worked on an older copy.
func (l *loadBalancers) overtaken(svc *corev1.Service) {
	if current := l.services.Current(svc); current != nil && isDeleting(current) {
		l.departures.again(current)
	}
}

// watched has a pending Service watched and returns the error as the controller shall see it: it
// need not look again by itself.
func (l *loadBalancers) watched(svc *corev1.Service, err error) error {
	if pending, ok := errors.AsType[*loadbalancer.Pending](err); ok {
		l.watch.when(pending, svc)
		return api.NewRetryError(forEvents(err).Error(), unwatched)
	}
	l.watch.end(svc.UID)
	return forEvents(err)
}

// UpdateLoadBalancer makes the Nodes the balancer's targets. The controller has kept the
// Service since its last ensure; the present one may say more.
//
//	the change                              the controller
//	is made                                 says so
//	is accepted, or waits for another one   is told that it is made; watch says so when it is,
//	                                        and which failure it waits for
//	fails                                   ensures the Service
//	has no balancer to be made on           the Service is ensured: it may have waited for a node
func (l *loadBalancers) UpdateLoadBalancer(ctx context.Context, _ string, svc *corev1.Service, nodes []*corev1.Node) error {
	if current := l.services.Current(svc); current != nil {
		svc = current
	}
	_, err := track(ctx, l.gate, cloud.PriorityBalancer, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, l.balancers.UpdateTargets(ctx, svc, nodes)
	})
	pending, busy := errors.AsType[*loadbalancer.Pending](err)
	l.pending.set(svc.UID, busy)
	switch {
	case errors.Is(err, loadbalancer.ErrNoBalancer):
		l.services.Enqueue(svc)
		return nil
	case busy:
		l.watch.tell(svc, pending)
		l.watch.when(pending, svc) //nolint:contextcheck // it looks when this call has ended
		return nil
	}
	return forEvents(err)
}

// EnsureLoadBalancerDeleted deletes the balancer, or begins to.
func (l *loadBalancers) EnsureLoadBalancerDeleted(ctx context.Context, _ string, svc *corev1.Service) error {
	err := l.delete(ctx, svc)
	l.pending.set(svc.UID, waiting(err))
	l.soon(svc, err)
	return outward(err)
}

func (l *loadBalancers) delete(ctx context.Context, svc *corev1.Service) error {
	_, err := track(ctx, l.gate, cloud.PriorityBalancer, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, l.balancers.Delete(ctx, svc)
	})
	return err
}

// soon has the Service looked at again when the cloud should be done. The controller loses
// the kind of errors on its way to deletion and would wait longer each time.
func (l *loadBalancers) soon(svc *corev1.Service, err error) {
	pending, ok := errors.AsType[*loadbalancer.Pending](err)
	if !ok {
		return
	}
	l.alarms.when(pending, svc.UID, func() {
		if current := l.services.Current(svc); current != nil {
			l.services.Enqueue(current)
		}
	})
}

// outward gives an error the form the controller understands:
//
//	kind          form                      effect
//	pending       *api.RetryError           again after exactly that time
//	any other     as it is                  again after 5 s, doubling to 5 min
//
// Nothing here is implemented elsewhere, the sentinel that must not be wrapped.
func outward(err error) error {
	if pending, ok := errors.AsType[*loadbalancer.Pending](err); ok {
		return api.NewRetryError(forEvents(err).Error(), pending.After)
	}
	return forEvents(err)
}

// waiting reports whether the error only says that the cloud is busy.
func waiting(err error) bool {
	pending, ok := errors.AsType[*loadbalancer.Pending](err)
	return ok && pending.Err == nil
}
