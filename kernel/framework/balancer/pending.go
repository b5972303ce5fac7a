package balancer

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/recorder"
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

// Quiet reports whether an event of the service controller is a false alarm.
func (a *Adapter) Quiet(event *corev1.Event) bool { return a.pending.quiet(event) }

// quiet reports whether the event is such a false alarm.
func (p *pending) quiet(event *corev1.Event) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	early := event.Reason == "SyncLoadBalancerFailed" || event.Reason == "UpdateLoadBalancerFailed" || event.Reason == "UpdatedLoadBalancer"
	return early && event.Source.Component != recorder.Component && p.services[event.InvolvedObject.UID]
}
