package transport

import (
	"context"
	"math/rand/v2"
	"time"
)

// firstBackoff is the mean pause before the second try. It doubles with each try.
const firstBackoff = 200 * time.Millisecond

// Backoff is the pause after the nth try, between half and one and a half of its mean.
func Backoff(try int) time.Duration {
	mean := firstBackoff << (try - 1)
	return mean/2 + rand.N(mean)
}

// Sleep waits unless the deadline would pass meanwhile, and reports whether it did.
func Sleep(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
