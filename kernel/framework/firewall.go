package framework

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// How long the firewall loop waits after a failure: the first time, and at most.
const (
	firewallRetryFirst = 5 * time.Second
	firewallRetryLast  = 5 * time.Minute
)

// firewallLoop keeps the firewall in line with all Services: soon after one has changed,
// and every poll. There is one firewall, so there is one thing to do, and no queue.
type firewallLoop struct {
	poll      time.Duration
	reconcile func(context.Context) error
	wake      chan struct{}
}

func newFirewallLoop(poll time.Duration, reconcile func(context.Context) error) *firewallLoop {
	return &firewallLoop{poll: poll, reconcile: reconcile, wake: make(chan struct{}, 1)}
}

// changed asks for a pass. One that is asked for during a pass follows it.
func (f *firewallLoop) changed() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *firewallLoop) run(ctx context.Context) {
	retry := firewallRetryFirst
	for {
		wait := f.poll
		if err := f.reconcile(ctx); err != nil {
			klog.ErrorS(err, "Reconciling the firewall failed", "retryAfter", retry)
			wait = retry
			retry = min(2*retry, firewallRetryLast)
		} else {
			retry = firewallRetryFirst
		}
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-time.After(wait):
		}
	}
}

// handler makes the loop follow Services, of which only the spec, the annotations and the
// status, which comes with the balancer, matter.
func (f *firewallLoop) handler(window time.Duration) cache.ResourceEventHandler {
	changes := &burst{window: window, fire: f.changed}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { changes.note() },
		UpdateFunc: func(before, after any) {
			old, svc := unwrap[*corev1.Service](before), unwrap[*corev1.Service](after)
			if old != nil && svc != nil && old.ResourceVersion != svc.ResourceVersion {
				changes.note()
			}
		},
		DeleteFunc: func(any) { changes.note() },
	}
}
