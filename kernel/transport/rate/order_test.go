package rate

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// simulation is an order that is asked once a second, without a clock.
type simulation struct {
	*rand.Rand
	order order
	now   time.Time
	queue []*waiter
	// sustained is how many requests may go in a second, of which some are kept for what is urgent, nil for none.
	sustained float64
	reserved  *bucket
	// overtook are the less urgent calls that went while a request waited and was not overdue.
	overtook map[*waiter]map[*Call]bool
	// begun is when the first request of each call went.
	begun map[*Call]time.Time
	// served is how many requests of each priority went, and last when.
	served [cloud.Priorities]int
	last   [cloud.Priorities]time.Time
}

// worker makes calls of a priority, one after the other.
type worker struct {
	priority cloud.Priority
	tenant   string
	call     *Call
	end      context.CancelFunc
	left     int // requests of the call
	reads    bool
	began    time.Time // of a call of which a request went
	waiting  *waiter
	idle     int // seconds until it sends its next one
}

func (s *simulation) arrive(w *worker) {
	if w.left == 0 {
		ctx, end := context.WithCancel(context.Background())
		w.call, w.end, w.left = CallOf(WithCall(ctx, w.reads)), end, 1+s.IntN(6)
	}
	w.waiting = &waiter{Request: Request{Priority: w.priority, Tenant: w.tenant, Call: w.call}, since: s.now}
	s.queue = append(s.queue, w.waiting)
}

func (s *simulation) grant(workers []*worker) {
	var times [cloud.Priorities]time.Time
	if s.reserved != nil {
		for p, share := range shares {
			times[p] = s.reserved.ready(s.now, share)
		}
	}
	at := s.order.choose(s.now, s.queue, times, s.sustained)
	if at < 0 {
		return
	}
	if s.reserved != nil {
		s.reserved.take(s.now)
	}
	next := s.queue[at]
	s.queue = slices.Delete(s.queue, at, at+1)
	if _, begun := s.begun[next.Call]; !begun {
		s.begun[next.Call] = s.now
	}
	for _, q := range s.queue {
		finished := q.Priority > cloud.PriorityBegun && s.begun[next.Call].Before(q.since) // before more is begun
		if q.Priority < next.Priority && s.now.Sub(q.since) < patience && !finished {
			if s.overtook[q] == nil {
				s.overtook[q] = map[*Call]bool{}
			}
			s.overtook[q][next.Call] = true
		}
	}
	s.order.went(s.now, next, s.queue)
	s.served[next.Priority]++
	s.last[next.Priority] = s.now
	delete(s.overtook, next)
	w := workers[slices.IndexFunc(workers, func(w *worker) bool { return w.waiting == next })]
	w.waiting, w.idle, w.began = nil, s.IntN(3), s.now
	if w.left--; w.left == 0 {
		w.end()
		w.idle, w.began = s.IntN(20), time.Time{}
	}
}

// Random workers of all priorities want more than there is, in half of the cases with a reserve for what is urgent. What is to be finished,
// and whose turn comes, costs a more urgent request one call of a less urgent priority at most, each priority goes on, and a list of which a
// page was read is read to its end.
func TestOrderOfRandomCalls(t *testing.T) {
	for seed := range uint64(12) {
		s := &simulation{Rand: rand.New(rand.NewPCG(seed, 1)), now: time.Unix(1e9, 0), sustained: 1, overtook: map[*waiter]map[*Call]bool{}, begun: map[*Call]time.Time{}}
		var workers []*worker
		for p := range cloud.Priority(cloud.Priorities) {
			s.last[p] = s.now
			for range s.IntN(30) {
				workers = append(workers, &worker{priority: p, tenant: string(rune('a' + s.IntN(3))), idle: s.IntN(100), reads: s.IntN(2) == 0})
			}
		}
		if seed%2 == 1 {
			s.reserved = newBucket(100, s.sustained)
		}
		for range 4000 {
			s.now = s.now.Add(time.Second)
			for _, w := range workers {
				if w.idle--; w.waiting == nil && w.idle <= 0 {
					s.arrive(w)
				}
			}
			s.grant(workers)
			for range 4 {
				if s.reserved != nil { // it says how many go
					s.grant(workers)
				}
			}
			for q, calls := range s.overtook {
				if len(calls) > 1 {
					t.Fatalf("seed %d: a request of priority %d waits behind %d less urgent calls", seed, q.Priority, len(calls))
				}
			}
			for _, w := range workers {
				if w.reads && !w.began.IsZero() && s.now.Sub(w.began) > 10*time.Minute {
					t.Fatalf("seed %d: a list of priority %d has %d pages left after ten minutes", seed, w.priority, w.left)
				}
			}
			for _, q := range s.queue {
				if s.now.Sub(s.last[q.Priority]) > 10*time.Minute && s.now.Sub(q.since) > 10*time.Minute {
					t.Fatalf("seed %d: nothing of priority %d went for ten minutes", seed, q.Priority)
				}
			}
		}
		for _, w := range workers {
			if w.end != nil {
				w.end()
			}
		}
	}
}

// requests are waiters of an order, in the order of their arrival.
func requests(now time.Time, rs ...Request) (queue []*waiter) {
	for i, r := range rs {
		queue = append(queue, &waiter{Request: r, since: now.Add(time.Duration(i) * time.Millisecond)})
	}
	return queue
}

// drain returns who goes, in that order, by tenant.
func drain(o *order, now time.Time, queue []*waiter) string {
	var went []string
	var times [cloud.Priorities]time.Time
	for len(queue) > 0 {
		at := o.choose(now, queue, times, 1)
		w := queue[at]
		queue = slices.Delete(queue, at, at+1)
		o.went(now, w, queue)
		went = append(went, w.Tenant)
	}
	return strings.Join(went, " ")
}

// The namespace that has used least goes first, whoever came first.
func TestNamespacesTakeTurns(t *testing.T) {
	now := time.Unix(1e9, 0)
	greedy, modest := Request{Priority: cloud.PriorityCreation, Tenant: "greedy"}, Request{Priority: cloud.PriorityCreation, Tenant: "modest"}
	o := &order{}
	if went := drain(o, now, requests(now, greedy, greedy, greedy, greedy, modest, modest)); went != "greedy modest greedy modest greedy greedy" {
		t.Errorf("they went %s", went)
	}
	late := Request{Priority: cloud.PriorityCreation, Tenant: "late"}
	if went := drain(o, now, requests(now, greedy, modest, late, late, late, late)); went != "late late modest late late greedy" {
		t.Errorf("they went %s", went)
	}
	hourLater := now.Add(3 * time.Hour)
	if went := drain(o, hourLater, requests(hourLater, greedy, modest)); went != "greedy modest" {
		t.Errorf("three hours later they went %s", went)
	}
}

// A list that has begun is read to its end before anything else begins, even what is more urgent.
func TestListIsReadToItsEnd(t *testing.T) {
	now := time.Unix(1e9, 0)
	ctx, end := context.WithCancel(t.Context())
	list := Request{Priority: cloud.PriorityRefresh, Tenant: "page", Call: CallOf(WithCall(ctx, true))}
	o := &order{}
	if went := drain(o, now, requests(now, list)); went != "page" {
		t.Fatal(went)
	}
	node := Request{Priority: cloud.PriorityNodeInit, Tenant: "node"}
	if went := drain(o, now, requests(now, node, list, list)); went != "page page node" {
		t.Errorf("they went %s", went)
	}
	other := Request{Priority: cloud.PriorityChange, Tenant: "other", Call: CallOf(WithCall(t.Context(), true))}
	other.Call.begin()
	if went := drain(o, now, requests(now, node, other)); went != "node other" {
		t.Errorf("beside a list that has not ended they went %s", went)
	}
	end()
	list.Call = nil
	if went := drain(o, now, requests(now, list, other)); went != "other page" {
		t.Errorf("they went %s", went)
	}
}

// What is overdue goes by what the namespaces have used too.
func TestOverdueNamespacesTakeTurns(t *testing.T) {
	now := time.Unix(1e9, 0)
	greedy, modest := Request{Priority: cloud.PriorityCreation, Tenant: "greedy"}, Request{Priority: cloud.PriorityCreation, Tenant: "modest"}
	o := &order{}
	o.usage.add(now, cloud.PriorityCreation, "greedy")
	o.usage.add(now, cloud.PriorityCreation, "greedy")
	queue := requests(now, greedy, greedy, greedy, modest)
	kept := [cloud.Priorities]time.Time{cloud.PriorityCreation: now.Add(time.Hour)} // for what is more urgent
	if at := o.choose(now.Add(2*patience), queue, kept, 1); at != 3 {
		t.Errorf("request %d goes, want that of the namespace that used less", at)
	}
}
