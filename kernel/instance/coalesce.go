package instance

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
)

// coalescer collects questions for a moment, so that they are answered together. A
// question that is asked again while it is being collected is asked once.
type coalescer[Q comparable, A any] struct {
	wait time.Duration
	// rejoin lets a question join one that is being answered already. Proofs, which need
	// a read that starts after the question, must not.
	rejoin bool
	// answer settles every question of a batch. It runs once per batch, and batches run
	// beside each other.
	answer func(ctx context.Context, batch map[Q]*pending[A])

	mu      sync.Mutex
	open    map[Q]*pending[A]
	running map[Q]*pending[A]
}

// pending is a question that waits for its answer.
type pending[A any] struct {
	once  sync.Once
	done  chan struct{}
	value A
	err   error
}

func newPending[A any]() *pending[A] { return &pending[A]{done: make(chan struct{})} }

var errUnanswered = errors.New("the question was not answered")

// settle gives the answer; only the first one counts.
func (p *pending[A]) settle(value A, err error) {
	p.once.Do(func() {
		p.value, p.err = value, err
		close(p.done)
	})
}

func (p *pending[A]) settled() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *pending[A]) wait(ctx context.Context) (A, error) {
	select {
	case <-p.done:
		return p.value, p.err
	case <-ctx.Done():
		var zero A
		return zero, ctx.Err()
	}
}

// join adds questions to the open batch.
func (c *coalescer[Q, A]) join(ctx context.Context, questions ...Q) []*pending[A] {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := make([]*pending[A], len(questions))
	for n, q := range questions {
		asked[n] = c.pendingLocked(ctx, q)
	}
	return asked
}

// pendingLocked returns the question in the batch it belongs to. The caller holds mu.
func (c *coalescer[Q, A]) pendingLocked(ctx context.Context, q Q) *pending[A] {
	if p := c.running[q]; p != nil && !p.settled() {
		return p
	}
	if c.open == nil {
		c.open = map[Q]*pending[A]{}
		go c.run(detached(ctx))
	}
	if c.open[q] == nil {
		c.open[q] = newPending[A]()
	}
	return c.open[q]
}

// ask adds a question and waits for its answer.
func (c *coalescer[Q, A]) ask(ctx context.Context, question Q) (A, error) {
	return c.join(ctx, question)[0].wait(ctx)
}

// rememberLocked makes the questions of a batch joinable while they are being answered, and
// drops those that were. The caller holds mu.
func (c *coalescer[Q, A]) rememberLocked(batch map[Q]*pending[A]) {
	running := maps.Clone(batch)
	for q, p := range c.running {
		if !p.settled() && running[q] == nil {
			running[q] = p
		}
	}
	c.running = running
}

func (c *coalescer[Q, A]) run(ctx context.Context) {
	pause(ctx, c.wait)
	c.mu.Lock()
	batch := c.open
	c.open = nil
	if c.rejoin {
		c.rememberLocked(batch)
	}
	c.mu.Unlock()
	defer func() {
		var zero A
		for _, p := range batch {
			p.settle(zero, errUnanswered)
		}
	}()
	c.answer(ctx, batch)
}
