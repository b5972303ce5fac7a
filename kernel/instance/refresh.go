package instance

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/batch"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// maxListBackoff is the longest pause after lists that failed one after the other.
const maxListBackoff = time.Minute

// refresher reads lists of machines, one at a time: all who need one wait for the same.
type refresher struct {
	*state
	reading batch.Batcher[struct{}, struct{}]

	mu sync.Mutex
	// start is when the list that is asked for starts, later than now where minRefresh asks for
	// a pause; zero when none is.
	start time.Time
	// failure answers the questions that need a list until retryAt, so that they fail at once
	// instead of asking the cloud again each; failures are how many there were in a row.
	failure  error
	failures int
	retryAt  time.Time
}

func newRefresher(s *state) *refresher {
	r := &refresher{state: s}
	r.reading = batch.Batcher[struct{}, struct{}]{Rejoin: true, Answer: r.read}
	return r
}

// refresh makes sure that a list which was started at since or later has been read, and reads
// it if need be. No error means that there is one, not that it is believed.
func (r *refresher) refresh(ctx context.Context, since time.Time) error {
	for {
		read, start, err := r.join(ctx, since)
		if read == nil || err != nil {
			return err
		}
		if err := r.wait(ctx, read, start); err != nil {
			return err
		}
	}
}

// join returns the list to wait for: none when there is one that young.
func (r *refresher) join(ctx context.Context, since time.Time) (*batch.Question[struct{}], time.Time, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, listed := time.Now(), r.cache.Lists().Started
	switch {
	case !listed.IsZero() && !listed.Before(since):
		return nil, time.Time{}, nil
	case !r.start.IsZero():
	case r.failure != nil && now.Before(r.retryAt):
		return nil, time.Time{}, r.failure
	default:
		r.start = now
		if earliest := listed.Add(minRefresh); !listed.IsZero() && earliest.After(now) {
			r.start = earliest
		}
	}
	return r.reading.Join(ctx, struct{}{})[0], r.start, nil
}

// underway waits for the list that is being read, and returns when it started; false when there is none.
func (r *refresher) underway(ctx context.Context) (start time.Time, listed bool) {
	r.mu.Lock()
	start = r.start
	if start.IsZero() {
		r.mu.Unlock()
		return start, false
	}
	read := r.reading.Join(ctx, struct{}{})[0]
	r.mu.Unlock()
	return start, r.wait(ctx, read, start) == nil
}

// wait waits for a list, but not for longer than Patience.
func (r *refresher) wait(ctx context.Context, read *batch.Question[struct{}], start time.Time) error {
	patient, cancel := context.WithDeadline(ctx, start.Add(r.policy.Patience))
	defer cancel()
	_, err := read.Wait(patient)
	switch {
	case ctx.Err() != nil || patient.Err() == nil:
		return err
	case !read.Answered():
		return fmt.Errorf("listing machines: no answer since %v", time.Since(start).Round(time.Second))
	}
	_, err = read.Wait(ctx) // it came at the last moment
	return err
}

func (r *refresher) read(ctx context.Context, asked map[struct{}]*batch.Question[struct{}]) {
	r.mu.Lock()
	start := r.start
	r.mu.Unlock()
	pause, end := context.WithDeadline(ctx, start)
	<-pause.Done()
	end()
	go r.credentials.learn(ctx)
	started := time.Now()
	// A list is for all who ask: a new Node must not wait for one that is read for something less urgent.
	list, err := within(cloud.WithTenant(cloud.WithPriority(ctx, cloud.PriorityNodeInit), ""), cloud.CallTimeout, "list instances", r.instances.List)
	r.budget.spend(r.schedule.pages(len(list.Items)))
	if err != nil {
		err = fmt.Errorf("listing machines: %w", err)
		r.report.count(metric.Refreshes, "failed")
	} else {
		r.take(ctx, cache.NewSnapshot(list, started))
	}
	r.finish(asked[struct{}{}], started, err)
}

// finish answers those who wait. A list that failed does not count as one, but it puts off the
// next one, for as long as the cloud asks.
func (r *refresher) finish(asked *batch.Question[struct{}], started time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.start, r.failure = time.Time{}, err
	if err == nil {
		r.failures = 0
		r.cache.Update(func(l *cache.Lists) { l.Started = started })
		r.budget.listed()
	} else {
		pause := min(minRefresh<<min(r.failures, 10), maxListBackoff)
		r.failures++
		r.retryAt = time.Now().Add(max(pause, cloud.FailureOf(err).RetryAfter))
	}
	asked.Answer(struct{}{}, err)
}

// within calls the cloud and gives up on a call that ignores its deadline, so that one that never
// returns holds nothing but itself. The decorated driver contains panics.
func within[T any](ctx context.Context, limit time.Duration, op string, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f(ctx)
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return *new(T), &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Op: op, Err: ctx.Err()}
	}
}
