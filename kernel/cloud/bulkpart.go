package cloud

import (
	"context"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/reading"
)

// bulkPartPause is how long a BulkPart is not read again after an error. Bulk lists are read anew as often.
const bulkPartPause = 2 * time.Second

// BulkPart is a part of a BulkList that is read when a Service needs it, once for all Services. It is read later than the list.
type BulkPart[T any] struct{ shared *reading.Shared[T] }

// NewBulkPart returns what that function reads. It reads for everybody: in no tenant's turn, and not before what has begun.
func NewBulkPart[T any](read func(context.Context) (T, error)) *BulkPart[T] {
	forAll := func(ctx context.Context) (T, error) { return read(WithTenant(WithAtLeast(ctx, PriorityBegun), "")) }
	return &BulkPart[T]{reading.New(forAll, reading.Options{
		Limit: CallTimeout, Pause: func(error, int) time.Duration { return bulkPartPause },
	})}
}

// Get reads it, unless somebody has. The reading goes on where the context ends, which is a transient error.
func (p *BulkPart[T]) Get(ctx context.Context) (T, error) {
	part, err := p.shared.Get(ctx, time.Time{})
	if err != nil && ctx.Err() != nil {
		err = &Error{Failure: Failure{Class: FailureTransient}, Op: "read a part of a list", Err: fmt.Errorf("waiting for it: %w", err)}
	}
	return part.Of, err
}
