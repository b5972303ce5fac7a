package cloud

import (
	"context"
	"sync/atomic"
)

type requestsKey struct{}

// CountRequests returns a context whose cloud calls are counted, and what returns how many requests they have taken so far. A driver
// whose requests do not go through the kernel's transport takes none.
func CountRequests(ctx context.Context) (counted context.Context, requests func() int) {
	var count atomic.Int64
	return context.WithValue(ctx, requestsKey{}, &count), func() int { return int(count.Load()) }
}

// CountRequest counts a request that is made with the context.
func CountRequest(ctx context.Context) {
	if count, counts := ctx.Value(requestsKey{}).(*atomic.Int64); counts {
		count.Add(1)
	}
}
