package instance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestLookup(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 3, true)
		w.status(t.Context(), i, 10)
		w.boot("new")
		ids := []cloud.InstanceID{"id-n-0", "id-new", "nowhere"}
		want := []cloud.InstanceID{"id-n-0", "id-new"}
		present, err := i.Lookup(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(present))); diff != "" {
			t.Error(diff)
		}
		if got := len(w.notFound["nowhere"]); got != 1 {
			t.Errorf("%d direct not-founds of the missing one, want 1", got)
		}
		w.cost()
		if _, err := i.Lookup(t.Context(), ids); err != nil || w.cost() > 0 {
			t.Errorf("the same question at once: %v, %v", err, w.calls)
		}
		if present, err := i.Lookup(t.Context(), nil); err != nil || len(present) > 0 {
			t.Errorf("Lookup(nil) = %v, %v", present, err)
		}
	})
}

func TestLookupOfThousands(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		var ids []cloud.InstanceID
		for k := range 5000 {
			ids = append(ids, w.boot(fmt.Sprint(k)))
		}
		present, err := i.Lookup(t.Context(), ids)
		if err != nil || len(present) != 5000 {
			t.Errorf("%d present, %v", len(present), err)
		}
		if cost := w.cost(); cost > i.schedule.pages(5000)+1 {
			t.Errorf("%d requests", cost)
		}
	})
}

func TestLookupWhileTheCloudFails(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 3, true)
		w.status(t.Context(), i, 10)
		w.mu.Lock()
		w.onList = func(context.Context, *cloud.InstanceList) error { return errDown }
		w.onGet = func(context.Context, cloud.InstanceID) error { return errDown }
		w.mu.Unlock()
		time.Sleep(5 * time.Minute)
		if present, err := i.Lookup(t.Context(), []cloud.InstanceID{"id-n-0"}); err != nil || len(present) != 1 {
			t.Errorf("a known machine: %v, %v", present, err)
		}
		if present, err := i.Lookup(t.Context(), []cloud.InstanceID{"id-n-0", "id-new"}); err == nil {
			t.Errorf("an unknown machine: %v, want an error", present)
		}
	})
}
