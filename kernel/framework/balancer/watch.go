package balancer

import (
	"context"
	"errors"
	"hash/maphash"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
)

// unwatched is when the service controller looks by itself at a Service that is watched.
const unwatched = time.Hour

// watch looks at the Services whose balancer the cloud is still busy with, in the place of the
// service controller: that would write an event for each look, of which each Service has a budget
// of 25, and count and log each as a failure. What it finds in the end is given to the
// controller.
//
//	a look finds that the balancer          then
//	is still being worked on                another look
//	can't be changed yet: refused or        event CloudFailure, and another look
//	 over the rate limit
//	is done, and the status is as it was    event UpdatedLoadBalancer, where a change was under way
//	is done, or failed                      the controller ensures the Service, with this result
type watch struct {
	ensure   func(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (loadbalancer.Outcome, error)
	nodes    func() []*corev1.Node
	services Services
	pending  *pending
	events   event.Recorder
	alarms   alarms

	mu      sync.Mutex
	results map[types.UID]result
	// looking are the Services that are being looked at.
	looking map[types.UID]bool
}

// result is what a look found a moment ago.
type result struct {
	at      time.Time
	svc     *corev1.Service
	nodes   uint64
	outcome loadbalancer.Outcome
	err     error
}

// resultAge is how long the controller takes to ask for a result, where many Services are made at once.
const resultAge = 30 * time.Second

// soon is when a Service is looked at again whose result was about other nodes, or that is being looked at.
const soon = time.Second

// in looks at the Service after that time.
func (w *watch) in(after time.Duration, svc *corev1.Service) {
	w.alarms.in(after, svc.UID, func() { w.look(svc) })
}

// when looks at the Service when the cloud should be done with its balancer, or says that it is.
func (w *watch) when(pending *loadbalancer.Pending, svc *corev1.Service) {
	w.alarms.when(pending, svc.UID, func() { w.look(svc) })
}

// end stops looking at the Service, and drops what the last look found.
func (w *watch) end(uid types.UID) {
	w.alarms.stop(uid)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.results, uid)
}

// begin reports whether the Service is not being looked at. finish has to follow then.
func (w *watch) begin(uid types.UID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.looking[uid] {
		return false
	}
	if w.looking == nil {
		w.looking = map[types.UID]bool{}
	}
	w.looking[uid] = true
	return true
}

func (w *watch) finish(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.looking, uid)
}

// forget drops what is known of a Service that is gone or gives its balancer up.
func (w *watch) forget(uid types.UID) {
	w.pending.set(uid, false)
	w.pending.found.Delete(uid)
	w.end(uid)
}

// expectFinalizer looks again at a Service that is without the controller's finalizer, before which nothing is made. Where that was seen
// before, the cache may be behind, or the Service gave its balancer up meanwhile. Where it is still missing then, the controller adds it.
func (w *watch) expectFinalizer(before, current *corev1.Service) {
	if servicehelper.HasLBFinalizer(before) {
		w.in(soon, current)
		return
	}
	w.pending.set(current.UID, false)
	w.alarms.in(soon, current.UID, func() { w.services.Enqueue(current) })
}

// look looks at the Service. Where it is being looked at already, it is looked at again later.
func (w *watch) look(svc *corev1.Service) {
	if !w.begin(svc.UID) {
		w.in(soon, svc)
		return
	}
	defer w.finish(svc.UID)
	current := w.services.Current(svc)
	if current == nil || request.IsDeleting(current) {
		w.forget(svc.UID)
		return
	}
	if !servicehelper.HasLBFinalizer(current) {
		w.expectFinalizer(svc, current)
		return
	}
	nodes := w.nodes()
	outcome, err := w.ensure(context.Background(), current, nodes)
	if now := w.services.Current(svc); now == nil || request.IsDeleting(now) {
		w.forget(svc.UID) // the controller must not be shown the Service as it was
		return
	}
	if pending, ok := errors.AsType[*loadbalancer.Pending](err); ok {
		w.pending.set(svc.UID, true)
		w.tell(current, pending)
		w.when(pending, current)
		return
	}
	changed := w.pending.set(svc.UID, false)
	if err == nil && outcome.Again > 0 {
		w.in(outcome.Again, current)
	}
	if err == nil && outcome.Status != nil && servicehelper.LoadBalancerStatusEqual(&current.Status.LoadBalancer, outcome.Status) {
		if changed {
			w.events.Record(event.About("Service", current), event.Updated, "Updated load balancer with new hosts")
		}
		return
	}
	w.mu.Lock()
	w.results[svc.UID] = result{time.Now(), current, machinesOf(nodes), outcome, err}
	w.mu.Unlock()
	if changed {
		w.pending.found.Store(svc.UID, time.Now())
	}
	w.services.Enqueue(current)
}

// tell says which failure a balancer waits for. The controller is told that its change is made, and
// nothing of the looks.
func (w *watch) tell(svc *corev1.Service, pending *loadbalancer.Pending) {
	if pending.Err != nil {
		w.events.Record(event.About("Service", svc), event.CloudFailure, event.Explained(pending))
	}
}

// take returns the result of the last look, once, if it is about the same request. Where nodes have come or gone since, the address is
// told all the same, and another look follows soon.
func (w *watch) take(svc *corev1.Service, nodes []*corev1.Node) (loadbalancer.Outcome, error, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, ok := w.results[svc.UID]
	delete(w.results, svc.UID)
	if !ok || time.Since(r.at) > resultAge || !sameRequest(r, svc) {
		return loadbalancer.Outcome{}, nil, false
	}
	if r.nodes != machinesOf(nodes) {
		if r.err != nil || r.outcome.Status == nil || len(svc.Status.LoadBalancer.Ingress) > 0 {
			return loadbalancer.Outcome{}, nil, false
		}
		if again := r.outcome.Again; again == 0 || again > soon {
			r.outcome.Again = soon
		}
	}
	return r.outcome, r.err, true
}

// sameRequest reports whether the Service asks for what the result is about. What was recorded then
// may be there already or not, also what was recorded before a load balancer was made.
func sameRequest(r result, svc *corev1.Service) bool {
	recorded := func(s *corev1.Service) map[string]string {
		all := map[string]string{}
		maps.Copy(all, s.Annotations)
		maps.Copy(all, r.outcome.Record)
		delete(all, annotation.Creation.Name)
		maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
		return all
	}
	return apiequality.Semantic.DeepEqual(r.svc.Spec, svc.Spec) && maps.Equal(recorded(r.svc), recorded(svc))
}

var seed = maphash.MakeSeed()

// machinesOf is the same for the same nodes in any order, by name and provider-ID.
func machinesOf(nodes []*corev1.Node) uint64 {
	sum := uint64(len(nodes))
	for _, n := range nodes {
		sum += maphash.Comparable(seed, [2]string{n.Name, n.Spec.ProviderID})
	}
	return sum
}
