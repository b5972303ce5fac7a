package bulklist

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// reader is a cloud whose list takes 50 ms.
type reader struct {
	cloud.BulkList
	began []time.Time
}

func (r *reader) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	r.began = append(r.began, time.Now())
	time.Sleep(50 * time.Millisecond)
	return r, ctx.Err()
}

// Services that look one after the other, each for what is later than its own deletion, share lists.
func TestStaggered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := &reader{}
		lists := New(cloud, func() int { return 0 })
		for i := range many {
			lists.WorthReading(types.UID(fmt.Sprint("earlier ", i)))
		}
		start := time.Now()
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 20 * time.Millisecond)
				if list, _ := lists.Get(t.Context(), Query{Service: types.UID(fmt.Sprint(i)), After: time.Now(), Deleting: true}); list == nil {
					t.Errorf("Service %d got no list", i)
				}
			})
		}
		all.Wait()
		if len(cloud.began) > 6 || time.Since(start) > 1500*time.Millisecond {
			t.Errorf("%d lists in %s, want one each %s", len(cloud.began), time.Since(start), apart)
		}
	})
}

// The first look of a process is a list where the cluster has many Services, and once that was tried, as any other.
func TestFirstLook(t *testing.T) {
	for services, want := range map[int]int{many - 1: 0, many: 1, 50: 1} {
		synctest.Test(t, func(t *testing.T) {
			cloud := &reader{}
			lists := New(cloud, func() int { return services })
			first, _ := lists.Get(t.Context(), Query{Service: "first", After: time.Now()})
			if second, _ := lists.Get(t.Context(), Query{Service: "second"}); len(cloud.began) != want || (first != nil) != (want > 0) || second != nil {
				t.Errorf("%d Services: %d lists, first %v, second %v", services, len(cloud.began), first, second)
			}
			time.Sleep(maxAge)
			synctest.Wait()
		})
	}
}

// A Service that does not wait for its list any more costs the others nothing.
func TestOneGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := &reader{}
		lists := New(cloud, func() int { return many })
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if list, err := lists.Get(impatient, Query{Service: "one", After: time.Now()}); list != nil || err != nil {
			t.Error("a list that was given up is believed")
		}
		if list, _ := lists.Get(t.Context(), Query{Service: "other", After: time.Now(), Alone: true}); list == nil {
			t.Error("no list for another Service")
		}
		time.Sleep(maxAge)
		synctest.Wait()
	})
}
