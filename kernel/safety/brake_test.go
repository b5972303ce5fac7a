package safety

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestBrakeLimit(t *testing.T) {
	tests := []struct {
		name    string
		options BrakeOptions
		total   int
		want    int
	}{
		{"small cluster", BrakeOptions{}, 3, 5},
		{"at the crossing", BrakeOptions{}, 59, 5},
		{"large cluster", BrakeOptions{}, 1000, 100},
		{"own values", BrakeOptions{Max: 2, Fraction: 0.5}, 10, 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			brake, allowed := NewBrake(test.options), 0
			for n := range 2 * test.want {
				if brake.Allow(fmt.Sprint(n), test.total) == nil {
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

func TestBrakeWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		brake := NewBrake(BrakeOptions{Max: 2})
		brake.Allow("a", 0)
		time.Sleep(4 * time.Minute)
		brake.Allow("b", 0)
		if brake.Engaged() {
			t.Error("engaged before anything was refused")
		}
		if err := brake.Allow("a", 0); err != nil {
			t.Errorf("the same key again: %v", err)
		}
		refused, ok := errors.AsType[*BrakeError](brake.Allow("c", 0))
		if !ok || refused.Limit != 2 || time.Until(refused.Until) != 6*time.Minute {
			t.Fatalf("third key: %+v, want a refusal for 6 minutes", refused)
		}
		time.Sleep(6*time.Minute - 1)
		if err := brake.Allow("c", 0); err == nil || !brake.Engaged() {
			t.Error("let go before the oldest left the window")
		}
		time.Sleep(time.Nanosecond)
		if brake.Engaged() {
			t.Error("engaged after the oldest left the window")
		}
		if err := brake.Allow("c", 0); err != nil {
			t.Errorf("after the window: %v", err)
		}
		if err := brake.Allow("a", 0); err == nil {
			t.Error("an expired key was let through a full window")
		}
	})
}

func TestBrakeRelease(t *testing.T) {
	brake := NewBrake(BrakeOptions{Max: 1})
	brake.Allow("a", 0)
	if brake.Allow("b", 0) == nil || !brake.Engaged() {
		t.Fatal("second key was let through")
	}
	brake.Release()
	if brake.Engaged() {
		t.Error("engaged after the release")
	}
	if err := brake.Allow("b", 0); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

func TestBrakeCheckCountsNothing(t *testing.T) {
	brake := NewBrake(BrakeOptions{Max: 1})
	for range 3 {
		if err := brake.Check("a", 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := brake.Allow("b", 0); err != nil {
		t.Errorf("Check() counted: %v", err)
	}
	if brake.Check("a", 0) == nil {
		t.Error("Check() lets through what Allow() refuses")
	}
}

func TestBrakeConcurrently(t *testing.T) {
	brake := NewBrake(BrakeOptions{})
	var wg sync.WaitGroup
	var allowed atomic.Int64
	for n := range 100 {
		wg.Go(func() {
			if brake.Allow(fmt.Sprint(n), 10) == nil {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 5 {
		t.Errorf("%d allowed, want 5", allowed.Load())
	}
}
