package framework

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/api"

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

// services are the Services as the service controller sees them; *serviceView does.
type services interface {
	Current(svc *corev1.Service) *corev1.Service
	Enqueue(svc *corev1.Service)
}

// loadBalancers adapts the balancers to the service controller.
type loadBalancers struct {
	balancers balancers
	services  services
	gate      *gate
	pending   *pending
	alarms    alarms
	record    func(ctx context.Context, svc *corev1.Service, annotations map[string]string) error
}

var _ cloudprovider.LoadBalancer = (*loadBalancers)(nil)

// GetLoadBalancer is asked before a deletion: "does not exist" drops the finalizer.
func (l *loadBalancers) GetLoadBalancer(ctx context.Context, _ string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	type answer struct {
		status *corev1.LoadBalancerStatus
		exists bool
	}
	got, err := through(ctx, l.gate, cloud.PriorityBalancer, func(ctx context.Context) (a answer, err error) {
		a.status, a.exists, err = l.balancers.Get(ctx, svc)
		return a, err
	})
	l.soon(svc, err)
	return got.status, got.exists, outward(err)
}

// GetLoadBalancerName returns the name upstream would give the balancer.
func (l *loadBalancers) GetLoadBalancerName(_ context.Context, _ string, svc *corev1.Service) string {
	return l.balancers.Name(svc)
}

// EnsureLoadBalancer makes the balancer what the Service asks for.
func (l *loadBalancers) EnsureLoadBalancer(ctx context.Context, _ string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	outcome, err := through(ctx, l.gate, cloud.PriorityBalancer, func(ctx context.Context) (loadbalancer.Outcome, error) {
		outcome, err := l.balancers.Ensure(ctx, svc, nodes)
		if err != nil {
			return outcome, err
		}
		return outcome, l.record(ctx, svc, outcome.Record)
	})
	l.pending.set(svc.UID, waiting(err))
	if err != nil {
		return nil, outward(err)
	}
	if outcome.Status == nil {
		return svc.Status.LoadBalancer.DeepCopy(), nil
	}
	return outcome.Status, nil
}

// UpdateLoadBalancer makes the Nodes the balancer's targets. The controller has kept the
// Service since its last ensure; the present one may say more.
func (l *loadBalancers) UpdateLoadBalancer(ctx context.Context, _ string, svc *corev1.Service, nodes []*corev1.Node) error {
	if current := l.services.Current(svc); current != nil {
		svc = current
	}
	_, err := through(ctx, l.gate, cloud.PriorityBalancer, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, l.balancers.UpdateTargets(ctx, svc, nodes)
	})
	l.pending.set(svc.UID, waiting(err))
	return outward(err)
}

// EnsureLoadBalancerDeleted deletes the balancer, or begins to.
func (l *loadBalancers) EnsureLoadBalancerDeleted(ctx context.Context, _ string, svc *corev1.Service) error {
	_, err := through(ctx, l.gate, cloud.PriorityBalancer, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, l.balancers.Delete(ctx, svc)
	})
	l.pending.set(svc.UID, waiting(err))
	l.soon(svc, err)
	return outward(err)
}

// soon has the Service looked at again when the cloud should be done. The controller loses
// the kind of errors on its way to deletion and would wait longer each time.
func (l *loadBalancers) soon(svc *corev1.Service, err error) {
	pending, ok := errors.AsType[*loadbalancer.Pending](err)
	if !ok {
		return
	}
	l.alarms.in(pending.After, svc.UID, func() {
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
		return api.NewRetryError(err.Error(), pending.After)
	}
	return err
}

// waiting reports whether the error only says that the cloud is busy.
func waiting(err error) bool {
	pending, ok := errors.AsType[*loadbalancer.Pending](err)
	return ok && pending.Err == nil
}
