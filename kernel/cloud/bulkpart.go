package cloud

import (
	"context"
	"fmt"
	"time"
)

// bulkPartPause is how long a BulkPart is not read again after an error. Bulk lists are read anew as often.
const bulkPartPause = 2 * time.Second

// BulkPart is a part of a BulkList that is read when a Service needs it, once for all Services. It is read later than the list.
type BulkPart[T any] struct {
	read func(context.Context) (T, error)
	// turn is held by the one who looks here, and reads if need be. What follows is only for that one.
	turn   chan struct{}
	part   T
	isRead bool
	err    error
	failed time.Time
}

// NewBulkPart returns what that function reads.
func NewBulkPart[T any](read func(context.Context) (T, error)) *BulkPart[T] {
	return &BulkPart[T]{read: read, turn: make(chan struct{}, 1)}
}

// Get reads it, unless somebody has. Who reads it does so for everybody: in no tenant's turn, and not before what has begun. An error is
// everybody's for two seconds, unless it is the end of the context.
func (p *BulkPart[T]) Get(ctx context.Context) (part T, err error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return part, gaveUp(ctx)
	}
	defer func() { <-p.turn }()
	switch {
	case p.isRead:
		return p.part, nil
	case ctx.Err() != nil:
		return part, gaveUp(ctx)
	case p.err != nil && time.Since(p.failed) < bulkPartPause:
		return part, p.err
	}
	part, err = p.read(WithTenant(WithAtLeast(ctx, PriorityBegun), ""))
	switch {
	case err == nil:
		p.part, p.isRead = part, true
	case ctx.Err() == nil:
		p.err, p.failed = err, time.Now()
	}
	return part, err
}

func gaveUp(ctx context.Context) error {
	return &Error{Failure: Failure{Class: FailureTransient}, Op: "read a part of a list", Err: fmt.Errorf("waiting for it: %w", ctx.Err())}
}
