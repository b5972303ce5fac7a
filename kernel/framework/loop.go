package framework

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
)

// How long a loop waits after a failure: the first time, and at most.
const (
	loopRetryFirst = 5 * time.Second
	loopRetryLast  = 5 * time.Minute
)

// poll is how often everything is compared with the cloud although nothing is known to have changed.
const poll = 5 * time.Minute

// loop makes passes over everything of one kind: soon after something has changed, and every
// poll. There is one thing to do, so there is no queue.
type loop struct {
	// what the passes do, for the log: "Reconciling the firewall".
	what string
	pass func(context.Context) error
	wake chan struct{}
}

func newLoop(what string, pass func(context.Context) error) *loop {
	return &loop{what: what, pass: pass, wake: make(chan struct{}, 1)}
}

// changed asks for a pass. One that is asked for during a pass follows it.
func (l *loop) changed() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// follow makes passes, until ctx ends, as soon as the informer has its first list; its events ask for more.
func (l *loop) follow(ctx context.Context, informer cache.SharedIndexInformer, events cache.ResourceEventHandler) error {
	if _, err := informer.AddEventHandler(events); err != nil {
		return fmt.Errorf("watching what asks for passes: %w", err)
	}
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			l.run(ctx)
		}
	}()
	return nil
}

// events ask the loop for a pass when objects come, go or differ as asked. Of a deletion that was missed the last known
// state of the object is what counts.
func events[T any](l *loop, window time.Duration, differ func(before, after *T) bool, deleted func(*T)) cache.ResourceEventHandler {
	changes := &view.Burst{Window: window, Fire: l.changed}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { changes.Note() },
		UpdateFunc: func(before, after any) {
			old, obj := view.Object[*T](before), view.Object[*T](after)
			if old != nil && obj != nil && differ(old, obj) {
				changes.Note()
			}
		},
		DeleteFunc: func(gone any) {
			if obj := view.Object[*T](gone); obj != nil {
				deleted(obj)
				changes.Note()
			}
		},
	}
}

func (l *loop) run(ctx context.Context) {
	retry := loopRetryFirst
	for {
		wait := poll
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
