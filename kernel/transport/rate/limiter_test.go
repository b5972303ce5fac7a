package rate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The published limits of a real cloud.
var published = cloud.Limits{RequestsPerMinute: 250, RequestsPerHour: 5000}

// most returns the most requests that any period of that length holds.
func most(sent []time.Time, length time.Duration) int {
	best, first := 0, 0
	for last := range sent {
		for sent[last].Sub(sent[first]) >= length {
			first++
		}
		best = max(best, last-first+1)
	}
	return best
}

// pass waits for a request whose answer comes at once.
func pass(ctx context.Context, l *Limiter, p cloud.Priority) error {
	err := l.Wait(ctx, Request{Priority: p})
	if err == nil {
		l.Lost()
	}
	return err
}

// saturate sends as much as the limiter allows for a while.
func saturate(t *testing.T, l *Limiter, p cloud.Priority, d time.Duration) []time.Time {
	t.Helper()
	var sent []time.Time
	for end := time.Now().Add(d); time.Now().Before(end); {
		if err := pass(context.Background(), l, p); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, time.Now())
	}
	return sent
}

func TestLimiterStaysBelowPublishedLimits(t *testing.T) {
	tests := map[string]struct {
		limits           cloud.Limits
		qps              float64
		minute, hour     int // the most any minute and hour may hold
		atOnce, sustains int // requests at once, and in the third hour
	}{
		"minute and hour": {published, 0, 200, 4000, 200, 2000},
		"hour":            {cloud.Limits{RequestsPerHour: 3600}, 0, 1464, 2880, 1440, 1440},
		"minute":          {cloud.Limits{RequestsPerMinute: 250}, 0, 200, 12000, 200, 12000},
		"given":           {published, 0.5, 31, 1801, 1, 1800},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := NewLimiter(test.limits, test.qps)
				start := time.Now()
				sent := saturate(t, l, cloud.PriorityNodeInit, 3*time.Hour)
				if n := most(sent, time.Minute); n > test.minute {
					t.Errorf("a minute holds %d requests, want at most %d", n, test.minute)
				}
				if n := most(sent, time.Hour); n > test.hour {
					t.Errorf("an hour holds %d requests, want at most %d", n, test.hour)
				}
				at := func(d time.Duration) int {
					n, _ := slices.BinarySearchFunc(sent, start.Add(d), time.Time.Compare)
					return n
				}
				if n := at(1); n != test.atOnce {
					t.Errorf("%d requests at once, want %d", n, test.atOnce)
				}
				if n := at(3*time.Hour) - at(2*time.Hour); n < test.sustains-1 || n > test.sustains+1 {
					t.Errorf("%d requests in the third hour, want %d", n, test.sustains)
				}
			})
		})
	}
}

// queue is who went through a limiter, in that order.
type queue struct {
	limiter *Limiter
	mu      sync.Mutex
	names   []string
}

// arrive starts a wait and writes its name when it may go.
func (q *queue) arrive(p cloud.Priority, name string) {
	go func() {
		if pass(context.Background(), q.limiter, p) == nil {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.names = append(q.names, name)
		}
	}()
	synctest.Wait()
}

func (q *queue) went() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.names)
}

func TestLimiterLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{limiter: NewLimiter(cloud.Limits{}, 1)}
		q.arrive(cloud.PriorityRefresh, "first")
		q.arrive(cloud.PriorityRefresh, "refresh")
		q.arrive(cloud.PriorityExistence, "existence")
		q.arrive(cloud.PriorityChange, "change")
		q.arrive(cloud.PriorityCreation, "creation")
		q.arrive(cloud.PriorityBegun, "look")
		q.arrive(cloud.PriorityDeletion, "deletion")
		q.arrive(cloud.PriorityNodeInit, "node 1")
		q.arrive(cloud.PriorityNodeInit, "node 2")
		time.Sleep(time.Hour)
		synctest.Wait()
		want := []string{"first", "node 1", "node 2", "existence", "deletion", "look", "creation", "change", "refresh"}
		if order := q.went(); !slices.Equal(order, want) {
			t.Errorf("order = %v, want %v", order, want)
		}
	})
}

func TestLimiterStarvesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(cloud.Limits{}, 1)
		ctx, cancel := context.WithCancel(t.Context())
		for range 60 { // new Nodes alone need more than there is
			go func() {
				for pass(ctx, l, cloud.PriorityNodeInit) == nil {
				}
			}()
		}
		synctest.Wait()
		limited, stop := context.WithTimeout(ctx, cloud.CallTimeout)
		defer stop()
		if err := l.Wait(limited, Request{Priority: cloud.PriorityRefresh}); err != nil {
			t.Errorf("a refresh starved: %v", err)
		}
		cancel()
	})
}

func TestLimiterKeepsRoomForUrgentOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{limiter: NewLimiter(published, 0)}
		for range 200 {
			q.arrive(cloud.PriorityRefresh, "refresh")
		}
		if n := len(q.went()); n != 100 {
			t.Errorf("%d refreshes at once, want 100", n)
		}
		q.arrive(cloud.PriorityNodeInit, "node")
		if order := q.went(); order[len(order)-1] != "node" {
			t.Error("the node had to wait for refreshes")
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := len(q.went()); n != 201 {
			t.Errorf("%d requests went, want all 201", n)
		}
	})
}

// A cloud that is slow gets so many requests at once, fewer where they are less urgent. The next one goes when one is answered, or
// has no answer.
func TestRequestsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(cloud.Limits{}, 0)
		q, others := &queue{limiter: l}, 0
		for ; ; others++ {
			now, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			err := l.Wait(now, Request{Priority: cloud.PriorityCreation})
			cancel()
			if err == nil {
				continue
			}
			const want = "no request for new load balancers was possible before the deadline; it is slow to answer those that are under way"
			if !cloud.IsClass(err, cloud.FailureThrottled) || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v\nwant  %s", err, want)
			}
			break
		}
		if others != 19 {
			t.Errorf("%d requests for new load balancers at once, want 60 %% of 32", others)
		}
		if err := pass(t.Context(), l, cloud.PriorityNodeInit); err != nil {
			t.Error(err)
		}
		q.arrive(cloud.PriorityCreation, "after an answer")
		q.arrive(cloud.PriorityCreation, "after a loss")
		if went := q.went(); len(went) > 0 {
			t.Errorf("%v went before an answer", went)
		}
		l.Observe(time.Now(), Advice{})
		synctest.Wait()
		if went := q.went(); len(went) != 2 { // each is answered at once
			t.Errorf("after an answer went %v, want both", went)
		}
		for range mostAtOnce - (others - 1) {
			if err := l.Wait(t.Context(), Request{Priority: cloud.PriorityNodeInit}); err != nil {
				t.Error(err)
			}
		}
		q.arrive(cloud.PriorityNodeInit, "new Node")
		if went := q.went(); len(went) != 2 {
			t.Errorf("%v went beside %d requests under way", went, mostAtOnce)
		}
		l.Lost()
		synctest.Wait()
		if went := q.went(); len(went) != 3 {
			t.Errorf("after a request was lost went %v, want the new Node", went)
		}
	})
}

func TestLimiterPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(published, 0)
		l.Observe(time.Now(), Advice{Pause: 30 * time.Second})
		start := time.Now()
		short, cancel := context.WithTimeout(t.Context(), 29*time.Second)
		defer cancel()
		err := l.Wait(short, Request{Priority: cloud.PriorityNodeInit})
		if f := cloud.FailureOf(err); f.Class != cloud.FailureThrottled || f.RetryAfter != 30*time.Second || time.Since(start) != 0 {
			t.Errorf("failure = %+v after %v, want throttled for 30 s at once", f, time.Since(start))
		}
		if err := l.Wait(t.Context(), Request{Priority: cloud.PriorityNodeInit}); err != nil || time.Since(start) != 30*time.Second {
			t.Errorf("went after %v with %v, want after 30 s", time.Since(start), err)
		}
	})
}

func TestPauseFailsThoseThatAlreadyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(cloud.Limits{}, 0.1)
		if err := l.Wait(t.Context(), Request{Priority: cloud.PriorityRefresh}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		start := time.Now()
		time.AfterFunc(5*time.Second, func() { l.Observe(time.Now(), Advice{Pause: time.Minute}) })
		err := l.Wait(ctx, Request{Priority: cloud.PriorityRefresh})
		if !cloud.IsClass(err, cloud.FailureThrottled) || time.Since(start) != 5*time.Second {
			t.Errorf("%v after %v, want throttled after 5 s", err, time.Since(start))
		}
	})
}

func TestOvertakenUntilTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(cloud.Limits{}, 1)
		busy, stop := context.WithCancel(t.Context())
		for range 9 {
			go func() {
				for pass(busy, l, cloud.PriorityNodeInit) == nil {
				}
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		err := l.Wait(ctx, Request{Priority: cloud.PriorityRefresh})
		if !cloud.IsClass(err, cloud.FailureThrottled) || time.Since(start) != 5*time.Second {
			t.Errorf("%v after %v, want throttled at the deadline", err, time.Since(start))
		}
		stop()
	})
}

func TestLimiterForgetsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(cloud.Limits{}, 0.1)
		if err := l.Wait(t.Context(), Request{Priority: cloud.PriorityRefresh}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if err := l.Wait(ctx, Request{Priority: cloud.PriorityRefresh}); !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
			t.Errorf("error = %v, want canceled", err)
		}
		if len(l.queue) != 0 {
			t.Errorf("%d waiters left, want none", len(l.queue))
		}
	})
}

func TestLimiterAIMD(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(cloud.Limits{}, 10)
		throttled := Advice{Pause: time.Second}
		sent := time.Now()
		time.Sleep(time.Second)
		l.Observe(sent, throttled)
		l.Observe(sent, throttled) // was on its way when the first one was answered
		if l.rate != 0.5 {
			t.Errorf("rate = %v after one burst, want 0.5", l.rate)
		}
		for range 10 {
			l.Observe(time.Now(), throttled)
		}
		if l.rate != lowestRate {
			t.Errorf("rate = %v, want the lowest %v", l.rate, lowestRate)
		}
		time.Sleep(time.Hour) // fills the bucket
		if n := len(saturate(t, l, cloud.PriorityNodeInit, 100*time.Second)); n < 108 || n > 111 {
			t.Errorf("%d requests in 100 s, want 10 and one a second", n)
		}
		for range 45 {
			l.Observe(time.Now(), Advice{})
		}
		if l.rate < 0.99 {
			t.Errorf("rate = %v after 45 good answers, want nearly all", l.rate)
		}
		l.Observe(time.Now(), Advice{})
		l.Observe(time.Now(), Advice{})
		if l.rate != 1 {
			t.Errorf("rate = %v, want 1 at most", l.rate)
		}
	})
}

func TestAIMDScalesTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(published, 0)
		l.Observe(time.Now(), Advice{Pause: time.Second})
		time.Sleep(time.Second)
		start := time.Now()
		for range 101 {
			if err := pass(t.Context(), l, cloud.PriorityNodeInit); err != nil {
				t.Fatal(err)
			}
		}
		if elapsed := time.Since(start); elapsed != time.Minute {
			t.Errorf("the 101st request went after %v, want a minute", elapsed)
		}
	})
}

func TestLimiterBelievesTheCloudsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(published, 0)
		l.Observe(time.Now(), Advice{Remaining: 3, HasRemaining: true}) // others used the rest
		start := time.Now()
		sent := saturate(t, l, cloud.PriorityNodeInit, time.Minute)
		if at, _ := slices.BinarySearchFunc(sent, start.Add(1), time.Time.Compare); at != 3 {
			t.Errorf("%d requests at once, want 3", at)
		}
		if n := len(sent); n < 34 || n > 38 {
			t.Errorf("%d requests in a minute, want 3 and a trickle of 33", n)
		}
	})
}
