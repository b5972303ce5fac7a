package controlplane

import (
	"context"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/process"
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

// WaitReady returns nil once probe does. Its error, when the program ends or
// ctx does first, contains the end of the program's log.
func WaitReady(ctx context.Context, p *process.Process, probe func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	//nolint:contextcheck // the program's end is not the caller's
	defer context.AfterFunc(p.Ended(), func() { cancel(context.Cause(p.Ended())) })()
	if err := Eventually(ctx, probe); err != nil {
		return fmt.Errorf("wait for %s to be ready: %w; end of its log:\n%s", p.Name(), err, p.Tail())
	}
	return nil
}
