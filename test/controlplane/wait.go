package controlplane

import (
	"context"
	"fmt"
	"time"
)

// pollPeriod is how often Eventually looks again.
const pollPeriod = 50 * time.Millisecond

// Eventually calls check, at once and then every 50 ms, until it returns nil.
// The error of check should say what is still missing: when ctx ends first,
// it is the error that Eventually returns, next to the cause of ctx's end.
// ctx is passed on, so a check that hangs ends with it.
func Eventually(ctx context.Context, check func(context.Context) error) error {
	ticker := time.NewTicker(pollPeriod)
	defer ticker.Stop()
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		// What the end of ctx did to the last call says less than the
		// state before it.
		if last == nil || ctx.Err() == nil {
			last = err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w; last state: %w", context.Cause(ctx), last)
		}
	}
}
