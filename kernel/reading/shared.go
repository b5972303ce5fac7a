package reading

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// shared is Shared for values of any type: the program has it once.
type shared struct {
	Options
	read func(context.Context) (any, error)

	mu       sync.Mutex
	latest   *value
	drop     *time.Timer
	began    time.Time // of the latest value
	running  *running
	outdated time.Time
	// failure is the last error until a value is read, failures how many there were in a row, and paused the end of the pause.
	failure  error
	failures int
	paused   time.Time
}

type value struct {
	of    any
	began time.Time
}

// running is a reading that is under way, or that begins when Apart is over.
type running struct {
	begins time.Time
	begun  bool
	done   chan struct{}
	value  any
	err    error
}

// SlowError says that a reading has not ended for as long as somebody waits.
type SlowError struct{ Patience time.Duration }

func (e *SlowError) Error() string { return fmt.Sprintf("no answer since %v", e.Patience) }

func (s *shared) get(ctx context.Context, after time.Time, patience func() time.Duration) (value, error) {
	asked := time.Now()
	after = s.afterOutdated(after)
	for {
		reading, begun, known, err := s.join(ctx, after)
		switch {
		case reading == nil:
			return known, err
		case begun && patience != nil:
			err = s.waitWithin(ctx, reading, asked, patience)
		default:
			err = s.wait(ctx, reading)
		}
		if err != nil {
			return value{}, err
		}
		if !begun || !reading.begins.Before(after) {
			return value{reading.value, reading.begins}, reading.err
		}
	}
}

func (s *shared) underWay(ctx context.Context) (value, bool) {
	s.mu.Lock()
	reading := s.running
	s.mu.Unlock()
	if reading == nil || s.wait(ctx, reading) != nil || reading.err != nil {
		return value{}, false
	}
	return value{reading.value, reading.begins}, true
}

func (s *shared) outdate(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outdated = later(s.outdated, at)
}

// afterOutdated returns the earliest time at which a reading may have begun for somebody who asks now.
func (s *shared) afterOutdated(after time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outdated.IsZero() {
		return after
	}
	return later(after, s.outdated.Add(1))
}

// join returns the reading to wait for and whether it has begun already, and else a value or an error that are there.
func (s *shared) join(ctx context.Context, after time.Time) (reading *running, begun bool, known value, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch {
	case s.latest != nil && !s.latest.began.Before(after):
		return nil, true, *s.latest, nil
	case s.running != nil:
	case s.failure != nil && now.Before(s.paused):
		return nil, true, value{}, s.failure
	default:
		s.running = &running{begins: now, done: make(chan struct{})}
		if s.Apart != nil && !s.began.IsZero() {
			s.running.begins = later(now, s.began.Add(s.Apart()))
		}
		go s.run(context.WithoutCancel(ctx), s.running)
	}
	return s.running, s.running.begun, value{}, nil
}

// wait waits until a reading has ended.
func (s *shared) wait(ctx context.Context, reading *running) error {
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
func (s *shared) waitWithin(ctx context.Context, reading *running, asked time.Time, patience func() time.Duration) error {
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

func (s *shared) run(ctx context.Context, reading *running) {
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
	read, err := s.read(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	reading.value, reading.err = read, err
	s.running = nil
	if err == nil {
		s.keep(value{read, reading.begins})
	} else {
		s.fail(err)
	}
	close(reading.done)
}

// keep holds a value. The caller holds mu.
func (s *shared) keep(v value) {
	s.latest, s.began = &v, v.began
	s.failure, s.failures = nil, 0
	if s.drop != nil {
		s.drop.Stop()
	}
	if held := s.latest; s.Hold > 0 {
		s.drop = time.AfterFunc(s.Hold, func() { s.forget(held) })
	}
}

// forget drops a value, unless there is a later one.
func (s *shared) forget(v *value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == v {
		s.latest = nil
	}
}

// fail begins a pause. The caller holds mu.
func (s *shared) fail(err error) {
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
