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
	// sustained is how many requests may go in a second.
	sustained float64
	// overtook are the less urgent calls that went while a request waited and was not overdue.
	overtook map[*waiter]map[*Call]bool
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
	waiting  *waiter
	idle     int // seconds until it sends its next one
}

func (s *simulation) arrive(w *worker) {
	if w.left == 0 {
		ctx, end := context.WithCancel(context.Background())
		w.call, w.end, w.left = CallOf(WithCall(ctx)), end, 1+s.IntN(6)
	}
	w.waiting = &waiter{Request: Request{Priority: w.priority, Tenant: w.tenant, Call: w.call}, since: s.now}
	s.queue = append(s.queue, w.waiting)
}

func (s *simulation) grant(workers []*worker) {
	var times [cloud.Priorities]time.Time
	at := s.order.choose(s.now, s.queue, times, s.sustained)
	if at < 0 {
		return
	}
	next := s.queue[at]
	s.queue = slices.Delete(s.queue, at, at+1)
	for _, q := range s.queue {
		if q.Priority < next.Priority && s.now.Sub(q.since) < patience {
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
	w.waiting, w.idle = nil, s.IntN(3)
	if w.left--; w.left == 0 {
		w.end()
		w.idle = s.IntN(20)
	}
}

// Random workers of all priorities want more than there is. What is to be finished, and whose turn comes, costs a more urgent
// request one call of a less urgent priority at most, and each priority goes on.
func TestOrderOfRandomCalls(t *testing.T) {
	for seed := range uint64(12) {
		s := &simulation{Rand: rand.New(rand.NewPCG(seed, 1)), now: time.Unix(1e9, 0), sustained: 1, overtook: map[*waiter]map[*Call]bool{}}
		var workers []*worker
		for p := range cloud.Priority(cloud.Priorities) {
			s.last[p] = s.now
			for range s.IntN(30) {
				workers = append(workers, &worker{priority: p, tenant: string(rune('a' + s.IntN(3))), idle: s.IntN(100)})
			}
		}
		for range 4000 {
			s.now = s.now.Add(time.Second)
			for _, w := range workers {
				if w.idle--; w.waiting == nil && w.idle <= 0 {
					s.arrive(w)
				}
			}
			s.grant(workers)
			for q, calls := range s.overtook {
				if len(calls) > 1 {
					t.Fatalf("seed %d: a request of priority %d waits behind %d less urgent calls", seed, q.Priority, len(calls))
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
	list := Request{Priority: cloud.PriorityRefresh, Tenant: "page", Call: CallOf(WithCall(ctx))}
	o := &order{}
	if went := drain(o, now, requests(now, list)); went != "page" {
		t.Fatal(went)
	}
	node := Request{Priority: cloud.PriorityNodeInit, Tenant: "node"}
	if went := drain(o, now, requests(now, node, list, list)); went != "page page node" {
		t.Errorf("they went %s", went)
	}
	other := Request{Priority: cloud.PriorityChange, Tenant: "other", Call: CallOf(WithCall(t.Context()))}
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
