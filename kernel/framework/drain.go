package framework

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var errStopping = errors.New("the process is stopping")

// drain lets calls into the kernel, until it is closed. A call that has begun is not cut
// off when its controller stops, because half of it may be done; closing waits for it.
type drain struct {
	mu      sync.Mutex
	closed  bool
	running int
	idle    chan struct{} // closed when the drain is closed and nothing runs
	aborted context.Context
	abort   context.CancelFunc
}

func newDrain() *drain {
	g := &drain{idle: make(chan struct{})}
	g.aborted, g.abort = context.WithCancel(context.Background())
	return g
}

// enter returns the context of one call and what to do when it has ended.
func (g *drain) enter(ctx context.Context) (context.Context, func(), error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, nil, errStopping
	}
	g.running++
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(g.aborted, cancel)
	return ctx, func() { stop(); cancel(); g.leave() }, nil
}

func (g *drain) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.settle()
}

// settle announces that nothing runs any more. The caller holds the lock.
func (g *drain) settle() {
	if g.closed && g.running == 0 {
		close(g.idle)
	}
}

// close refuses new calls and waits for those that have begun: for drain, then it aborts
// them and waits until ctx ends. It reports whether all have ended.
func (g *drain) close(ctx context.Context, drain time.Duration) bool {
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		g.settle()
	}
	g.mu.Unlock()
	defer g.abort()
	select {
	case <-g.idle:
		return true
	case <-time.After(drain):
		g.abort()
	case <-ctx.Done():
		return false
	}
	select {
	case <-g.idle:
		return true
	case <-ctx.Done():
		return false
	}
}

// track makes one call, which closing waits for, with that priority. A panic becomes an error: it
// would end the process, and the next one would most likely meet it again.
func track[T any](ctx context.Context, g *drain, p cloud.Priority, call func(context.Context) (T, error)) (result T, err error) {
	ctx, leave, err := g.enter(ctx)
	if err != nil {
		return result, err
	}
	defer leave()
	defer func() {
		if value := recover(); value != nil {
			klog.ErrorS(nil, "Contained a panic", "panic", value, "stack", string(debug.Stack()))
			err = fmt.Errorf("internal error: panic: %v", value)
		}
	}()
	return call(cloud.WithPriority(ctx, p))
}
