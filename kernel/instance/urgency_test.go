package instance

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// A machine is read for all who ask, and a new Node may be among them: it never waits as long as a Service that asked first.
func TestMachinesAreReadForTheMostUrgent(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		i := w.inventory(nil)
		w.members("old", 1000, true)
		w.status(t.Context(), i, 10)
		w.boot("new")
		var mu sync.Mutex
		least, reads := cloud.PriorityNodeInit, 0
		w.onGet = func(ctx context.Context, _ cloud.InstanceID) error {
			mu.Lock()
			defer mu.Unlock()
			least, reads = max(least, cloud.PriorityOf(ctx)), reads+1
			if tenant := cloud.TenantOf(ctx); tenant != "" {
				t.Errorf("read for namespace %s", tenant)
			}
			return nil
		}
		service := cloud.WithTenant(cloud.WithPriority(t.Context(), cloud.PriorityChange), "shop")
		if got, err := i.Lookup(service, []cloud.InstanceID{"id-new"}); err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if mu.Lock(); least != cloud.PriorityNodeInit || reads != 1 {
			t.Errorf("%d reads, with priority %d, for which a new Node would have waited", reads, least)
		}
		mu.Unlock()
	})
}
