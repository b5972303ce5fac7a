package framework

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pending are the Services whose balancer the cloud is still busy with. Upstream reports
// a look at them as a failure, and a change of their targets as made.
type pending struct {
	mu       sync.Mutex
	services map[types.UID]bool
}

func newPending() *pending { return &pending{services: map[types.UID]bool{}} }

// set says whether the cloud is busy, and returns whether it was.
func (p *pending) set(uid types.UID, busy bool) (was bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was = p.services[uid]
	if busy {
		p.services[uid] = true
	} else {
		delete(p.services, uid)
	}
	return was
}

// quiet reports whether an event of the controllers is dropped: a false alarm, or what its object shows anyway.
func (c *Cloud) quiet(event *corev1.Event) bool {
	return isRoutine(event) || c.pending.quiet(event) || c.routes.quiet(event)
}

// isRoutine reports whether the event only says that a Node was initialised, which the Node shows. It
// would be a third of all writes of the initialisation.
func isRoutine(event *corev1.Event) bool {
	return event.Reason == "Synced" && event.Type == corev1.EventTypeNormal && event.Source.Component == "cloud-node-controller"
}

// quiet reports whether the event is such a false alarm.
func (p *pending) quiet(event *corev1.Event) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	early := event.Reason == "SyncLoadBalancerFailed" || event.Reason == "UpdateLoadBalancerFailed" || event.Reason == "UpdatedLoadBalancer"
	return early && event.Source.Component != component && p.services[event.InvolvedObject.UID]
}
