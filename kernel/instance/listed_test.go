package instance

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Listed never answers from a list that began before it was asked for, nor from one that is not believed, and it holds back the
// machines of no Node as little as others.
func TestListed(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		i := w.inventory(nil)
		w.members("n", 30, true)
		other := w.boot("other")
		listed := func(since time.Time, want, lists int) []cloud.Instance {
			t.Helper()
			before := w.called("list")
			got, err := i.Listed(t.Context(), since)
			if err != nil || len(got) != want {
				t.Errorf("%d machines, %v; want %d", len(got), err, want)
			}
			if read := w.called("list") - before; read != lists {
				t.Errorf("%d lists, want %d", read, lists)
			}
			return got
		}
		began := time.Now()
		all := listed(began, 31, 1)
		if !slices.ContainsFunc(all, func(machine cloud.Instance) bool { return machine.ID == other }) {
			t.Errorf("without the machine of no Node: %v", all)
		}
		all[0].Addresses = append(all[0].Addresses[:0], cloud.Address{Address: "203.0.113.9"})
		listed(began, 31, 0) // a later question about the same moment
		time.Sleep(time.Minute)
		w.terminate(other)
		for _, machine := range listed(time.Now(), 30, 1) {
			for _, a := range machine.Addresses {
				if a.Address == "203.0.113.9" {
					t.Error("what a caller changed is in the list")
				}
			}
		}
		for name, spoil := range map[string]func(*cloud.InstanceList) error{
			"a part is missing":   func(list *cloud.InstanceList) error { list.Complete = false; return nil },
			"most are missing":    func(list *cloud.InstanceList) error { list.Items = list.Items[:2]; return nil },
			"none is there":       func(list *cloud.InstanceList) error { list.Items = nil; return nil },
			"the cloud is not up": func(*cloud.InstanceList) error { return errDown },
		} {
			w.mu.Lock()
			w.onList = func(_ context.Context, list *cloud.InstanceList) error { return spoil(list) }
			w.mu.Unlock()
			time.Sleep(5 * time.Minute)
			if got, err := i.Listed(t.Context(), time.Now()); err == nil {
				t.Errorf("%s: %d machines", name, len(got))
			}
		}
	})
}
