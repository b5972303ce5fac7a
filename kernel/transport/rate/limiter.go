// Package rate limits the requests to one API of a cloud: how many there may be, who goes first, and what its answers
// say about that.
package rate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Additive increase, multiplicative decrease: a throttled answer halves the rate, each other
// answer gives back a fiftieth of it.
const (
	decrease   = 0.5
	increase   = 0.02
	lowestRate = 0.1
)

// aging is how much longer a request must have waited to go before one of the next more
// urgent lane. It keeps a lane from starving behind another that is never empty.
const aging = 10 * time.Second

// Limiter lets requests through in the order of their lanes, as fast as the budget allows.
// There is no goroutine: whoever arrives, and a timer, hands out what is due.
type Limiter struct {
	mu     sync.Mutex
	budget budget
	// rate is the part of the budget in use, between lowestRate and 1.
	rate float64
	// lowered is when the rate was last lowered; requests sent before then say nothing
	// about the lower rate.
	lowered time.Time
	// LeastPause follows an answer that was recognised as throttled, see cloud.API.
	LeastPause time.Duration
	// paused is until when nothing is sent.
	paused time.Time
	queue  []*waiter // by due
	timer  *time.Timer
}

// waiter is a request that waits.
type waiter struct {
	priority cloud.Priority
	// due orders the queue: the arrival, plus aging for each lane below the first.
	due time.Time
	// deadline is the zero Time when there is none.
	deadline time.Time
	result   chan error // capacity 1
}

// NewLimiter returns the limiter of what is in none of a cloud's APIs; qps as in transport.Options.
func NewLimiter(limits cloud.Limits, qps float64) *Limiter {
	return &Limiter{budget: newBudget(limits, qps), rate: 1}
}

// ForAPI returns the limiter of one of a cloud's APIs. qps can only lower its limits.
func ForAPI(api cloud.API, qps float64) *Limiter {
	limits := cloud.Limits{RequestsPerHour: api.RequestsPerHour, RequestsPerMinute: api.RequestsPerMinute}
	return &Limiter{budget: newBudget(limits, 0).atMost(qps), rate: 1, LeastPause: api.Pause}
}

// Wait returns when the request may be sent. It fails with a throttled *cloud.Error as soon as
// it is certain that this will not be within the deadline of ctx, so that nobody waits in
// vain.
func (l *Limiter) Wait(ctx context.Context, priority cloud.Priority) error {
	if err := ctx.Err(); err != nil {
		return Waited(err)
	}
	now := time.Now()
	w := &waiter{priority: priority, due: now.Add(time.Duration(priority) * aging), result: make(chan error, 1)}
	w.deadline, _ = ctx.Deadline()
	l.enter(w)
	select {
	case err := <-w.result:
		return err
	case <-ctx.Done():
		l.leave(w)
		return Waited(ctx.Err())
	}
}

func (l *Limiter) enter(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, _ := slices.BinarySearchFunc(l.queue, w, func(queued, w *waiter) int {
		if queued.due.After(w.due) {
			return 1
		}
		return -1 // equal ones stay in the order of arrival
	})
	l.queue = slices.Insert(l.queue, at, w)
	l.dispatch(time.Now()) // under the lock: a bucket fills twice for the time by which it is asked for an earlier one
}

func (l *Limiter) leave(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := slices.Index(l.queue, w); at >= 0 {
		l.queue = slices.Delete(l.queue, at, at+1)
	}
}

// dispatch answers every waiter that can be answered now, and sets the timer for the next.
func (l *Limiter) dispatch(now time.Time) {
	var next time.Time
	l.queue = slices.DeleteFunc(l.queue, func(w *waiter) bool {
		at := l.earliest(now, w.priority)
		switch {
		case !at.After(now):
			l.budget.take(now)
			w.result <- nil
			return true
		case !w.deadline.IsZero() && at.After(w.deadline):
			w.result <- tooLate(at.Sub(now))
			return true
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
		return false
	})
	l.wake(next, now)
}

func (l *Limiter) earliest(now time.Time, priority cloud.Priority) time.Time {
	at := l.budget.at(now, priority)
	if l.paused.After(at) {
		return l.paused
	}
	return at
}

func (l *Limiter) wake(at, now time.Time) {
	if l.timer != nil {
		l.timer.Stop()
	}
	if at.IsZero() {
		return
	}
	l.timer = time.AfterFunc(at.Sub(now), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.dispatch(time.Now())
	})
}

// Observe learns from an answer to a request sent at that time.
func (l *Limiter) Observe(sent time.Time, a Advice) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if a.HasRemaining {
		l.budget.clamp(now, float64(a.Remaining))
	}
	switch {
	case a.Pause == 0:
		l.rate = min(l.rate+increase, 1)
	case !sent.Before(l.lowered):
		l.rate = max(l.rate*decrease, lowestRate)
		l.lowered = now
	}
	l.budget.scale(now, l.rate)
	if until := now.Add(a.Pause); a.Pause > 0 && until.After(l.paused) {
		l.paused = until
	}
	l.dispatch(now)
}

const waiting = "waiting for the rate limit"

func tooLate(wait time.Duration) error {
	return &cloud.Error{
		Failure: cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: wait},
		Op:      waiting,
		Err:     fmt.Errorf("the next request is possible in %s, after the deadline: %w", wait.Round(time.Millisecond), context.DeadlineExceeded),
	}
}

// Waited is the error of a wait that ended with its context. A deadline that passed here says
// that we are slow, not that the cloud does not answer.
func Waited(err error) error {
	failure := cloud.Failure{Class: cloud.FailureUnknown}
	if errors.Is(err, context.DeadlineExceeded) {
		failure.Class = cloud.FailureThrottled
	}
	return &cloud.Error{Failure: failure, Op: waiting, Err: err}
}

// LaneName is the label of a priority.
func LaneName(p cloud.Priority) string {
	switch p {
	case cloud.PriorityBalancer:
		return "balancer"
	case cloud.PriorityNodeInit:
		return "node_init"
	case cloud.PriorityExistence:
		return "existence"
	default:
		return "refresh"
	}
}
