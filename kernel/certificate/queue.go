package certificate

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
)

// How requests of one moment are collected: until none came for quiet, or the first one has waited for patience.
const quiet, patience = 300 * time.Millisecond, 3 * time.Second

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
	// again is how long a Node is told the same once, whichever request it is about.
	again = time.Hour
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

// asked is which request it is, none for the zero value.
type asked struct {
	name string
	uid  types.UID
}

// waiting is what is kept of a Node that asks.
type waiting struct {
	asked
	// seen is when this process saw the request first. It was made before.
	seen time.Time
	// since is when the Node asked first for what it has not got yet.
	since time.Time
	due   time.Time
	turns int
	turn  time.Time // the latest
	told  told
	// contradicts says that the cloud did at the latest turn, absent that there was no Node then, foreign that it was not ours.
	contradicts, absent, foreign bool
}

// told is what was told on a Node.
type told struct {
	reason judge.Reason
	uid    types.UID
	at     time.Time
}

// news reports whether a reason was not told yet, nor of this request for an hour.
func (w *waiting) news(reason judge.Reason) bool {
	return reason != w.told.reason || w.uid != w.told.uid && time.Since(w.told.at) >= again
}

// add keeps a request in place of an earlier one of the Node.
func (q *queue) add(node string, request asked, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting[node]
	if w == nil && len(q.waiting) >= mostNodes {
		q.forget(now, true)
	}
	switch {
	case w == nil && len(q.waiting) >= mostNodes:
		return
	case w == nil:
		w = &waiting{due: now}
		q.waiting[node] = w
	case w.asked == request:
		return
	}
	w.asked, w.seen, w.contradicts, q.latest = request, now, false, now
	if w.since.IsZero() {
		w.since = now
	}
	if w.due.Before(now) {
		w.due = now
	}
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

// remove forgets requests. How often their Nodes asked is kept, and since when, unless the requests were decided.
func (q *queue) remove(gone func(uid types.UID) bool, decided bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting {
		if !gone(w.uid) {
			continue
		}
		w.asked = asked{}
		if decided {
			w.since = time.Time{}
		}
	}
}

// oldest returns how long the Node of this cloud waits that waits longest. A kubelet asks anew every quarter of an hour.
func (q *queue) oldest(now time.Time) (age time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting {
		if w.asked != (asked{}) && !w.foreign && !w.absent {
			age = max(age, now.Sub(w.since))
		}
	}
	return age
}

// next returns when the next round begins.
func (q *queue) next(now time.Time) time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	due := now.Add(never)
	for _, w := range q.waiting {
		if w.asked != (asked{}) && w.due.Before(due) {
			due = w.due
		}
	}
	begins := q.latest.Add(quiet)
	if limit := due.Add(patience); begins.After(limit) {
		begins = limit
	}
	if begins.Before(due) {
		return due
	}
	return begins
}

// take returns the requests that have their turn, those first that wait longest. Until they are settled they have no other one.
func (q *queue) take(now time.Time) []*turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forget(now, false)
	var turns []*turn
	for node, w := range q.waiting {
		if w.asked == (asked{}) || w.due.After(now) {
			continue
		}
		if now.Sub(w.turn) > memory {
			w.turns = 0
		}
		w.turns, w.turn, w.due = w.turns+1, now, now.Add(never)
		turns = append(turns, &turn{waiting: *w, node: node})
	}
	slices.SortFunc(turns, func(a, b *turn) int { return a.seen.Compare(b.seen) })
	return turns
}

// forget forgets Nodes that do not ask any more, and where there are too many also those that do not exist.
func (q *queue) forget(now time.Time, full bool) {
	maps.DeleteFunc(q.waiting, func(_ string, w *waiting) bool {
		return full && w.absent || w.asked == (asked{}) && now.Sub(w.turn) > memory && now.Sub(w.told.at) > again
	})
}

// settle takes over what became of a turn. A request that came meanwhile has its own.
func (q *queue) settle(t *turn, o Outcome, done bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting[t.node]
	if w == nil || w.turn != t.turn { // it made way meanwhile
		return
	}
	switch {
	case o.New:
		w.told = told{o.Reason, t.uid, time.Now()}
	case o.Reason == judge.Approved:
		w.told.reason = ""
	}
	switch {
	case t.free:
		w.turns, w.due = w.turns-1, w.turn.Add(soon)
	case passes(o.Reason): // it is not the Node's fault
		w.turns = min(w.turns, mostUnknown)
		fallthrough
	default:
		w.due = w.turn.Add(min(first<<min(w.turns-1, 10), last))
	}
	w.absent, w.foreign = o.Node == nil, o.Reason == judge.NotOurs
	if done && w.asked == (asked{}) { // the watch was faster
		w.since = time.Time{}
	}
	if w.asked == t.asked {
		w.contradicts = t.decision.Reason == judge.Contradiction
		if done {
			w.asked, w.since = asked{}, time.Time{}
		}
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
