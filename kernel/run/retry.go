package run

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

const (
	// maxTries is how often a read is tried within one call.
	maxTries = 3
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
		return transport.Backoff(try), true
	case cloud.FailureThrottled:
		return max(failure.RetryAfter, transport.Backoff(try)), failure.RetryAfter <= maxRetryAfter && op != opReadLabels
	default:
		return 0, false
	}
}
