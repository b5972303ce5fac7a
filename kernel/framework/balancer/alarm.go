package balancer

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

// alarms have Services looked at again, each once at a time: it is also looked at for other
// reasons, and every look would otherwise begin another row of looks. The zero value is ready.
type alarms struct {
	mu sync.Mutex
	// set is the number of each Service's alarm. An earlier one does nothing.
	set  map[types.UID]int
	last int
}

// when calls ring when the cloud should be done with the balancer of the Service, or says that it is.
func (a *alarms) when(pending *loadbalancer.Pending, uid types.UID, ring func()) {
	number := a.in(pending.After, uid, ring)
	if pending.Ended == nil {
		return
	}
	go func() {
		select {
		case <-pending.Ended:
		case <-time.After(pending.After):
			return // the alarm rings by itself
		}
		if a.take(uid, number) {
			ring()
		}
	}()
}

// in calls ring after that time, unless it is called for the same Service before. It returns the number
// of the alarm.
func (a *alarms) in(after time.Duration, uid types.UID, ring func()) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.set == nil {
		a.set = map[types.UID]int{}
	}
	a.last++
	number := a.last
	a.set[uid] = number
	time.AfterFunc(after, func() {
		if a.take(uid, number) {
			ring()
		}
	})
	return number
}

// stop takes the alarm of the Service back.
func (a *alarms) stop(uid types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.set, uid)
}

// take forgets an alarm and reports whether it was still the one that counts.
func (a *alarms) take(uid types.UID, number int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.set[uid] != number {
		return false
	}
	delete(a.set, uid)
	return true
}
