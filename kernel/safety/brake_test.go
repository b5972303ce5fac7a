package safety

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// shelf is a Store that outlives brakes.
type shelf struct {
	mu     sync.Mutex
	stored Stored
	err    error
	writes int
	// clock is the store's, zero when it has none.
	clock time.Time
	// between is called once between reading and writing.
	between func()
}

func (s *shelf) Update(_ context.Context, change func(Stored) (string, error)) error {
	for {
		s.mu.Lock()
		before, err := s.stored, s.err
		between := s.between
		s.between = nil
		s.mu.Unlock()
		if err != nil {
			return err
		}
		before.Now = s.clock
		record, err := change(before)
		before.Now = time.Time{}
		if err != nil {
			return err
		}
		if between != nil {
			between()
		}
		s.mu.Lock()
		if s.stored != before {
			s.mu.Unlock()
			continue
		}
		if record != before.Record {
			s.writes++
		}
		s.stored.Record = record
		s.mu.Unlock()
		return nil
	}
}

func (s *shelf) brake(o BrakeOptions) *Brake {
	b := NewBrake(o)
	b.Keep(s)
	return b
}

// order writes a release as an operator does.
func (s *shelf) order(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored.ReleasedBy, s.stored.ReleasedAt = "jane", at.UTC().Format(time.RFC3339)
}

func allow(b *Brake, key string, total int) error {
	_, err := b.Allow(context.Background(), total, key)
	return err
}

func TestBrakeLimit(t *testing.T) {
	tests := []struct {
		options     BrakeOptions
		total, want int
	}{
		{BrakeOptions{}, 0, 1},
		{BrakeOptions{}, 1, 1},
		{BrakeOptions{}, 3, 1},
		{BrakeOptions{}, 5, 2},
		{BrakeOptions{}, 10, 5},
		{BrakeOptions{}, 20, 5},
		{BrakeOptions{}, 50, 10},
		{BrakeOptions{}, 1000, 200},
		{BrakeOptions{Max: 2, Fraction: 0.5}, 10, 5},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%+v of %d", test.options, test.total), func(t *testing.T) {
			brake, allowed := NewBrake(test.options), 0
			for n := range 2 * test.want {
				if allow(brake, fmt.Sprint(n), test.total) == nil {
					allowed++
				}
			}
			if allowed != test.want {
				t.Errorf("%d of %d nodes allowed, want %d", allowed, test.total, test.want)
			}
			if !brake.Engaged() {
				t.Error("not engaged after a refusal")
			}
		})
	}
}

// The limit is of the nodes there were: it does not shrink with those that go.
func TestBrakeLimitWhileNodesGo(t *testing.T) {
	brake := NewBrake(BrakeOptions{})
	for n := range 20 {
		if err := allow(brake, fmt.Sprint(n), 100-n); err != nil {
			t.Fatalf("deletion %d: %v", n+1, err)
		}
	}
	if allow(brake, "one more", 80) == nil {
		t.Error("21 of 100 were allowed")
	}
}

func TestBrakeWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		brake := NewBrake(BrakeOptions{Max: 2})
		allow(brake, "a", 4)
		time.Sleep(4 * time.Minute)
		allow(brake, "b", 4)
		if brake.Engaged() {
			t.Error("engaged before anything was refused")
		}
		if err := allow(brake, "a", 4); err != nil {
			t.Errorf("the same key again: %v", err)
		}
		refused, ok := errors.AsType[*BrakeError](allow(brake, "c", 4))
		if !ok || refused.Limit != 2 || time.Until(refused.Until) != 6*time.Minute {
			t.Fatalf("third key: %+v, want a refusal for 6 minutes", refused)
		}
		time.Sleep(6*time.Minute - 1)
		if err := allow(brake, "c", 4); err == nil || !brake.Engaged() {
			t.Error("let go before the oldest left the window")
		}
		time.Sleep(time.Nanosecond)
		if brake.Engaged() {
			t.Error("engaged after the oldest left the window")
		}
		if err := allow(brake, "c", 4); err != nil {
			t.Errorf("after the window: %v", err)
		}
		if err := allow(brake, "a", 4); err == nil {
			t.Error("an expired key was let through a full window")
		}
	})
}

// A process that is killed again and again must not get a new window each time.
func TestBrakeSurvivesRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, allowed := &shelf{}, 0
		for start := range 12 {
			brake := kept.brake(BrakeOptions{})
			for n := range 5 {
				if allow(brake, fmt.Sprint(start, n), 20) == nil {
					allowed++
				}
			}
			time.Sleep(45 * time.Second)
		}
		if allowed != 5 {
			t.Errorf("%d deletions in 9 minutes, want 5", allowed)
		}
		time.Sleep(2 * time.Minute)
		if err := allow(kept.brake(BrakeOptions{}), "later", 20); err != nil {
			t.Errorf("after the window: %v", err)
		}
	})
}

// Two processes that both believe to lead share one window.
func TestBrakeOfTwoProcesses(t *testing.T) {
	kept := &shelf{}
	one, two := kept.brake(BrakeOptions{}), kept.brake(BrakeOptions{})
	kept.between = func() {
		if n, err := two.Allow(t.Context(), 20, "1", "2", "3", "4"); len(n) != 4 || err != nil {
			t.Errorf("the other process: %v, %v", n, err)
		}
	}
	n, err := one.Allow(t.Context(), 20, "5", "6")
	if _, refused := errors.AsType[*BrakeError](err); len(n) != 1 || !refused {
		t.Errorf("Allow() = %v, %v, want one more and a refusal", n, err)
	}
	if err := allow(two, "7", 20); err == nil {
		t.Error("the other process has room left")
	}
}

// What can't be written down must not happen, and what was can be found.
func TestBrakeCountsBefore(t *testing.T) {
	kept := &shelf{err: errors.New("no answer")}
	brake := kept.brake(BrakeOptions{})
	n, err := brake.Allow(t.Context(), 20, "a")
	if _, ok := errors.AsType[*StoreError](err); len(n) != 0 || !ok || !brake.Engaged() {
		t.Errorf("Allow() = %v, %v, engaged %v", n, err, brake.Engaged())
	}
	kept.err = nil
	if err := allow(brake, "a", 20); err != nil || brake.Engaged() {
		t.Errorf("once it can be written: %v, engaged %v", err, brake.Engaged())
	}
	if got := kept.brake(BrakeOptions{}); allow(got, "a", 20) != nil || got.state.size() != 1 {
		t.Errorf("the next process finds %+v", got.state)
	}
}

// A record that nobody understands holds everything for a window, in every process.
func TestBrakeUnreadable(t *testing.T) {
	for _, record := range []string{"{", `{"version":2}`, `{"version":1,"deletions":[{"at":1,"of":3,"keys":"short"}]}`, "null", " "} {
		t.Run(record, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kept := &shelf{stored: Stored{Record: record}}
				for range 9 {
					err := allow(kept.brake(BrakeOptions{}), "a", 20)
					if refused, ok := errors.AsType[*BrakeError](err); !ok || !refused.Unreadable || !strings.Contains(err.Error(), "could not be read") {
						t.Fatalf("Allow() = %v, want a refusal in its own words", err)
					}
					time.Sleep(time.Minute)
				}
				time.Sleep(time.Minute)
				if err := allow(kept.brake(BrakeOptions{}), "a", 20); err != nil {
					t.Errorf("after a window: %v", err)
				}
			})
		})
	}
}

func TestBrakeUnreadableReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &shelf{stored: Stored{Record: "{"}}
		if allow(kept.brake(BrakeOptions{}), "a", 20) == nil {
			t.Fatal("an unreadable record held nothing")
		}
		kept.order(time.Now())
		if err := allow(kept.brake(BrakeOptions{}), "a", 20); err != nil {
			t.Errorf("after the release: %v", err)
		}
	})
}

// An object that somebody deleted takes the record with it, but not from a running process.
func TestBrakeRecordDeleted(t *testing.T) {
	kept := &shelf{}
	brake := kept.brake(BrakeOptions{})
	for n := range 5 {
		allow(brake, fmt.Sprint(n), 20)
	}
	kept.stored = Stored{}
	if allow(brake, "another", 20) == nil {
		t.Error("the window was forgotten")
	}
	if allow(kept.brake(BrakeOptions{}), "another", 20) == nil {
		t.Error("the window was not stored again")
	}
}

// A release forgets what was deleted before it and lets through what is missing, once, also
// if the process dies right after it saw the release.
func TestBrakeRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &shelf{}
		brake := kept.brake(BrakeOptions{})
		var told []Release
		brake.Watch(func(time.Time) ([]string, bool) { return []string{"m1", "m2"}, true }, func(r Release) { told = append(told, r) })
		brake.Allow(t.Context(), 20, "1", "2", "3", "4", "5")
		if brake.Remember(t.Context(), "account") != nil || allow(brake, "m1", 20) == nil || !brake.Engaged() {
			t.Fatal("the window was never full")
		}
		time.Sleep(time.Minute)
		kept.order(time.Now())
		time.Sleep(refreshAge)
		if err := brake.Check(t.Context(), 20, "m1"); err != nil || brake.Engaged() || brake.Account() != "" {
			t.Errorf("after the release: %v, engaged %v, account %q", err, brake.Engaged(), brake.Account())
		}
		if len(told) != 1 || told[0].By != "jane" || told[0].Keys != 2 {
			t.Errorf("told %+v", told)
		}
		next := kept.brake(BrakeOptions{})
		n, err := next.Allow(t.Context(), 20, "6", "7", "8", "9", "10", "m1", "m2", "11")
		if len(n) != 7 || err == nil {
			t.Errorf("Allow() = %v, %v, want a new window, and beyond it what was missing", n, err)
		}
		if !next.Released("m1") || next.Released("11") {
			t.Error("the next process does not know what was released")
		}
		time.Sleep(releaseTTL)
		if allow(next, "m1", 20) != nil || next.Released("m1") {
			t.Error("the release has no end")
		}
	})
}

// An API server that hangs keeps nobody waiting for longer than one update may take, however many
// wait.
func TestBrakeStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		brake := NewBrake(BrakeOptions{})
		brake.Keep(hanging{})
		began := time.Now()
		var wg sync.WaitGroup
		for n := range 10 {
			wg.Go(func() {
				err := brake.Refresh(t.Context())
				if n > 7 {
					err = allow(brake, fmt.Sprint(n), 20)
				}
				if _, ok := errors.AsType[*StoreError](err); !ok {
					t.Errorf("%v, want a *StoreError", err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took > 2*storeTimeout {
			t.Errorf("ten callers waited for %v", took)
		}
	})
}

// hanging is a Store that never answers.
type hanging struct{}

func (hanging) Update(ctx context.Context, _ func(Stored) (string, error)) error {
	<-ctx.Done()
	return ctx.Err()
}

// A process whose clock is fast does not take what was deleted a minute ago for long ago: the
// store's clock counts, where it has one.
func TestBrakeOfAnotherClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &shelf{clock: time.Now()}
		one := kept.brake(BrakeOptions{})
		one.Allow(t.Context(), 20, "1", "2", "3", "4", "5")
		kept.clock = kept.clock.Add(time.Minute)
		time.Sleep(time.Hour) // the other one's clock
		for _, brake := range []*Brake{one, kept.brake(BrakeOptions{})} {
			err := allow(brake, "6", 20)
			if err == nil || !brake.Engaged() || brake.Check(t.Context(), 20, "6") == nil {
				t.Errorf("the window was forgotten: %v, engaged %v", err, brake.Engaged())
			}
		}
		kept.order(kept.clock)
		one.Watch(func(time.Time) ([]string, bool) { return []string{"6"}, true }, nil)
		time.Sleep(refreshAge)
		if err := allow(one, "6", 20); err != nil || !one.Released("6") {
			t.Errorf("after the release: %v", err)
		}
		kept.clock = kept.clock.Add(releaseTTL)
		one.Allow(t.Context(), 20, "7")
		if one.Released("6") {
			t.Error("the release has no end")
		}
	})
}

// A release from last week, which somebody's tool applies again, is not about today, and one from
// a clock that is slow can't be told from it. Whoever gave it is told, once.
func TestBrakeStaleRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for at, want := range map[string]string{
			"yesterday": "want RFC 3339",
			time.Now().Add(-11 * time.Minute).Format(time.RFC3339): "11m0s ago by the clock of the API server",
		} {
			kept := &shelf{stored: Stored{ReleasedAt: at}}
			brake := kept.brake(BrakeOptions{Max: 1, Fraction: 0.01})
			var told []Release
			brake.Watch(func(time.Time) ([]string, bool) { return []string{"b"}, true }, func(r Release) { told = append(told, r) })
			allow(brake, "a", 20)
			if allow(brake, "b", 20) == nil {
				t.Errorf("released at %q", at)
			}
			if len(told) != 1 || told[0].Err == nil || !strings.Contains(told[0].Err.Error(), want) {
				t.Errorf("%q: told %+v, want %q once", at, told, want)
			}
		}
	})
}

// A release is about the time it was given, by the slower of the two clocks, and waits until
// somebody knows what was missing then.
func TestBrakeReleaseTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, skew := range []time.Duration{-time.Minute, 0, time.Hour} {
			given, known, told := time.Now(), false, 0
			kept := &shelf{}
			kept.order(given.Add(skew))
			brake := kept.brake(BrakeOptions{Max: 1, Fraction: 0.01})
			brake.Watch(func(at time.Time) ([]string, bool) {
				if want := given.Add(min(skew, 0)); known && !at.Equal(want) && skew <= 0 || at.After(time.Now()) {
					t.Errorf("asked what was missing at %v, want %v", at, want)
				}
				return []string{"b"}, known
			}, func(Release) { told++ })
			allow(brake, "a", 20)
			if allow(brake, "b", 20) == nil || told != 0 || brake.Released("b") {
				t.Error("released before it was known what was missing")
			}
			time.Sleep(5 * time.Minute)
			known = true
			if err := allow(brake, "b", 20); err != nil || told != 1 {
				t.Errorf("clock of the operator %v ahead: %v, told %d times", skew, err, told)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestBrakeCheckCountsNothing(t *testing.T) {
	brake := NewBrake(BrakeOptions{Max: 1, Fraction: 0.01})
	for range 3 {
		if err := brake.Check(t.Context(), 10, "a"); err != nil {
			t.Fatal(err)
		}
	}
	if err := allow(brake, "b", 10); err != nil {
		t.Errorf("Check() counted: %v", err)
	}
	if brake.Check(t.Context(), 10, "a") == nil {
		t.Error("Check() lets through what Allow() refuses")
	}
}

func TestBrakeConcurrently(t *testing.T) {
	brake := (&shelf{}).brake(BrakeOptions{})
	var wg sync.WaitGroup
	var allowed atomic.Int64
	for n := range 100 {
		wg.Go(func() {
			if allow(brake, fmt.Sprint(n), 10) == nil {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 5 {
		t.Errorf("%d allowed, want 5", allowed.Load())
	}
}

// Many at once are one write, and the record of a large cluster fits on an object.
func TestBrakeSize(t *testing.T) {
	kept := &shelf{}
	brake := kept.brake(BrakeOptions{Fraction: 1})
	all := make([]string, 5000)
	for n := range all {
		all[n] = fmt.Sprintf("%08d-1234-1234-1234-123456789012", n)
	}
	if n, err := brake.Allow(t.Context(), len(all), all...); len(n) != len(all) || err != nil {
		t.Fatalf("Allow() = %v, %v", n, err)
	}
	if kept.writes != 1 || len(kept.stored.Record) > 48<<10 {
		t.Errorf("%d writes of %d bytes", kept.writes, len(kept.stored.Record))
	}
	huge := state{Permitted: keys(strings.Repeat("abcdefgh", 25000))}
	if _, err := huge.encode(); err == nil {
		t.Error("a record that does not fit was encoded")
	}
}

// FuzzBrakeRecord: whatever is in the record, nothing panics, it is either understood or holds
// for a window, and what is written can be read.
func FuzzBrakeRecord(f *testing.F) {
	f.Add("")
	f.Add("{")
	f.Add(`{"version":1,"deletions":[{"at":1763782800,"of":40,"keys":"abcdefgh12345678"}],"heldUntil":99999999999,"account":"x"}`)
	f.Add(`{"version":1,"permitted":"abcdefgh","permittedUntil":-5}`)
	f.Fuzz(func(t *testing.T, record string) {
		kept := &shelf{stored: Stored{Record: record}}
		brake := kept.brake(BrakeOptions{})
		err := allow(brake, "a", 100)
		if _, decodeErr := decode(record); decodeErr != nil && record != "" && err == nil {
			t.Fatalf("%q can't be read (%v) and holds nothing", record, decodeErr)
		}
		if stored := kept.stored.Record; stored != "" && stored != record {
			if _, err := decode(stored); err != nil {
				t.Fatalf("wrote %q: %v", stored, err)
			}
		}
	})
}
