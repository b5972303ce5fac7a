package conformance

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// cancellation checks that every call ends as soon as its context does, although the cloud
// does not answer.
func (s *suite) cancellation(t *testing.T) {
	f := s.start(t)
	probes := f.probes()
	for _, p := range probes {
		f.control.Fail(Fault{Hang: true}, 0)
		before := f.requests()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := p.call(ctx)
			done <- err
		}()
		if !within(patience, func() bool { return f.requests() > before }) {
			t.Errorf("%s made no request", p.name)
		}
		cancel()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s: cancelled, but no error", p.name)
			}
			if f.driver.Classify(err).Class == cloud.FailureNotFound {
				t.Errorf("%s: a cancelled call is classified as not found", p.name)
			}
		case <-time.After(patience):
			t.Fatalf("%s did not return %s after its cancellation", p.name, patience)
		}
		f.control.Heal()
	}
}

func (f *fixture) requests() int {
	reads, writes := f.control.Requests()
	return reads + writes
}

// goroutines checks that calls leave none behind, however they end: after many rounds there
// are no more than after the first few.
func (s *suite) goroutines(t *testing.T) {
	f := s.start(t)
	probes := f.probes()
	round := func() {
		for _, fault := range []Fault{{Status: 500}, {Hang: true}, {Truncate: true}} {
			f.control.Fail(fault, 0)
			for _, p := range probes {
				if p.kind == write && fault.acts() {
					continue // each round would make another balancer
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
				_, _ = p.call(ctx)
				cancel()
			}
			f.control.Heal()
		}
	}
	const warm, rounds, slack = 2, 6, 5
	for range warm {
		round()
	}
	before := runtime.NumGoroutine()
	for range rounds {
		round()
	}
	if !within(patience, func() bool { return runtime.NumGoroutine() <= before+slack }) {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines after %d rounds, %d before:\n%s", runtime.NumGoroutine(), rounds, before, stacks[:runtime.Stack(stacks, true)])
	}
}

// within polls a condition until it holds or the time is over.
func within(limit time.Duration, condition func() bool) bool {
	for deadline := time.Now().Add(limit); !condition(); time.Sleep(time.Millisecond) { //nolint:forbidigo // the number of goroutines cannot be waited for
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
