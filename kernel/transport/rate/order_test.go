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
	// takes is how many seconds an answer takes at the most where requests under way are bounded, 0 where they are not, and ends are when those that
	// are under way are answered.
	takes int
	ends  []time.Time
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

// room is what a limiter has room for.
func (s *simulation) room() room {
	r := room{sustained: s.sustained}
	s.ends = slices.DeleteFunc(s.ends, func(end time.Time) bool { return !end.After(s.now) })
	for p, share := range shares {
		r.full[p] = len(s.ends) >= int(share*mostAtOnce)
		if s.reserved != nil {
			r.times[p] = s.reserved.ready(s.now, share)
		}
	}
	return r
}

func (s *simulation) grant(workers []*worker) {
	r := s.room()
	if r.full[cloud.PriorityNodeInit] {
		return
	}
	at := s.order.choose(s.now, s.queue, r)
	if at < 0 {
		return
	}
	if s.takes > 0 {
		s.ends = append(s.ends, s.now.Add(time.Duration(1+s.IntN(s.takes))*time.Second))
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

// Random workers of all priorities want more than there is, in half of the cases with a reserve for what is urgent, in a third with a cloud
// that is slow. What is to be finished, and whose turn comes, costs a more urgent request one call of a less urgent priority at most, each priority goes on, and a list of which a
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
		if seed%3 == 2 {
			s.takes, s.sustained = 40, unpublishedQPS
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
				if s.reserved != nil || s.takes > 0 { // it says how many go
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
	for len(queue) > 0 {
		at := o.choose(now, queue, room{sustained: 1})
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
	kept := room{times: [cloud.Priorities]time.Time{cloud.PriorityCreation: now.Add(time.Hour)}, sustained: 1} // for what is more urgent
	if at := o.choose(now.Add(2*patience), queue, kept); at != 3 {
		t.Errorf("request %d goes, want that of the namespace that used less", at)
	}
}

// A cloud that takes twenty seconds for an answer, of which everybody wants more than it gives: nearly all goes to new Nodes, a little to each of
// the others.
func TestSlowCloudServesNewNodes(t *testing.T) {
	s := &simulation{Rand: rand.New(rand.NewPCG(1, 1)), now: time.Unix(1e9, 0), sustained: unpublishedQPS, takes: 40, overtook: map[*waiter]map[*Call]bool{}, begun: map[*Call]time.Time{}}
	var workers []*worker
	for p := range cloud.Priority(cloud.Priorities) {
		for range 100 {
			workers = append(workers, &worker{priority: p, reads: p == cloud.PriorityRefresh})
		}
	}
	for range 600 {
		s.now = s.now.Add(time.Second)
		for _, w := range workers {
			if w.idle--; w.waiting == nil {
				s.arrive(w)
			}
		}
		for range 5 {
			s.grant(workers)
		}
	}
	all := 0
	for p, n := range s.served {
		if all += n; n == 0 {
			t.Errorf("nothing of priority %d went in ten minutes", p)
		}
	}
	if n := s.served[cloud.PriorityNodeInit]; n < all*8/10 {
		t.Errorf("%d of %d requests were of new Nodes: %v", n, all, s.served)
	}
	for _, w := range workers {
		w.end()
	}
}

// Comparisons that are not answered leave room for a new Node, however long they wait.
func TestComparisonsWithoutAnswersLeaveRoom(t *testing.T) {
	s := &simulation{Rand: rand.New(rand.NewPCG(1, 1)), now: time.Unix(1e9, 0), sustained: unpublishedQPS, takes: 1e6, overtook: map[*waiter]map[*Call]bool{}, begun: map[*Call]time.Time{}}
	var workers []*worker
	for range 100 {
		workers = append(workers, &worker{priority: cloud.PriorityRefresh})
		s.arrive(workers[len(workers)-1])
	}
	for range 300 {
		s.now = s.now.Add(time.Second)
		s.grant(workers)
	}
	if n := s.served[cloud.PriorityRefresh]; n != mostAtOnce/2 {
		t.Errorf("%d comparisons are under way, want half of %d", n, mostAtOnce)
	}
	for _, w := range workers {
		w.end()
	}
}
