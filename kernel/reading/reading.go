// Package reading shares one reading among all who ask for it.
package reading

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Shared reads one thing for all who ask for it, one reading at a time:
//
//	who asks for                                          gets
//	a value whose reading began at a time or later,
//	 while there is one                                   that value, at once
//	 while such a reading is under way                    its value or error
//	 otherwise                                            those of the next reading
//	anything, in a pause after an error                   that error
//	anything, and gives up                                the error of the context; the reading goes on
//
// The exported fields are set before the first use.
type Shared[T any] struct {
	// Read reads the value. Its context has the values of the one for whom it is read, but not its end.
	Read func(context.Context) (T, error)
	// Limit is after which time the context of Read ends, and Patience for how long after its beginning somebody waits for a reading.
	// 0 is without a limit.
	Limit, Patience time.Duration
	// Apart is how long after the beginning of the latest value the next reading begins at the earliest, nil for any time.
	Apart func() time.Duration
	// Hold is for how long after its end a value stays in memory, 0 for ever.
	Hold time.Duration
	// Pause is how long nothing is read after an error, of which it is the times-th in a row, counted from 1. Nil is for no time: then
	// nobody but those who wait gets an error.
	Pause func(err error, times int) time.Duration

	mu       sync.Mutex
	latest   *Value[T]
	drop     *time.Timer
	began    time.Time // of the latest value
	running  *running[T]
	outdated time.Time
	// failure is the last error until a value is read, failures how many there were in a row, and paused the end of the pause.
	failure  error
	failures int
	paused   time.Time
}

// Value is what a reading has read.
type Value[T any] struct {
	Of T
	// Began is when the reading began.
	Began time.Time
}

// running is a reading that is under way, or that begins when Apart is over.
type running[T any] struct {
	begins time.Time
	begun  bool
	done   chan struct{}
	value  T
	err    error
}

// SlowError says that a reading has not ended for as long as somebody waits.
type SlowError struct{ Patience time.Duration }

func (e *SlowError) Error() string { return fmt.Sprintf("no answer since %v", e.Patience) }

// Get returns a value whose reading began at after or later, and reads it if need be.
func (s *Shared[T]) Get(ctx context.Context, after time.Time) (Value[T], error) {
	return s.GetWithin(ctx, after, nil)
}

// GetWithin is Get for somebody who waits for a reading that was under way already for as long as patience says, from now on; nil is without a
// limit. It is asked again when that time is over.
func (s *Shared[T]) GetWithin(ctx context.Context, after time.Time, patience func() time.Duration) (Value[T], error) {
	asked := time.Now()
	after = s.afterOutdated(after)
	for {
		reading, begun, value, err := s.join(ctx, after)
		switch {
		case reading == nil:
			return value, err
		case begun && patience != nil:
			err = s.waitWithin(ctx, reading, asked, patience)
		default:
			err = s.wait(ctx, reading)
		}
		if err != nil {
			return Value[T]{}, err
		}
		if !begun || !reading.begins.Before(after) {
			return Value[T]{reading.value, reading.begins}, reading.err
		}
	}
}

// Latest returns the latest value, and false where there is none.
func (s *Shared[T]) Latest() (Value[T], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == nil {
		return Value[T]{}, false
	}
	return *s.latest, true
}

// UnderWay waits for the reading that is under way or about to begin. It returns false where there is none, and where it has no value.
func (s *Shared[T]) UnderWay(ctx context.Context) (Value[T], bool) {
	s.mu.Lock()
	reading := s.running
	s.mu.Unlock()
	if reading == nil || s.wait(ctx, reading) != nil || reading.err != nil {
		return Value[T]{}, false
	}
	return Value[T]{reading.value, reading.begins}, true
}

// Outdate says that something was written at that time, or that it was in doubt. Who asks from now on does not get what began
// then or before.
func (s *Shared[T]) Outdate(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outdated = later(s.outdated, at)
}

// afterOutdated returns the earliest time at which a reading may have begun for somebody who asks now.
func (s *Shared[T]) afterOutdated(after time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outdated.IsZero() {
		return after
	}
	return later(after, s.outdated.Add(1))
}

// join returns the reading to wait for and whether it has begun already, and else a value or an error that are there.
func (s *Shared[T]) join(ctx context.Context, after time.Time) (reading *running[T], begun bool, value Value[T], err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch {
	case s.latest != nil && !s.latest.Began.Before(after):
		return nil, true, *s.latest, nil
	case s.running != nil:
	case s.failure != nil && now.Before(s.paused):
		return nil, true, Value[T]{}, s.failure
	default:
		s.running = &running[T]{begins: now, done: make(chan struct{})}
		if s.Apart != nil && !s.began.IsZero() {
			s.running.begins = later(now, s.began.Add(s.Apart()))
		}
		go s.read(context.WithoutCancel(ctx), s.running)
	}
	return s.running, s.running.begun, Value[T]{}, nil
}

// wait waits until a reading has ended.
func (s *Shared[T]) wait(ctx context.Context, reading *running[T]) error {
	patient := ctx
	if s.Patience > 0 {
		s.mu.Lock()
		end := reading.begins.Add(s.Patience)
		s.mu.Unlock()
		with, cancel := context.WithDeadline(ctx, end)
		defer cancel()
		patient = with
	}
	select {
	case <-reading.done:
		return nil
	case <-patient.Done():
	}
	select {
	case <-reading.done: // it came at the last moment
		return nil
	default:
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return &SlowError{s.Patience}
}

// waitWithin waits until a reading has ended, for as long as patience says since somebody asked.
func (s *Shared[T]) waitWithin(ctx context.Context, reading *running[T], asked time.Time, patience func() time.Duration) error {
	for {
		limit := patience()
		waiting, end := context.WithDeadline(ctx, asked.Add(limit))
		err := s.wait(waiting, reading)
		end()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if patience() <= limit {
			return &SlowError{limit}
		}
	}
}

func (s *Shared[T]) read(ctx context.Context, reading *running[T]) {
	until, cancel := context.WithDeadline(ctx, reading.begins)
	<-until.Done()
	cancel()
	if s.Limit > 0 {
		limited, cancel := context.WithTimeout(ctx, s.Limit)
		defer cancel()
		ctx = limited
	}
	s.mu.Lock()
	reading.begins, reading.begun = time.Now(), true
	s.mu.Unlock()
	value, err := s.Read(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	reading.value, reading.err = value, err
	s.running = nil
	if err == nil {
		s.keep(Value[T]{value, reading.begins})
	} else {
		s.fail(err)
	}
	close(reading.done)
}

// keep holds a value. The caller holds mu.
func (s *Shared[T]) keep(value Value[T]) {
	s.latest, s.began = &value, value.Began
	s.failure, s.failures = nil, 0
	if s.drop != nil {
		s.drop.Stop()
	}
	if held := s.latest; s.Hold > 0 {
		s.drop = time.AfterFunc(s.Hold, func() { s.forget(held) })
	}
}

// forget drops a value, unless there is a later one.
func (s *Shared[T]) forget(value *Value[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == value {
		s.latest = nil
	}
}

// fail begins a pause. The caller holds mu.
func (s *Shared[T]) fail(err error) {
	s.failures++
	if s.Pause != nil {
		s.failure, s.paused = err, time.Now().Add(s.Pause(err, s.failures))
	}
}

func later(x, y time.Time) time.Time {
	if y.After(x) {
		return y
	}
	return x
}
