package certificate

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
)

// Pauses between the turns of one Node.
const (
	// soon is before a turn that cost nothing.
	soon = 2 * time.Second
	// first is after the first turn; it doubles with each one, up to last. After memory without a turn it begins anew.
	first  = time.Second
	last   = 5 * time.Minute
	memory = 2 * last
	// mostUnknown is how many turns without an answer count: the pauses between them stay below half a minute.
	mostUnknown = 5
	// never is when there is nothing to do.
	never = time.Hour
	// mostNodes bounds for how many Nodes something is kept: for more than there are in a cluster.
	mostNodes = 20000
)

// queue holds the latest request of each Node, and when it has its turn.
type queue struct {
	mu      sync.Mutex
	waiting map[string]*waiting
	// latest is when the latest request came.
	latest  time.Time
	changed chan struct{}
}

// waiting is what is kept of a Node that asks.
type waiting struct {
	// csr is what a judge needs of the request; nil when none waits.
	csr *certificatesv1.CertificateSigningRequest
	// request is what is in it, nil until it is read.
	request *judge.Request
	// seen is when this process saw it first. It was made before.
	seen        time.Time
	due         time.Time
	turns       int
	turn        time.Time // the latest
	told        judge.Reason
	contradicts bool // the cloud, at its last turn
}

// add keeps a request, unless a later one of the Node waits.
func (q *queue) add(node string, csr *certificatesv1.CertificateSigningRequest, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting[node]
	if w == nil && len(q.waiting) >= mostNodes {
		q.forget(now)
	}
	switch {
	case w == nil && len(q.waiting) >= mostNodes:
		return
	case w == nil:
		w = &waiting{due: now}
		q.waiting[node] = w
	case w.csr != nil && (w.csr.UID == csr.UID || csr.CreationTimestamp.Before(&w.csr.CreationTimestamp)):
		return
	}
	w.csr, w.request, w.seen, w.contradicts, q.latest = csr, nil, now, false, now
	if w.due.Before(now) {
		w.due = now
	}
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

// remove forgets requests. How often their Nodes asked is kept.
func (q *queue) remove(gone func(uid types.UID) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting {
		if w.csr != nil && gone(w.csr.UID) {
			w.csr = nil
		}
	}
}

// next returns when the next request has its turn, and when the latest one came.
func (q *queue) next(now time.Time) (due, latest time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	due = now.Add(never)
	for _, w := range q.waiting {
		if w.csr != nil && w.due.Before(due) {
			due = w.due
		}
	}
	return due, q.latest
}

// take returns the requests that have their turn, those first that wait longest.
func (q *queue) take(now time.Time) []*turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forget(now)
	var turns []*turn
	for _, w := range q.waiting {
		if w.csr == nil || w.due.After(now) {
			continue
		}
		if now.Sub(w.turn) > memory {
			w.turns = 0
		}
		turns = append(turns, &turn{waiting: *w})
		w.turns, w.turn = w.turns+1, now
		w.due = now.Add(min(first<<min(w.turns-1, 10), last))
	}
	slices.SortFunc(turns, func(a, b *turn) int { return a.due.Compare(b.due) })
	return turns
}

// forget forgets Nodes that do not ask any more.
func (q *queue) forget(now time.Time) {
	maps.DeleteFunc(q.waiting, func(_ string, w *waiting) bool { return w.csr == nil && now.Sub(w.turn) > memory })
}

// settle takes over what became of a turn. A request that came meanwhile has its own.
func (q *queue) settle(t *turn, o Outcome, done bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting[t.request.Node]
	if w == nil {
		return
	}
	switch {
	case o.New:
		w.told = o.Reason
	case o.Reason == judge.Approved:
		w.told = ""
	}
	switch {
	case t.free:
		w.turns, w.due = w.turns-1, w.turn.Add(soon)
	case o.Reason == judge.Unknown || o.Reason == judge.Early || o.Err != nil: // it is not the Node's fault
		w.turns = min(w.turns, mostUnknown)
	}
	if w.csr != t.csr {
		return
	}
	w.request, w.contradicts = t.request, o.Reason == judge.Contradiction
	if done {
		w.csr = nil
	}
}

// wait returns at that time, when a request comes, or when ctx ends.
func (q *queue) wait(ctx context.Context, until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-q.changed:
	}
}
