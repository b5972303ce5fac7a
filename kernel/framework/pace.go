package framework

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
)

// leastPause is the least time between the beginnings of two passes over all routes: each costs a list. Nodes that join
// together share a pass.
const leastPause = time.Second

// pace lets passes of the route controller begin. Upstream begins one each period and none besides, so that a Node which got its
// provider-ID a moment after one would wait for the next.
//
//	since the last pass began  a pass begins
//	less than the pause        never
//	less than the period       when a Node has both its provider-ID and its pod network since
//	the period                 in any case
//
// The pause is leastPause for the first Node. It doubles up to the period while Nodes keep coming, as with an autoscaler or
// where Nodes join by the thousand, and is leastPause again when none came for a period.
type pace struct {
	period time.Duration
	wake   chan struct{}
	// last is when the last pass began. There is one pass at a time.
	last time.Time
	// pause is the least one before the next pass, 0 stands for the first.
	pause time.Duration
}

func newPace(period time.Duration) *pace {
	return &pace{period: period, wake: make(chan struct{}, 1)}
}

// wait returns when a pass may begin. The error says that ctx has ended.
func (p *pace) wait(ctx context.Context) error {
	if p == nil {
		return nil
	}
	woken := false
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(p.last.Add(p.period))):
	case <-p.wake:
		woken = true
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(p.last.Add(min(max(leastPause, p.pause), p.period)))):
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("waiting for the next pass over the routes: %w", ctx.Err())
	}
	select { // the pass that begins is for those who came in between, too
	case <-p.wake:
		woken = true
	default:
	}
	p.last, p.pause = time.Now(), p.next(woken)
	return nil
}

// next is the least pause after a pass, which Nodes asked for or not.
func (p *pace) next(woken bool) time.Duration {
	if !woken {
		return 0
	}
	return min(max(leastPause, 2*p.pause), p.period)
}

// soon asks for a pass.
func (p *pace) soon() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// events ask for a pass when a Node of a view, which has those with a provider-ID, can have its route.
func (p *pace) events() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			if node := view.Object[*corev1.Node](obj); !initial && node != nil && len(node.Spec.PodCIDRs) > 0 {
				p.soon()
			}
		},
		UpdateFunc: func(before, after any) {
			old, node := view.Object[*corev1.Node](before), view.Object[*corev1.Node](after)
			if old != nil && node != nil && len(old.Spec.PodCIDRs) < len(node.Spec.PodCIDRs) {
				p.soon()
			}
		},
	}
}
