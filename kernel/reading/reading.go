// Package reading shares one reading among all who ask for it.
package reading

import (
	"context"
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
type Shared[T any] struct{ shared }

// New returns what is read by that function. Its context has the values of the one for whom it is read, but not its end.
func New[T any](read func(context.Context) (T, error), o Options) *Shared[T] {
	return &Shared[T]{shared{Options: o, read: func(ctx context.Context) (any, error) { return read(ctx) }}}
}

// Options say when readings begin, and how long they are waited for.
type Options struct {
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
}

// Value is what a reading has read.
type Value[T any] struct {
	Of T
	// Began is when the reading began.
	Began time.Time
}

// Get returns a value whose reading began at after or later, and reads it if need be.
func (s *Shared[T]) Get(ctx context.Context, after time.Time) (Value[T], error) {
	return s.GetWithin(ctx, after, nil)
}

// GetWithin is Get for somebody who waits for a reading that was under way already for as long as patience says, from now on; nil is without a
// limit. It is asked again when that time is over.
func (s *Shared[T]) GetWithin(ctx context.Context, after time.Time, patience func() time.Duration) (Value[T], error) {
	got, err := s.get(ctx, after, patience)
	return valueOf[T](got), err
}

// Latest returns the latest value, and false where there is none.
func (s *Shared[T]) Latest() (Value[T], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == nil {
		return Value[T]{}, false
	}
	return valueOf[T](*s.latest), true
}

// UnderWay waits for the reading that is under way or about to begin. It returns false where there is none, and where it has no value.
func (s *Shared[T]) UnderWay(ctx context.Context) (Value[T], bool) {
	got, there := s.underWay(ctx)
	return valueOf[T](got), there
}

// Outdate says that something was written at that time, or that it was in doubt. Who asks from now on does not get what began
// then or before.
func (s *Shared[T]) Outdate(at time.Time) { s.outdate(at) }

func valueOf[T any](v value) Value[T] {
	of, _ := v.of.(T)
	return Value[T]{of, v.began}
}
