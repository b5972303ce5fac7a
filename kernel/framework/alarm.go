package framework

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// alarms have Services looked at again, each once at a time: it is also looked at for other
// reasons, and every look would otherwise begin another row of looks. The zero value is ready.
type alarms struct {
	mu sync.Mutex
	// set is the number of each Service's alarm. An earlier one does nothing.
	set  map[types.UID]int
	last int
}

// in calls ring after that time, unless it is called for the same Service before.
func (a *alarms) in(after time.Duration, uid types.UID, ring func()) {
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
