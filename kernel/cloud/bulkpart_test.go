package cloud

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A part of a list is read once for all, and goes on without the one who asked first. An error is everybody's for a pause.
func TestBulkPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, failure := 0, errors.New("500")
		part := NewBulkPart(func(ctx context.Context) (int, error) {
			time.Sleep(time.Second)
			if tenant, priority := TenantOf(ctx), PriorityOf(ctx); tenant != "" || priority != PriorityBegun || ctx.Err() != nil {
				t.Errorf("read for tenant %q, priority %v, %v", tenant, priority, ctx.Err())
			}
			reads++
			return reads, failure
		})
		mine := WithTenant(WithPriority(t.Context(), PriorityRefresh), "mine")
		for range 7 {
			if _, err := part.Get(mine); !errors.Is(err, failure) {
				t.Error(err)
			}
		}
		if reads != 1 {
			t.Errorf("%d reads that fail, want one in the pause", reads)
		}
		time.Sleep(bulkPartPause)
		failure = nil
		hasty, cancel := context.WithTimeout(mine, time.Millisecond)
		defer cancel()
		if _, err := part.Get(hasty); !IsClass(err, FailureTransient) {
			t.Errorf("the one who gave up got %v", err)
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if got, err := part.Get(mine); got != 2 || err != nil {
					t.Errorf("%d, %v; want what the second read got", got, err)
				}
			})
		}
		all.Wait()
	})
}
