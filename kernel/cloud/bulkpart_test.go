package cloud

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A part of a list is read once for all. An error is everybody's for a pause, and who gives up spoils it for nobody.
func TestBulkPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, failure := 0, errors.New("500")
		part := NewBulkPart(func(ctx context.Context) (int, error) {
			if tenant, priority := TenantOf(ctx), PriorityOf(ctx); tenant != "" || priority != PriorityBegun {
				t.Errorf("read for tenant %q, priority %v", tenant, priority)
			}
			reads++
			select {
			case <-time.After(time.Second):
				return reads, failure
			case <-ctx.Done():
				return 0, ctx.Err()
			}
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
		hasty, cancel := context.WithTimeout(mine, 100*time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		for range 2 { // one reads, the other one waits
			all.Go(func() {
				if _, err := part.Get(hasty); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the one who gave up got %v", err)
				}
			})
		}
		synctest.Wait()
		for range 10 {
			all.Go(func() {
				if got, err := part.Get(mine); got != 3 || err != nil {
					t.Errorf("%d, %v; want what the third read got", got, err)
				}
			})
		}
		all.Wait()
		if reads != 3 {
			t.Errorf("%d reads, want three", reads)
		}
	})
}
