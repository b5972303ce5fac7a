package watch_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/watch"
)

func TestUntilSeesTheChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var signal watch.Signal
		value := 0
		done := make(chan error)
		go func() { done <- signal.Until(t.Context(), func() bool { return value == 2 }) }()
		for range 2 {
			synctest.Wait() // blocked, and so not looking at value
			value++
			signal.Announce()
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestUntilEndsWithItsContext(t *testing.T) {
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if err := new(watch.Signal).Until(ctx, func() bool { return false }); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}
