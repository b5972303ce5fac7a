package drain

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// call runs until release is closed or its context ends.
func call(ctx context.Context, g *Drain, release <-chan struct{}) error {
	_, err := Track(ctx, g, cloud.PriorityRefresh, func(ctx context.Context) (struct{}, error) {
		select {
		case <-release:
			return struct{}{}, nil
		case <-ctx.Done():
			return struct{}{}, ctx.Err()
		}
	})
	return err
}

func TestGateLetsCallsFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, release := New(), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() { result <- call(ctx, g, release) }()
		synctest.Wait()
		cancel() // the controller stops
		time.AfterFunc(300*time.Millisecond, func() { close(release) })
		start := time.Now()
		if !g.Close(t.Context(), time.Second) {
			t.Error("not idle")
		}
		if took := time.Since(start); took != 300*time.Millisecond {
			t.Errorf("closing took %v", took)
		}
		if err := <-result; err != nil {
			t.Errorf("the call was cut off: %v", err)
		}
		if err := call(t.Context(), g, nil); !errors.Is(err, ErrStopping) {
			t.Errorf("a call got through the closed gate: %v", err)
		}
	})
}

func TestGateAbortsCallsThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New()
		result := make(chan error, 1)
		go func() { result <- call(t.Context(), g, nil) }()
		synctest.Wait()
		start := time.Now()
		if !g.Close(t.Context(), time.Second) {
			t.Error("not idle")
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("closing took %v", took)
		}
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestGateGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, release := New(), make(chan struct{})
		go Track(t.Context(), g, cloud.PriorityRefresh, func(context.Context) (int, error) { <-release; return 0, nil })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if g.Close(ctx, time.Second) {
			t.Error("idle although a call ignores its context")
		}
		close(release)
		if !g.Close(t.Context(), time.Second) {
			t.Error("not idle the second time")
		}
	})
}
