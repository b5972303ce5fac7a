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

// mostAtOnce is how many requests to one API may be under way until the header of their answers comes, each priority with its share: what a
// cloud that is slow has been asked for already is what a more urgent request waits behind there.
const mostAtOnce = 32

// Limiter lets requests through as order says, as fast as the budget allows.
// There is no goroutine: whoever arrives, and a timer, hands out what is due.
type Limiter struct {
	mu     sync.Mutex
	budget budget
	order  order
	// rate is the part of the budget in use, between lowestRate and 1.
	rate float64
	// lowered is when the rate was last lowered; requests sent before then say nothing
	// about the lower rate.
	lowered time.Time
	// LeastPause follows an answer that was recognised as throttled, see cloud.API.
	LeastPause time.Duration
	// paused is until when nothing is sent.
	paused time.Time
	queue  []*waiter // by arrival
	timer  *time.Timer
	// underWay is how many requests were let through and are not answered yet, and told when the latest of those was let through
	// that said how many are left.
	underWay int
	told     time.Time
}

// NewLimiter returns the limiter of what is in none of a cloud's APIs; qps as in transport.Options.
func NewLimiter(limits cloud.Limits, qps float64) *Limiter {
	return &Limiter{budget: newBudget(limits, qps), rate: 1}
}

// ForAPI returns the limiter of one of a cloud's APIs. qps can only lower limits that are declared; where none is, it stands in for
// our own.
func ForAPI(api cloud.API, qps float64) *Limiter {
	limits := cloud.Limits{RequestsPerHour: api.RequestsPerHour, RequestsPerMinute: api.RequestsPerMinute}
	if limits.RequestsPerHour == 0 && limits.RequestsPerMinute == 0 {
		return &Limiter{budget: newBudget(limits, qps), rate: 1, LeastPause: api.Pause}
	}
	return &Limiter{budget: newBudget(limits, 0).atMost(qps), rate: 1, LeastPause: api.Pause}
}

// Wait returns when the request may be sent. It fails with a throttled *cloud.Error as soon as
// it is certain that this will not be within the deadline of ctx, so that nobody waits in
// vain. Where it does not fail, Observe or Lost has to follow.
func (l *Limiter) Wait(ctx context.Context, r Request) error {
	if err := ctx.Err(); err != nil {
		return Waited(err)
	}
	w := &waiter{Request: r, since: time.Now(), result: make(chan error, 1)}
	w.deadline, _ = ctx.Deadline()
	l.enter(w)
	select {
	case err := <-w.result:
		return err
	case <-ctx.Done():
		if !l.leave(w) && <-w.result == nil {
			l.Lost()
		}
		return l.overtaken(w, ctx.Err())
	}
}

func (l *Limiter) enter(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, w)
	l.dispatch(time.Now()) // under the lock: a bucket fills twice for the time by which it is asked for an earlier one
}

// leave takes a request out of the queue, and reports whether it was there.
func (l *Limiter) leave(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.queue, w)
	if at < 0 {
		return false
	}
	l.queue = slices.Delete(l.queue, at, at+1)
	return true
}

// dispatch answers every waiter that can be answered now, and sets the timer for the next.
func (l *Limiter) dispatch(now time.Time) {
	times := l.times(now)
	for !times[cloud.PriorityNodeInit].After(now) && !l.full(cloud.PriorityNodeInit) {
		at := l.order.choose(now, l.queue, l.room(times))
		if at < 0 {
			break
		}
		w := l.queue[at]
		l.queue = slices.Delete(l.queue, at, at+1)
		l.budget.take(now)
		l.order.went(now, w, l.queue)
		l.underWay++
		w.result <- nil
		times = l.times(now)
	}
	var wake time.Time
	l.queue = slices.DeleteFunc(l.queue, func(w *waiter) bool {
		at, due := times[w.standing()], later(times[cloud.PriorityNodeInit], l.order.dueAt(w, l.sustained()))
		if l.order.finishes(w) {
			at = times[cloud.PriorityNodeInit]
		}
		if first := earlier(at, due); !w.deadline.IsZero() && first.After(w.deadline) {
			w.result <- l.tooLate(now, w, first.Sub(now))
			return true
		}
		for _, t := range []time.Time{at, due} {
			if t.After(now) && (wake.IsZero() || t.Before(wake)) { // else others have to go first
				wake = t
			}
		}
		return false
	})
	l.wake(wake, now)
}

// sustained is how many requests a second there may be in the long run, at the rate in use.
func (l *Limiter) sustained() float64 { return l.rate * l.budget.sustained }

// times returns when a request may be sent if no other is sent before, by its standing.
func (l *Limiter) times(now time.Time) (times [cloud.Priorities]time.Time) {
	for p, share := range shares {
		times[p] = later(l.budget.ready(now, share), l.paused)
	}
	return times
}

// full reports whether as many requests are under way as there may be of that standing. The next one goes when one is answered.
func (l *Limiter) full(standing cloud.Priority) bool {
	return l.underWay >= int(shares[standing]*mostAtOnce)
}

func (l *Limiter) room(times [cloud.Priorities]time.Time) room {
	r := room{times: times, sustained: l.sustained()}
	for p := range r.full {
		r.full[p] = l.full(cloud.Priority(p))
	}
	return r
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
	l.underWay = max(l.underWay-1, 0)
	if a.HasRemaining && !sent.Before(l.told) {
		l.told = sent
		l.budget.believe(now, a.Remaining, l.underWay)
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

// Lost says that a request that was let through has no answer.
func (l *Limiter) Lost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.underWay = max(l.underWay-1, 0)
	l.dispatch(time.Now())
}

const waiting = "waiting for the rate limit"

// overtaken is the error of a request before which others went until its context ended.
func (l *Limiter) overtaken(w *waiter, err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return Waited(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	const text = "no request for %s was possible before the deadline; %s: %w"
	if l.full(w.standing()) {
		return waited("waiting for the cloud", fmt.Errorf(text, purposes[w.Priority], "it is slow to answer those that are under way", err))
	}
	return Waited(fmt.Errorf(text, purposes[w.Priority], l.order.usage.text(time.Now()), err))
}

func (l *Limiter) tooLate(now time.Time, w *waiter, wait time.Duration) error {
	return &cloud.Error{
		Failure: cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: wait},
		Op:      waiting,
		Err: fmt.Errorf("the next request for %s is possible in %s, after the deadline; %s: %w",
			purposes[w.Priority], wait.Round(time.Second), l.order.usage.text(now), context.DeadlineExceeded),
	}
}

// Waited is the error of a wait that ended with its context. A deadline that passed here says
// that we are slow, not that the cloud does not answer.
func Waited(err error) error { return waited(waiting, err) }

func waited(op string, err error) error {
	failure := cloud.Failure{Class: cloud.FailureUnknown}
	if errors.Is(err, context.DeadlineExceeded) {
		failure.Class = cloud.FailureThrottled
	}
	return &cloud.Error{Failure: failure, Op: op, Err: err}
}
