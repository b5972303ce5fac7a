package loadbalancer

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// warnOwner tells the owner of a balancer that another Service wanted it. It does not say which
// one, unless both are in one namespace.
func (p *finder) warnOwner(verdict safety.Ownership, observed cloud.Observed) {
	if verdict.Standing != safety.Claimed {
		return
	}
	told := p.manager.owners.OwnerOf(p.Request, verdict.Owner, observed)
	if told == nil || !p.manager.ownerWarnings.due(p.Service.UID, told.UID) {
		return
	}
	who := "a Service of another namespace"
	if told.Namespace == p.Service.Namespace {
		who = "Service " + p.Service.Name
	}
	object := event.Object{Kind: "Service", Namespace: told.Namespace, Name: told.Name, UID: string(told.UID)}
	p.manager.events.Record(object, event.TakeoverRefused, fmt.Sprintf("%s named load balancer %s of this Service in an annotation; that was refused, nothing was changed", who, observed.ID))
	p.manager.metrics.Add(metric.TakeoversRefused, 1, p.manager.cloud.Name)
}

// warningEvery is how often a Service is told that a certain other one wanted its balancer.
const warningEvery = 10 * time.Minute

// ownerWarnings keep a Service that is refused again and again from filling the events of another one.
// The zero value is ready.
type ownerWarnings struct {
	mu   sync.Mutex
	last map[[2]types.UID]time.Time
}

// due reports whether the owner is to be told now.
func (w *ownerWarnings) due(asked, owner types.UID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, pair := time.Now(), [2]types.UID{asked, owner}
	maps.DeleteFunc(w.last, func(_ [2]types.UID, at time.Time) bool { return now.Sub(at) >= warningEvery })
	if _, told := w.last[pair]; told {
		return false
	}
	if w.last == nil {
		w.last = map[[2]types.UID]time.Time{}
	}
	w.last[pair] = now
	return true
}
