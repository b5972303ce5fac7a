// Package balancer adapts load balancers to the service controller. What the cloud is still busy with is looked at here,
// not by the controller, which is shown results.
package balancer

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/api"
	servicehelper "k8s.io/cloud-provider/service/helpers"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/dryrun"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
)

// Manager manages load balancers; *loadbalancer.Manager does.
type Manager interface {
	Ensure(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (loadbalancer.Outcome, error)
	UpdateTargets(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) error
	Delete(ctx context.Context, svc *corev1.Service) error
	Get(ctx context.Context, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error)
	Holds(ctx context.Context, svc *corev1.Service) (bool, error)
	Name(svc *corev1.Service) string
}

// Services are the Services as the service controller sees them; *view.Services does.
type Services interface {
	Current(svc *corev1.Service) *corev1.Service
	// HandedOver returns the Service as it is now where it is another controller's, and nil where it is not.
	HandedOver(svc *corev1.Service) *corev1.Service
	Enqueue(svc *corev1.Service)
	// Recorded is told which annotations are about to be written on a Service.
	Recorded(svc *corev1.Service, annotations map[string]string)
}

// Options are what an adapter works with.
type Options struct {
	Manager  Manager
	Services Services
	// Nodes returns the Nodes that the controller hands to balancers.
	Nodes  func() []*corev1.Node
	Drain  *drain.Drain
	Events event.Recorder
	// Plans are told of each look at a Service; nil is possible.
	Plans *dryrun.Printer
	// PlanOnly says that nothing is changed, so that nothing is to be reported as done.
	PlanOnly bool
	// Workers are how many the service controller has. As many deletions run at once.
	Workers int
}

// Adapter adapts the balancers to the service controller.
type Adapter struct {
	Options
	pending   *pending
	alarms    alarms
	watch     *watch
	deletions *deletions
	proofs    *proofs
	workers   workers
	annotator *annotator
	// withdrawals are the Services whose status has to be written.
	withdrawals alarms
	record      func(ctx context.Context, svc *corev1.Service, annotations map[string]string) error
}

// New returns an adapter. Connect gives it a client before the controller is started.
func New(o Options) *Adapter {
	a := &Adapter{Options: o, pending: &pending{}, annotator: &annotator{before: o.Services.Recorded}}
	a.record = a.annotator.write
	a.watch = &watch{ensure: a.ensure, nodes: o.Nodes, services: o.Services, pending: a.pending, events: o.Events, results: map[types.UID]result{}}
	a.workers.all = o.Workers
	a.deletions = &deletions{
		delete: a.delete, services: o.Services, events: o.Events, begun: map[types.UID]*deletion{}, slots: make(chan struct{}, o.Workers),
	}
	a.proofs = &proofs{
		ask: a.holds, services: o.Services, found: a.deletions.forget, asked: map[types.UID]*proof{}, slots: make(chan struct{}, o.Workers),
	}
	return a
}

// Connect gives the adapter the client that it writes on Services with.
func (a *Adapter) Connect(client typedcorev1.ServicesGetter) { a.annotator.client = client }

// Record writes annotations on a Service.
func (a *Adapter) Record(ctx context.Context, svc *corev1.Service, annotations map[string]string) error {
	return a.record(ctx, svc, annotations)
}

// Deleting reports whether the balancer of a Service is being deleted.
func (a *Adapter) Deleting(uid types.UID) bool {
	begun, _ := a.deletions.state(uid)
	return begun
}

var _ cloudprovider.LoadBalancer = (*Adapter)(nil)

// GetLoadBalancer is asked before a deletion: "does not exist" drops the finalizer. The controller asks during a deletion
// too, where the Service was in its queue already. That it has to wait then is no failure, and gets no event.
func (a *Adapter) GetLoadBalancer(ctx context.Context, _ string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	if begun, gone := a.deletions.state(svc.UID); gone {
		return nil, false, nil
	} else if begun && request.IsDeleting(svc) {
		return nil, false, api.NewRetryError(deletionRuns, unwatched)
	}
	type answer struct {
		status *corev1.LoadBalancerStatus
		exists bool
	}
	got, err := drain.Track(ctx, a.Drain, cloud.PriorityChange, func(ctx context.Context) (got answer, err error) {
		got.status, got.exists, err = a.Manager.Get(ctx, svc)
		return got, err
	})
	a.soon(svc, err)
	return got.status, got.exists, outward(err)
}

// Hold implements [view.Follower].
func (a *Adapter) Hold(svc *corev1.Service) bool { return a.deletions.hold(svc) }

// Forget implements [view.Follower]. It drops what is known of a Service that is gone.
func (a *Adapter) Forget(uid types.UID) {
	a.withdrawals.stop(uid)
	a.deletions.forget(uid)
	a.proofs.forget(uid)
	a.watch.forget(uid)
}

// GetLoadBalancerName returns the name upstream would give the balancer.
func (a *Adapter) GetLoadBalancerName(_ context.Context, _ string, svc *corev1.Service) string {
	return a.Manager.Name(svc)
}

// EnsureLoadBalancer makes the balancer what the Service asks for, or begins to: what the cloud is
// still busy with is looked at again by watch.
func (a *Adapter) EnsureLoadBalancer(ctx context.Context, _ string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	a.deletions.forget(svc.UID)
	a.proofs.forget(svc.UID)
	outcome, err, known := a.watch.take(svc, nodes)
	switch {
	case known:
		a.overtaken(svc) //nolint:contextcheck // it looks when this call has ended
	case len(svc.Status.LoadBalancer.Ingress) > 0 || a.PlanOnly:
		outcome, err = a.ensure(ctx, svc, nodes)
	case !a.workers.enter():
		err = &loadbalancer.Pending{Reason: "other load balancers are being made"}
	default:
		outcome, err = func() (loadbalancer.Outcome, error) {
			defer a.workers.leave()
			return a.ensure(ctx, svc, nodes)
		}()
	}
	a.pending.set(svc.UID, waiting(err))
	switch {
	case err != nil:
		return nil, a.watched(svc, err) //nolint:contextcheck // it looks when this call has ended
	case outcome.Again > 0:
		a.watch.in(outcome.Again, svc)
	default:
		a.watch.end(svc.UID)
	}
	if a.PlanOnly {
		klog.InfoS("Planned the load balancer, and changed nothing", "service", klog.KObj(svc))
		// Upstream would report an ensured balancer; this error it takes for an answer.
		return nil, cloudprovider.ImplementedElsewhere
	}
	if outcome.Status == nil {
		return svc.Status.LoadBalancer.DeepCopy(), nil
	}
	return outcome.Status, nil
}

func (a *Adapter) ensure(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (loadbalancer.Outcome, error) {
	defer a.overtaken(svc) //nolint:contextcheck // it looks when this call has ended
	a.Plans.Round("Service " + svc.Namespace + "/" + svc.Name)
	return drain.Track(ctx, a.Drain, cloud.PriorityChange, func(ctx context.Context) (loadbalancer.Outcome, error) {
		outcome, err := a.Manager.Ensure(ctx, svc, nodes)
		if recorded := a.record(ctx, svc, outcome.Record); err == nil {
			err = recorded
		}
		return outcome, err
	})
}

// overtaken has the balancer deleted, after an ensure, when its Service gave it up meanwhile or
// before: the ensure worked on an older copy.
func (a *Adapter) overtaken(svc *corev1.Service) {
	if current := a.Services.Current(svc); current != nil && request.IsDeleting(current) {
		a.deletions.again(current)
	}
}

// watched has a pending Service watched and returns the error as the controller shall see it. Of one that is watched it is told that
// nothing is left for it to do: it would log each wait as an error, with the time after which it would look by itself. What a balancer
// waits for is said where that is a failure.
func (a *Adapter) watched(svc *corev1.Service, err error) error {
	pending, ok := errors.AsType[*loadbalancer.Pending](err)
	if !ok {
		a.watch.end(svc.UID)
		return forEvents(err)
	}
	if pending.Err != nil {
		klog.InfoS("The load balancer has to wait after a failure", "service", klog.KObj(svc), "error", pending.Error(), "lookAfter", pending.After)
	} else {
		klog.V(2).InfoS("The load balancer has to wait", "service", klog.KObj(svc), "reason", pending.Reason, "lookAfter", pending.After)
	}
	a.watch.tell(svc, pending)
	a.watch.when(pending, finalized(svc))
	return cloudprovider.ImplementedElsewhere
}

// finalized returns the Service with the finalizer: the controller adds it before it asks for a load balancer, and not to its own copy.
func finalized(svc *corev1.Service) *corev1.Service {
	if servicehelper.HasLBFinalizer(svc) {
		return svc
	}
	svc = svc.DeepCopy()
	svc.Finalizers = append(svc.Finalizers, servicehelper.LoadBalancerCleanupFinalizer)
	return svc
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
func (a *Adapter) UpdateLoadBalancer(ctx context.Context, _ string, svc *corev1.Service, nodes []*corev1.Node) error {
	if current := a.Services.Current(svc); current != nil {
		svc = current
	}
	err := drain.Do(ctx, a.Drain, cloud.PriorityChange, func(ctx context.Context) error {
		return a.Manager.UpdateTargets(ctx, svc, nodes)
	})
	pending, busy := errors.AsType[*loadbalancer.Pending](err)
	a.pending.set(svc.UID, busy)
	switch {
	case errors.Is(err, loadbalancer.ErrNoBalancer):
		a.Services.Enqueue(svc)
		return cloudprovider.ImplementedElsewhere // else upstream would say that the balancer was updated
	case busy:
		a.watch.tell(svc, pending)
		a.watch.when(pending, svc) //nolint:contextcheck // it looks when this call has ended
		return nil
	}
	return forEvents(err)
}

// EnsureLoadBalancerDeleted deletes the balancer, or begins to.
func (a *Adapter) EnsureLoadBalancerDeleted(ctx context.Context, _ string, svc *corev1.Service) error {
	a.pending.found.Delete(svc.UID)
	err := a.delete(ctx, svc)
	a.pending.set(svc.UID, waiting(err))
	a.soon(svc, err)
	return outward(err)
}

func (a *Adapter) delete(ctx context.Context, svc *corev1.Service) error {
	return drain.Do(ctx, a.Drain, cloud.PriorityDeletion, func(ctx context.Context) error { return a.Manager.Delete(ctx, svc) })
}

// soon has the Service looked at again when the cloud should be done. The controller loses
// the kind of errors on its way to deletion and would wait longer each time.
func (a *Adapter) soon(svc *corev1.Service, err error) {
	pending, ok := errors.AsType[*loadbalancer.Pending](err)
	if !ok {
		return
	}
	a.alarms.when(pending, svc.UID, func() {
		if current := a.Services.Current(svc); current != nil {
			a.Services.Enqueue(current)
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
