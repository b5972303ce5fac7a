package problem

import (
	"cmp"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/operation"
)

// Pending says that the cloud is busy: ask again after After. Its text does not name the
// time, so that repeated events about it are counted as one.
type Pending struct {
	After time.Duration
	// Ended is closed when the cloud is done, which may be earlier; nil when it does not tell.
	Ended <-chan struct{}
	// Reason says what is waited for.
	Reason string
	// Err is the failure behind it, nil when nothing failed.
	Err error
}

func (p *Pending) Error() string {
	if p.Err == nil {
		return p.Reason
	}
	return p.Reason + ": " + p.Err.Error()
}

func (p *Pending) Unwrap() error { return p.Err }

const (
	// PollFirst is how long to wait at first for a balancer that is pending where the cloud does not say.
	PollFirst = time.Second
	// doubled is until when each look at a balancer that is pending comes after twice the time of the one before, as far as there is
	// time until then.
	doubled = 8 * time.Second
)

// Working is why is waited for a balancer.
const Working = "the cloud is working on the balancer"

// LookAfter returns the wait for the next look at a balancer on which the cloud has worked for so long, where one look is one request:
// after 1, 2, 4 and 8 seconds, so that a cloud that is done at once keeps nobody waiting, then as operation.Interval has it.
func LookAfter(age time.Duration) time.Duration {
	if age < doubled {
		return max(min(age, doubled-age), PollFirst)
	}
	return operation.Interval(age, PollFirst)
}

// WaitFor says when to look at a change again, which the cloud may have said.
func WaitFor(progress cloud.Progress, reason string) *Pending {
	return &Pending{After: cmp.Or(progress.After, PollFirst), Reason: reason}
}

// How long to wait where the cloud does not say.
const (
	afterConflict = 3 * time.Second  // when something else is changing the balancer
	afterLimit    = 10 * time.Second // when the rate limit is exceeded
)

// Retryable turns failures that only need time into *Pending and returns others unchanged:
//
//	class      wait
//	throttled  what the cloud asked for, else afterLimit
//	conflict   afterConflict
func Retryable(err error) error {
	failure := cloud.FailureOf(err)
	switch failure.Class {
	case cloud.FailureThrottled:
		after := failure.RetryAfter
		if after <= 0 {
			after = afterLimit
		}
		return &Pending{After: after, Reason: "the cloud's rate limit is exceeded", Err: err}
	case cloud.FailureConflict:
		return &Pending{After: afterConflict, Reason: "the balancer is being changed by another request", Err: err}
	}
	return err
}
