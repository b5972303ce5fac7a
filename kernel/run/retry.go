package run

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// maxTries is how often a read is tried within one call.
	maxTries = 3
	// firstBackoff is the mean pause before the second try; it doubles with each try.
	firstBackoff = 200 * time.Millisecond
	// maxRetryAfter is the longest wait the cloud may ask for that is still spent inside
	// the call; a longer one goes back to the caller, who has other work.
	maxRetryAfter = 5 * time.Second
)

// retry says whether a call that failed on its nth try is tried again, and after how long.
//
//	class      read                                       write
//	transient  backoff                                    never
//	throttled  RetryAfter (or backoff), when at most 5 s  never
//	           never, for labels: see maxLabelRepeats
//	others     never                                      never
//
// A write is never repeated here: only the caller, who observes again first, can know
// whether the first one took effect.
func (op driverMethod) retry(failure cloud.Failure, try int) (time.Duration, bool) {
	if !op.read || try >= maxTries {
		return 0, false
	}
	switch failure.Class {
	case cloud.FailureTransient:
		return backoff(try), true
	case cloud.FailureThrottled:
		return max(failure.RetryAfter, backoff(try)), failure.RetryAfter <= maxRetryAfter && op != opReadLabels
	default:
		return 0, false
	}
}

// backoff is the pause after the nth try, between half and one and a half of its mean.
func backoff(try int) time.Duration {
	mean := firstBackoff << (try - 1)
	return mean/2 + rand.N(mean)
}

// sleep waits unless the deadline would pass meanwhile, and reports whether it did.
func sleep(ctx context.Context, d time.Duration) bool {
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
