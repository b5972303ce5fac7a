package loadbalancer

import (
	"cmp"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/operation"
)

// Pending is what an error of this package is where the cloud is only busy.
type Pending = problem.Pending

const (
	// pollFirst is how long to wait at first for a balancer that is pending where the cloud does not say.
	pollFirst = time.Second
	// operationWait is while operations run, whose end is told.
	operationWait = time.Minute
)

// doubled is until when each look at a balancer that is pending comes after twice the time of the one before, as far as there is time
// until then.
const doubled = 8 * time.Second

// lookAfter returns the wait for the next look at a balancer on which the cloud has worked for so long, where one look is one request:
// after 1, 2, 4 and 8 seconds, so that a cloud that is done at once keeps nobody waiting, then as operation.Interval has it.
func lookAfter(age time.Duration) time.Duration {
	if age < doubled {
		return max(min(age, doubled-age), pollFirst)
	}
	return operation.Interval(age, pollFirst)
}

// waitFor says when to look at a change again, which the cloud may have said.
func waitFor(progress cloud.Progress, reason string) *Pending {
	return &Pending{After: cmp.Or(progress.After, pollFirst), Reason: reason}
}
