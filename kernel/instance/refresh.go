package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/reading"
)

// maxListBackoff is the longest pause after lists that failed one after the other.
const maxListBackoff = time.Minute

// refresher reads lists of machines, one at a time: all who need one wait for the same.
type refresher struct {
	*state
	reading *reading.Shared[struct{}]
}

func newRefresher(s *state) *refresher {
	r := &refresher{state: s}
	r.reading = reading.New(r.read, reading.Options{
		Patience: s.policy.Patience, Pause: pauseAfter,
		Apart: func() time.Duration { return minRefresh },
	})
	return r
}

// refresh makes sure that a list which was started at since or later has been read, and reads
// it if need be. No error means that there is one, not that it is believed.
func (r *refresher) refresh(ctx context.Context, since time.Time) error {
	_, err := r.reading.Get(ctx, since)
	if _, slow := errors.AsType[*reading.SlowError](err); slow {
		return fmt.Errorf("listing machines: %w", err)
	}
	return err
}

// read reads a list. One that fails does not count as one, but it puts off the next one.
func (r *refresher) read(ctx context.Context) (struct{}, error) {
	go r.credentials.learn(ctx)
	started := time.Now()
	// A list is for all who ask: a new Node must not wait for one that is read for something less urgent.
	list, err := within(cloud.WithTenant(cloud.WithPriority(ctx, cloud.PriorityNodeInit), ""), cloud.CallTimeout, "list instances", r.instances.List)
	r.budget.spend(r.schedule.pages(len(list.Items)))
	if err != nil {
		r.report.count(metric.Refreshes, "failed")
		return struct{}{}, fmt.Errorf("listing machines: %w", err)
	}
	r.take(ctx, cache.NewSnapshot(list, started))
	r.cache.Update(func(l *cache.Lists) { l.Started = started })
	r.budget.listed()
	return struct{}{}, nil
}

// pauseAfter is how long no list is read after one that failed: for as long as the cloud asks, and longer after each.
func pauseAfter(err error, times int) time.Duration {
	return max(min(minRefresh<<min(times-1, 10), maxListBackoff), cloud.FailureOf(err).RetryAfter)
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
