package framework

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestFirewallLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var passes []time.Duration
		var failure error
		loop := newLoop("Testing", func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			passes = append(passes, time.Since(start))
			return failure
		})
		h := firewallEvents(loop, window)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { loop.run(ctx); close(done) }()
		expect := func(why string, want ...time.Duration) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if len(passes) != len(want) {
				t.Fatalf("%s: passes %v, want %v", why, passes, want)
			}
			for i := range want {
				if passes[i] != want[i] {
					t.Fatalf("%s: passes %v, want %v", why, passes, want)
				}
			}
			start, passes = time.Now(), nil
		}
		expect("at first", 0)
		time.Sleep(5 * time.Minute)
		expect("poll", 5*time.Minute)
		changed := service("web")
		changed.ResourceVersion = "8"
		h.OnUpdate(service("web"), changed)
		h.OnDelete(changed)
		h.OnUpdate(changed, changed)
		time.Sleep(window)
		expect("a change", window)
		h.OnUpdate(changed, changed)
		time.Sleep(time.Minute)
		expect("a resync")
		mu.Lock()
		failure = errors.New("no")
		mu.Unlock()
		loop.changed()
		time.Sleep(15 * time.Second)
		expect("retries", 0, 5*time.Second, 15*time.Second)
		cancel()
		<-done
	})
}
