package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// detached returns a context for a read that several questions share: it keeps the values
// of the first one's, not its end.
func detached(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

// bounded calls the cloud and gives up on a call that ignores its deadline, so that one
// that never returns holds nothing but itself. A panic becomes an error.
func bounded[T any](ctx context.Context, op string, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, cloud.CallTimeout)
	defer cancel()
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.err = &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnknown}, Op: op, Err: fmt.Errorf("panic: %v", p)}
			}
			done <- o
		}()
		o.value, o.err = f(ctx)
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var zero T
		return zero, &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Op: op, Err: ctx.Err()}
	}
}

// pause waits, unless the context ends before.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
