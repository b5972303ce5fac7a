// Package batch joins questions that come at the same time, so that the cloud is asked once.
package batch

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
)

// Batcher collects questions for a moment, so that they are answered together. A question that is asked
// again while it is being collected is asked once. The exported fields are set before the first use.
type Batcher[Q comparable, A any] struct {
	// Wait is how long questions are collected.
	Wait time.Duration
	// Rejoin lets a question join one that is being answered already. Proofs, which need
	// a read that starts after the question, must not.
	Rejoin bool
	// Turn, if it is not nil, has room for one: the batch that is being answered. Otherwise
	// batches run beside each other.
	Turn chan struct{}
	// Answer answers every question of a batch. It runs once per batch, with a context that
	// has the values of the first question's, but not its end.
	Answer func(ctx context.Context, batch map[Q]*Question[A])

	mu            sync.Mutex
	open, running map[Q]*Question[A]
}

// Shared returns a Batcher for a call that all who need it at the same time share.
func Shared(call func(context.Context) error) *Batcher[struct{}, struct{}] {
	return &Batcher[struct{}, struct{}]{
		Rejoin: true,
		Answer: func(ctx context.Context, batch map[struct{}]*Question[struct{}]) {
			err := call(ctx)
			batch[struct{}{}].Answer(struct{}{}, err)
		},
	}
}

// Question waits for its answer.
type Question[A any] struct {
	once  sync.Once
	done  chan struct{}
	value A
	err   error
}

// NewQuestion returns a question that no Batcher has.
func NewQuestion[A any]() *Question[A] { return &Question[A]{done: make(chan struct{})} }

var errUnanswered = errors.New("the question was not answered")

// Answer gives the answer; only the first one counts.
func (q *Question[A]) Answer(value A, err error) {
	q.once.Do(func() {
		q.value, q.err = value, err
		close(q.done)
	})
}

// Answered reports whether the question was answered.
func (q *Question[A]) Answered() bool {
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}

// Wait returns the answer, or the context's error when that ends before.
func (q *Question[A]) Wait(ctx context.Context) (value A, err error) {
	select {
	case <-q.done:
		return q.value, q.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// Join adds questions to the open batch.
func (b *Batcher[Q, A]) Join(ctx context.Context, questions ...Q) []*Question[A] {
	b.mu.Lock()
	defer b.mu.Unlock()
	joined := make([]*Question[A], len(questions))
	for n, key := range questions {
		if q := b.running[key]; q != nil && !q.Answered() {
			joined[n] = q
			continue
		}
		if b.open == nil {
			b.open = map[Q]*Question[A]{}
			go b.run(context.WithoutCancel(ctx))
		}
		if b.open[key] == nil {
			b.open[key] = NewQuestion[A]()
		}
		joined[n] = b.open[key]
	}
	return joined
}

// Ask adds a question and waits for its answer.
func (b *Batcher[Q, A]) Ask(ctx context.Context, question Q) (A, error) {
	return b.Join(ctx, question)[0].Wait(ctx)
}

func (b *Batcher[Q, A]) run(ctx context.Context) {
	collecting, end := context.WithTimeout(ctx, b.Wait)
	<-collecting.Done()
	end()
	b.mu.Lock()
	batch := b.open
	b.open = nil
	if b.Rejoin {
		maps.DeleteFunc(b.running, func(_ Q, q *Question[A]) bool { return q.Answered() })
		running := maps.Clone(batch)
		maps.Copy(running, b.running)
		b.running = running
	}
	b.mu.Unlock()
	defer func() {
		for _, q := range batch {
			q.Answer(*new(A), errUnanswered)
		}
	}()
	if b.Turn != nil {
		b.Turn <- struct{}{}
		defer func() { <-b.Turn }()
	}
	b.Answer(ctx, batch)
}
