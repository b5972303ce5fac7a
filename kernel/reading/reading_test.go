package reading_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/reading"
)

// source takes a second for each value: 1, 2 and so on.
type source struct {
	mu     sync.Mutex
	began  []time.Time
	fails  error
	ended  []error // the errors of the contexts at the end
	values []any   // of the contexts
}

type key struct{}

func (s *source) read(ctx context.Context) (int, error) {
	s.mu.Lock()
	s.began, s.values = append(s.began, time.Now()), append(s.values, ctx.Value(key{}))
	n, fails := len(s.began), s.fails
	s.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = append(s.ended, ctx.Err())
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return n, fails
}

// ask asks in the background, and returns what says what came of it.
func ask(ctx context.Context, shared *reading.Shared[int], after time.Time) func() (int, error) {
	var value reading.Value[int]
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		value, err = shared.Get(ctx, after)
	}()
	return func() (int, error) {
		<-done
		return value.Of, err
	}
}

func want(t *testing.T, what string, answer func() (int, error), value int, err error) {
	t.Helper()
	if got, failed := answer(); got != value || !errors.Is(failed, err) || err == nil && failed != nil {
		t.Errorf("%s: value %d, error %v, want %d and %v", what, got, failed, value, err)
	}
}

func TestWhoGetsWhat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{}
		shared := reading.New(from.read, reading.Options{})
		start := time.Now()
		first, same := ask(t.Context(), shared, start), ask(t.Context(), shared, start.Add(-time.Hour))
		time.Sleep(500 * time.Millisecond)
		later, sooner := ask(t.Context(), shared, time.Now()), ask(t.Context(), shared, start)
		want(t, "the first one", first, 1, nil)
		want(t, "one at the same time", same, 1, nil)
		want(t, "one that a reading under way serves", sooner, 1, nil)
		want(t, "one that asks for what begins later", later, 2, nil)
		if len(from.began) != 2 || !from.began[1].Equal(start.Add(time.Second)) {
			t.Errorf("readings began at %v, want two, the second at the end of the first", from.began)
		}
		want(t, "one for which there is a value", ask(t.Context(), shared, from.began[1]), 2, nil)
		if value, there := shared.Latest(); !there || value.Of != 2 || !value.Began.Equal(from.began[1]) || len(from.began) != 2 {
			t.Errorf("latest value %v, %v, after %d readings", value, there, len(from.began))
		}
	})
}

// Those who wait get the error of a reading. Nobody else does, and the former value stays.
func TestErrorsAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		from := &source{}
		shared := reading.New(from.read, reading.Options{})
		start := time.Now()
		want(t, "the first one", ask(t.Context(), shared, start), 1, nil)
		from.fails = broken
		one, other := ask(t.Context(), shared, time.Now()), ask(t.Context(), shared, time.Now())
		want(t, "one that waits", one, 2, broken)
		want(t, "another one", other, 2, broken)
		from.fails = nil
		want(t, "one for whom the former value serves", ask(t.Context(), shared, start), 1, nil)
		want(t, "one that asks after the error", ask(t.Context(), shared, time.Now()), 3, nil)
	})
}

func TestPauseAfterErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		from := &source{fails: broken}
		var times []int
		shared := reading.New(from.read, reading.Options{Pause: func(err error, n int) time.Duration {
			times = append(times, n)
			return time.Duration(n) * time.Minute
		}})
		for n, pause := range []time.Duration{time.Minute, 2 * time.Minute} {
			want(t, "one that reads", ask(t.Context(), shared, time.Now()), n+1, broken)
			time.Sleep(pause - time.Nanosecond)
			want(t, "one in the pause", ask(t.Context(), shared, time.Now()), 0, broken)
			time.Sleep(time.Nanosecond)
		}
		if from.fails = nil; len(from.began) != 2 {
			t.Errorf("%d readings, want one before each pause", len(from.began))
		}
		want(t, "one after the pause", ask(t.Context(), shared, time.Now()), 3, nil)
		from.fails = broken
		want(t, "one that fails again", ask(t.Context(), shared, time.Now()), 4, broken)
		if len(times) != 3 || times[2] != 1 {
			t.Errorf("errors in a row are counted %v, want 1, 2 and, after a value, 1", times)
		}
	})
}

// The reading goes on for the others, and for nobody. It has the values of the context for which it began.
func TestOneGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{}
		shared := reading.New(from.read, reading.Options{})
		impatient, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "first"))
		start := time.Now()
		gone := ask(impatient, shared, start)
		synctest.Wait()
		other := ask(t.Context(), shared, start)
		cancel()
		want(t, "one that gives up", gone, 0, context.Canceled)
		want(t, "another one", other, 1, nil)
		if len(from.began) != 1 || from.ended[0] != nil || from.values[0] != "first" {
			t.Errorf("%d readings, the first one's context ended with %v and had the value %v", len(from.began), from.ended[0], from.values[0])
		}
	})
}

func TestPatienceAndLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{}
		shared := reading.New(from.read, reading.Options{Patience: 900 * time.Millisecond})
		start := time.Now()
		_, err := shared.Get(t.Context(), start)
		if slow, isSlow := errors.AsType[*reading.SlowError](err); !isSlow || slow.Patience != 900*time.Millisecond || time.Since(start) != 900*time.Millisecond {
			t.Errorf("error %v after %s", err, time.Since(start))
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		want(t, "one after it", ask(t.Context(), shared, start), 1, nil)

		limited := reading.New(from.read, reading.Options{Limit: 500 * time.Millisecond})
		want(t, "one of a reading beyond its limit", ask(t.Context(), limited, time.Now()), 0, context.DeadlineExceeded)
	})
}

// Who finds a reading under way waits as long as his patience, which may grow meanwhile. The one for whom it began waits for its end.
func TestGetWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{}
		shared := reading.New(from.read, reading.Options{})
		start := time.Now()
		var patience atomic.Int64
		patience.Store(int64(200 * time.Millisecond))
		within := func(t *testing.T) (int, error) {
			value, err := shared.GetWithin(t.Context(), start, func() time.Duration { return time.Duration(patience.Load()) })
			return value.Of, err
		}
		var all sync.WaitGroup
		defer all.Wait()
		all.Go(func() { want(t, "the first one", func() (int, error) { return within(t) }, 1, nil) })
		synctest.Wait()
		all.Go(func() {
			_, err := within(t)
			if slow, isSlow := errors.AsType[*reading.SlowError](err); !isSlow || slow.Patience != 200*time.Millisecond || time.Since(start) != 200*time.Millisecond {
				t.Errorf("error %v after %s", err, time.Since(start))
			}
		})
		time.Sleep(400 * time.Millisecond)
		patience.Store(int64(500 * time.Millisecond))
		all.Go(func() { want(t, "one whose patience grows", func() (int, error) { return within(t) }, 1, nil) })
		time.Sleep(300 * time.Millisecond)
		patience.Store(int64(2 * time.Second))
	})
}

// Who waits for a reading that is put off waits for it from its beginning on.
func TestApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{}
		shared := reading.New(from.read, reading.Options{Patience: 2 * time.Second, Apart: func() time.Duration { return 10 * time.Second }})
		start := time.Now()
		want(t, "the first one", ask(t.Context(), shared, start), 1, nil)
		second := ask(t.Context(), shared, time.Now())
		time.Sleep(5 * time.Second)
		third := ask(t.Context(), shared, time.Now())
		want(t, "one that is put off", second, 2, nil)
		want(t, "one that asks before that one begins", third, 2, nil)
		if len(from.began) != 2 || !from.began[1].Equal(start.Add(10*time.Second)) {
			t.Errorf("readings began at %v, want two, ten seconds apart", from.began)
		}
	})
}

// What is written while a reading is under way is not in it for those who ask afterwards. Who asked before is served: otherwise
// nobody would be where much is written.
func TestOutdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{}
		shared := reading.New(from.read, reading.Options{})
		start := time.Now()
		before := ask(t.Context(), shared, start)
		time.Sleep(500 * time.Millisecond)
		shared.Outdate(time.Now())
		afterwards := ask(t.Context(), shared, start)
		want(t, "one that asked before the write", before, 1, nil)
		want(t, "one that asks after it", afterwards, 2, nil)
		shared.Outdate(start)
		want(t, "one after an older write", ask(t.Context(), shared, start), 2, nil)
		shared.Outdate(time.Now())
		want(t, "one at the moment of a write", ask(t.Context(), shared, start), 3, nil)
	})
}

func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{}
		shared := reading.New(from.read, reading.Options{Hold: time.Minute})
		for n := range 2 {
			want(t, "one without a value", ask(t.Context(), shared, time.Now()), n+1, nil)
			time.Sleep(time.Minute - 2*time.Second)
		}
		if value, there := shared.Latest(); !there || value.Of != 2 {
			t.Errorf("value %v, %v: it goes with the first one's time", value, there)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if value, there := shared.Latest(); there {
			t.Errorf("value %v is still held", value)
		}
	})
}

func TestUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{}
		shared := reading.New(from.read, reading.Options{})
		if value, there := shared.UnderWay(t.Context()); there || len(from.began) > 0 {
			t.Errorf("value %v while nothing is read", value)
		}
		start := time.Now()
		first := ask(t.Context(), shared, start)
		time.Sleep(500 * time.Millisecond)
		if value, there := shared.UnderWay(t.Context()); !there || value.Of != 1 || !value.Began.Equal(start) {
			t.Errorf("value %v, %v of a reading under way", value, there)
		}
		want(t, "the first one", first, 1, nil)
		from.fails = errors.New("broken")
		second := ask(t.Context(), shared, time.Now())
		synctest.Wait()
		if value, there := shared.UnderWay(t.Context()); there {
			t.Errorf("value %v of a reading that fails", value)
		}
		want(t, "the second one", second, 2, from.fails)
	})
}
