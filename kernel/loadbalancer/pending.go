package loadbalancer

import (
	"cmp"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Pending is what an error of this package is where the cloud is only busy.
type Pending = problem.Pending

// How long to wait for a balancer that is pending where the cloud does not say: at first, and at last.
const (
	pollFirst = time.Second
	pollLast  = 15 * time.Second
	// operationWait is while operations run, whose end is told.
	operationWait = time.Minute
)

// poll returns the wait for the next look at a balancer that has been pending for so long:
// a fifth of that, so that it is seen at most a fifth later than it is ready.
func poll(pending time.Duration) time.Duration {
	return min(max(pending/5, pollFirst), pollLast)
}

// waitFor says when to look at a change again, which the cloud may have said.
func waitFor(progress cloud.Progress, reason string) *Pending {
	return &Pending{After: cmp.Or(progress.After, pollFirst), Reason: reason}
}
