package framework

import (
	"context"
	"time"

	"k8s.io/klog/v2"
)

// How long a loop waits after a failure: the first time, and at most.
const (
	loopRetryFirst = 5 * time.Second
	loopRetryLast  = 5 * time.Minute
)

// loop makes passes over everything of one kind: soon after something has changed, and every
// poll. There is one thing to do, so there is no queue.
type loop struct {
	// what the passes do, for the log: "Reconciling the firewall".
	what string
	poll time.Duration
	pass func(context.Context) error
	wake chan struct{}
}

func newLoop(what string, poll time.Duration, pass func(context.Context) error) *loop {
	return &loop{what: what, poll: poll, pass: pass, wake: make(chan struct{}, 1)}
}

// changed asks for a pass. One that is asked for during a pass follows it.
func (l *loop) changed() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *loop) run(ctx context.Context) {
	retry := loopRetryFirst
	for {
		wait := l.poll
		if err := l.pass(ctx); err != nil {
			klog.ErrorS(err, l.what+" failed", "retryAfter", retry)
			wait = retry
			retry = min(2*retry, loopRetryLast)
		} else {
			retry = loopRetryFirst
		}
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		case <-time.After(wait):
		}
	}
}
