package rate

import (
	"math"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// patience is after what time a request is overdue.
	patience = 30 * time.Second
	// overdueShare is the part of the budget that overdue requests of one priority may have.
	overdueShare = 0.02
	// fullTurns is how many requests go between two overdue ones of one priority of which as many are under way as there may be: the same
	// share where answers and not the budget say how many go.
	fullTurns = 1 / overdueShare
)

// Request is what waits.
type Request struct {
	Priority cloud.Priority
	// Tenant is the namespace that it is for, "" for nobody in particular.
	Tenant string
	// Call is what it is a part of, nil for nothing.
	Call *Call
}

// waiter is a request that waits.
type waiter struct {
	Request
	since time.Time
	// deadline is the zero Time when there is none.
	deadline time.Time
	// overtaken says that a request of a less urgent call went since it waits.
	overtaken bool
	result    chan error // capacity 1
}

// standing is the priority whose share of the budget counts. What is a part of a call that has begun has that of what has begun at
// least.
func (w *waiter) standing() cloud.Priority {
	if w.Call.hasBegun() {
		return min(w.Priority, cloud.PriorityBegun)
	}
	return w.Priority
}

// room is what there is room for now, by standing.
type room struct {
	// times are when a request may be sent.
	times [cloud.Priorities]time.Time
	// full says that as many requests are under way as there may be.
	full [cloud.Priorities]bool
	// sustained is how many requests a second there may be in the long run.
	sustained float64
}

// lets reports whether there is room for a request of that standing.
func (r room) lets(now time.Time, standing cloud.Priority) bool {
	return !r.full[standing] && !r.times[standing].After(now)
}

// order decides who goes next:
//
//	request                                       goes
//	of the call that is to be finished            first
//	overdue, and its priority has had no such     next
//	 turn for some time
//	any other                                     by priority; then what is a part of a call that has
//	                                              begun; then by what its namespace has used; then by
//	                                              arrival
//
// Nobody is overtaken by more than one less urgent call before being overdue, and nobody starves: one call at a time is to be
// finished, and no other one begins to overtake while somebody more urgent waits who was overtaken already.
type order struct {
	usage usage
	// finishing is the call that is to be finished, nil for none.
	finishing *Call
	// turns are when an overdue request of each priority last went, and turnsAt how many requests had gone by then. gone is how many have.
	turns   [cloud.Priorities]time.Time
	turnsAt [cloud.Priorities]int
	gone    int
}

// dueAt is when a request is overdue and has its turn.
func (o *order) dueAt(w *waiter, sustained float64) time.Time {
	due := w.since.Add(patience)
	if turn := o.turns[w.Priority]; !turn.IsZero() {
		due = later(due, turn.Add(time.Duration(float64(time.Second)/(overdueShare*sustained))))
	}
	return due
}

// choose returns where in the queue the request is that goes now, -1 for none.
func (o *order) choose(now time.Time, queue []*waiter, r room) int {
	if o.finishing.hasEnded() {
		passable := leastOvertaking(now, queue)
		switch turn, due := o.turn(now, queue, passable, r); {
		case turn >= 0:
			p := queue[turn].Priority
			o.turns[p], o.turnsAt[p], o.finishing = now, o.gone, queue[turn].Call.ifReads()
			return turn
		case due: // its turn comes as soon as those are through who were overtaken
			o.finishing = nil
		default:
			o.finishing = o.unfinished(now, queue, passable)
		}
	}
	best := -1
	for i, w := range queue {
		switch {
		case o.finishes(w) && r.lets(now, cloud.PriorityNodeInit):
			return i
		case !r.lets(now, w.standing()):
		case best < 0 || o.before(now, w, queue[best]):
			best = i
		}
	}
	return best
}

// finishes reports whether the request is of the call that is to be finished. No reserve is kept from it: a list of which a page is
// missing was in vain.
func (o *order) finishes(w *waiter) bool { return w.Call != nil && w.Call == o.finishing }

// turn returns where in the queue an overdue request is that goes out of the order, -1 for none, and whether there is one that
// is due. The priority goes first whose last turn is longest ago.
func (o *order) turn(now time.Time, queue []*waiter, passable cloud.Priority, r room) (at int, due bool) {
	first := cloud.PriorityRefresh
	for _, w := range queue {
		first = min(first, w.Priority)
	}
	at = -1
	for i, w := range queue {
		inOrder := w.Priority == first && r.lets(now, w.standing())
		early := r.full[w.standing()] && o.gone-o.turnsAt[w.Priority] < fullTurns
		if inOrder || early || o.dueAt(w, r.sustained).After(now) {
			continue
		}
		due = true
		if w.Priority > passable {
			continue
		}
		if at < 0 || o.turns[w.Priority].Before(o.turns[queue[at].Priority]) || w.Priority == queue[at].Priority && o.before(now, w, queue[at]) {
			at = i
		}
	}
	return at, due
}

// leastOvertaking is the least urgent priority that may overtake: nobody who waits, and is more urgent, was overtaken already. Who is
// overdue does not count, because then the urgent ones alone are more than the budget bears.
func leastOvertaking(now time.Time, queue []*waiter) cloud.Priority {
	least := cloud.PriorityRefresh
	for _, w := range queue {
		if w.overtaken && now.Sub(w.since) < patience {
			least = min(least, w.Priority)
		}
	}
	return least
}

// unfinished returns the call that is to be finished next, nil for none.
func (o *order) unfinished(now time.Time, queue []*waiter, passable cloud.Priority) *Call {
	var first *waiter
	for _, w := range queue {
		if w.Call.hasBegun() && w.Call.reads && w.Priority <= passable && (first == nil || o.before(now, w, first)) {
			first = w
		}
	}
	if first == nil {
		return nil
	}
	return first.Call
}

// before reports whether a goes before b where both are in turn.
func (o *order) before(now time.Time, a, b *waiter) bool {
	begunA, begunB := a.Call.hasBegun(), b.Call.hasBegun()
	switch {
	case a.Priority != b.Priority:
		return a.Priority < b.Priority
	case begunA != begunB:
		return begunA
	case a.Tenant == b.Tenant:
		return a.since.Before(b.since)
	}
	usedA, usedB := o.usage.of(now, a.Tenant), o.usage.of(now, b.Tenant)
	if math.Abs(usedA-usedB) >= 1 {
		return usedA < usedB
	}
	return a.since.Before(b.since)
}

// went notes that a request goes, and who waits on.
func (o *order) went(now time.Time, w *waiter, queue []*waiter) {
	for _, q := range queue {
		q.overtaken = q.overtaken || q.Priority < w.Priority
	}
	o.gone++
	w.Call.begin()
	o.usage.add(now, w.Priority, w.Tenant)
}
