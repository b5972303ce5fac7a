package view

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// ticksPerPeriod is how finely the re-ensures of a period are spread.
const ticksPerPeriod = 100

// reensure makes every balancer be compared with the cloud once per period, which upstream
// never does. Times are jittered by a tenth, and no tick queues more than twice the even
// share, so that Services that began together drift apart and cost no burst.
type reensure struct {
	period   time.Duration
	services func() []*corev1.Service
	enqueue  func(*corev1.Service)
	due      map[types.UID]time.Time
}

// Reensure queues each Service that wants a balancer once per period, until ctx ends. It tells due of it first.
func (v *Services) Reensure(ctx context.Context, period time.Duration, due func(*corev1.Service)) {
	newReensure(period, v.Balancers, func(svc *corev1.Service) {
		due(svc)
		v.Enqueue(svc)
	}).run(ctx)
}

func newReensure(period time.Duration, services func() []*corev1.Service, enqueue func(*corev1.Service)) *reensure {
	return &reensure{period: period, services: services, enqueue: enqueue, due: map[types.UID]time.Time{}}
}

func (r *reensure) run(ctx context.Context) {
	wait.UntilWithContext(ctx, func(context.Context) { r.tick(time.Now()) }, r.period/ticksPerPeriod)
}

func (r *reensure) tick(now time.Time) {
	services := r.services()
	due := make(map[types.UID]time.Time, len(services))
	var waiting []*corev1.Service
	for _, svc := range services {
		at, known := r.due[svc.UID]
		switch {
		case !known:
			// Its own events have it ensured now. The first turn is drawn widely to spread
			// what began together.
			at = now.Add(between(r.period/2, r.period))
		case !now.Before(at):
			waiting = append(waiting, svc)
		}
		due[svc.UID] = at
	}
	// Those that wait longest go first: no Service waits for others again and again.
	slices.SortFunc(waiting, func(a, b *corev1.Service) int { return due[a.UID].Compare(due[b.UID]) })
	for _, svc := range waiting[:min(len(waiting), 2*len(services)/ticksPerPeriod+1)] {
		klog.V(4).InfoS("Comparing balancer with the cloud", "service", klog.KObj(svc))
		r.enqueue(svc)
		due[svc.UID] = now.Add(between(r.period*9/10, r.period*11/10))
	}
	r.due = due
}

func between(low, high time.Duration) time.Duration {
	return low + rand.N(high-low+1)
}
