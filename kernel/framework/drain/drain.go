// Package drain lets calls into the kernel until the process stops, and contains their panics.
package drain

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

// ErrStopping is the error of calls that come too late.
var ErrStopping = errors.New("the process is stopping")

// Drain lets calls into the kernel, until it is closed. A call that has begun is not cut
// off when its controller stops, because half of it may be done; closing waits for it.
type Drain struct {
	mu     sync.Mutex
	closed bool
	// running are the calls that have begun; none is added once the drain is closed.
	running sync.WaitGroup
	aborted context.Context
	abort   context.CancelFunc
}

// New returns an open drain.
func New() *Drain {
	d := &Drain{}
	d.aborted, d.abort = context.WithCancel(context.Background())
	return d
}

// enter returns the context of one call and what to do when it has ended.
func (d *Drain) enter(ctx context.Context) (context.Context, func(), error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, nil, ErrStopping
	}
	d.running.Add(1)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(d.aborted, cancel)
	return ctx, func() { stop(); cancel(); d.running.Done() }, nil
}

// Close refuses new calls and waits for those that have begun: for this long, then it aborts
// them and waits until ctx ends. It reports whether all have ended.
func (d *Drain) Close(ctx context.Context, patience time.Duration) bool {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	defer d.abort()
	idle := make(chan struct{})
	go func() {
		d.running.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return true
	case <-time.After(patience):
		d.abort()
	case <-ctx.Done():
		return false
	}
	select {
	case <-idle:
		return true
	case <-ctx.Done():
		return false
	}
}

// Track makes one call, which closing waits for, with that priority. A panic becomes an error: it
// would end the process, and most likely the next one too.
func Track[T any](ctx context.Context, d *Drain, p cloud.Priority, call func(context.Context) (T, error)) (result T, err error) {
	ctx, leave, err := d.enter(ctx)
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

// Do is Track for a call without a result.
func Do(ctx context.Context, d *Drain, p cloud.Priority, call func(context.Context) error) error {
	_, err := Track(ctx, d, p, func(ctx context.Context) (struct{}, error) { return struct{}{}, call(ctx) })
	return err
}
