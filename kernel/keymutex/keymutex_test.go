package keymutex

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Those of one key come one after the other, those of another at once, and no key leaves anything behind.
func TestMutex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Mutex
		var mu sync.Mutex
		var ends []time.Duration
		start := time.Now()
		for _, key := range []string{"a", "a", "a", "b"} {
			go func() {
				unlock, err := m.Lock(t.Context(), key)
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Second)
				mu.Lock()
				ends = append(ends, time.Since(start))
				mu.Unlock()
				unlock()
			}()
		}
		time.Sleep(1500 * time.Millisecond)
		if n := entries(&m); n != 1 {
			t.Errorf("%d keys locked after 1.5 s, want a's only", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := m.Lock(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a lock that somebody holds: %v, want the end of the context", err)
		}
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if n := entries(&m); len(ends) != 4 || ends[3] != 3*time.Second || n != 0 {
			t.Errorf("ends %v, %d entries left; want the last after 3 s, and none", ends, n)
		}
	})
}

func entries(m *Mutex) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.entries)
}
