package framework

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pending are the Services whose balancer the cloud is still busy with. Upstream reports
// each look at them as a failure.
type pending struct {
	mu       sync.Mutex
	services map[types.UID]bool
}

func newPending() *pending { return &pending{services: map[types.UID]bool{}} }

func (p *pending) set(uid types.UID, busy bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if busy {
		p.services[uid] = true
	} else {
		delete(p.services, uid)
	}
}

// quiet reports whether the event is such a false alarm.
func (p *pending) quiet(event *corev1.Event) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	failure := event.Reason == "SyncLoadBalancerFailed" || event.Reason == "UpdateLoadBalancerFailed"
	return failure && p.services[event.InvolvedObject.UID]
}
