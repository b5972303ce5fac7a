package balancer

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
)

// deletions delete the balancers of Services that give them up, before the service controller sees
// these Services: for each look at a deletion that takes time it would write an event, log an
// error and wait longer. It is left to remove the finalizer.
//
//	the balancer              then
//	is gone                   the controller sees the Service, and is told that there is none
//	is still being deleted    another look
//	cannot be deleted         another try after 5 s, doubling to 5 min; the kernel says why
//	is wanted again by then   the controller ensures the Service
type deletions struct {
	delete   func(ctx context.Context, svc *corev1.Service) error
	services Services
	events   event.Recorder
	alarms   alarms
	// slots bounds how many deletions run at once.
	slots chan struct{}

	mu    sync.Mutex
	begun map[types.UID]*deletion
}

type deletion struct {
	gone     bool
	failures int
}

// How long to wait after a deletion that failed.
const (
	retryFirst = 5 * time.Second
	retryLast  = 5 * time.Minute
)

// retryAfter is how long to wait after that many failures and one more.
func retryAfter(failures int) time.Duration { return min(retryFirst<<min(failures, 8), retryLast) }

// hold begins the deletion of a balancer that is given up, if it has not begun, and reports whether the controller has to wait.
func (d *deletions) hold(svc *corev1.Service) bool {
	if !request.IsDeleting(svc) {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if state := d.begun[svc.UID]; state != nil {
		return !state.gone
	}
	d.events.Record(event.About("Service", svc), event.Deleting, "Deleting load balancer")
	d.begin(svc)
	return true
}

// again deletes what an ensure may have made that did not know of the deletion: whether that still
// runs or has ended, it may not have seen it.
func (d *deletions) again(svc *corev1.Service) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begin(svc)
}

// begin begins a deletion, in the place of an earlier one. The caller holds mu.
func (d *deletions) begin(svc *corev1.Service) {
	state := &deletion{}
	d.begun[svc.UID] = state
	d.alarms.in(0, svc.UID, func() { d.look(svc, state) })
}

// state reports whether the balancer is being deleted, and whether it is gone.
func (d *deletions) state(uid types.UID) (begun, gone bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	state := d.begun[uid]
	return state != nil, state != nil && state.gone
}

// forget drops what is known of a Service that is gone or wants a balancer.
func (d *deletions) forget(uid types.UID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.begun, uid)
	d.alarms.stop(uid)
}

// look carries one deletion on. It does nothing when another has begun in its place, which has
// looks of its own.
func (d *deletions) look(svc *corev1.Service, state *deletion) {
	d.slots <- struct{}{}
	defer func() { <-d.slots }()
	current, goesOn := d.current(svc, state)
	if !goesOn {
		return
	}
	err := d.delete(context.Background(), current)
	if now, goesOn := d.current(current, state); !goesOn {
		if now != nil && !request.IsDeleting(now) {
			d.services.Enqueue(now)
		}
		return
	}
	pending, busy := errors.AsType[*loadbalancer.Pending](err)
	switch {
	case err == nil:
		if d.goOn(svc.UID, state, func() { state.gone = true }) {
			d.services.Enqueue(current)
		}
	case errors.Is(err, drain.ErrStopping):
	case busy:
		d.goOn(svc.UID, state, func() { d.alarms.when(pending, svc.UID, func() { d.look(current, state) }) })
	default:
		wait := retryAfter(state.failures)
		klog.ErrorS(err, "Deleting a load balancer failed", "service", klog.KObj(current), "retryAfter", wait)
		d.goOn(svc.UID, state, func() {
			state.failures++
			d.alarms.in(wait, svc.UID, func() { d.look(current, state) })
		})
	}
}

// current returns the Service as it is now, nil when it is gone, and whether its deletion goes on: no other has begun
// in its place, or begins when the ensure that runs has ended. A Service that wants its balancer is forgotten: when it gives it
// up again, another deletion begins.
func (d *deletions) current(svc *corev1.Service, state *deletion) (now *corev1.Service, goesOn bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now = d.services.Current(svc)
	if goesOn = d.begun[svc.UID] == state; goesOn && (now == nil || !request.IsDeleting(now)) {
		delete(d.begun, svc.UID)
		d.alarms.stop(svc.UID)
		return now, false
	}
	return now, goesOn
}

// goOn does the next thing for a deletion, unless another has begun in its place. An alarm that it set then would
// take that of the other one away.
func (d *deletions) goOn(uid types.UID, state *deletion, next func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begun[uid] != state {
		return false
	}
	next()
	return true
}
