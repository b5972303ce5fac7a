package instance

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Listed never answers from a list that began before it was asked for, nor from one that is not believed. The machines of no Node are
// among its answers.
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

// A direct read that began before a list and ended after it changes nothing that the list said.
func TestListedAfterASlowRead(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 30, true)
		w.status(t.Context(), i, 10)
		moved, gone, lone := w.boot("moved"), w.boot("gone"), w.boot("lone") // no list has them yet
		w.mu.Lock()
		w.onGet = func(context.Context, cloud.InstanceID) error { time.Sleep(10 * time.Second); return nil }
		w.mu.Unlock()
		before, since := w.called("get"), time.Now()
		go func() {
			if found, err := i.Lookup(t.Context(), []cloud.InstanceID{moved, gone, lone}); err != nil || len(found) != 3 {
				t.Errorf("the slow read: %v, %v", found, err)
			}
		}()
		time.Sleep(time.Second)
		if read := w.called("get") - before; read != 3 {
			t.Fatalf("%d direct reads, want 3", read)
		}
		address := cloud.Address{Type: cloud.AddressInternalIP, Address: "10.0.9.9"}
		w.change(moved, func(machine *cloud.Instance) { machine.Addresses = []cloud.Address{address} })
		w.terminate(gone)
		w.terminate(lone)
		next := w.boot("next")
		w.change(next, func(machine *cloud.Instance) { machine.Name = "gone" })
		for _, at := range []string{"during the reads", "after them"} {
			machines, err := i.Listed(t.Context(), since)
			if err != nil || len(machines) != 32 {
				t.Errorf("%s: %d machines, %v; want 32", at, len(machines), err)
			}
			for _, machine := range machines {
				if machine.ID == gone || machine.ID == moved && !slices.Equal(machine.Addresses, []cloud.Address{address}) {
					t.Errorf("%s: %+v", at, machine)
				}
			}
			if found, err := i.ByName(t.Context(), bare("lone")); err != nil || len(found) > 0 {
				t.Errorf("%s: the name of a machine that is gone is %s's, %v", at, found["lone"].ID, err)
			}
			if found, err := i.ByName(t.Context(), bare("gone")); err != nil || found["gone"].ID != next {
				t.Errorf("%s: the name is %s's, %v; want %s", at, found["gone"].ID, err, next)
			}
			time.Sleep(20 * time.Second)
		}
		if lists := w.called("list"); lists != 2 {
			t.Errorf("%d lists, want 2", lists)
		}
	})
}

// slowSearch answers a search by name some time after it was made.
type slowSearch struct {
	*world
	takes time.Duration
}

func (s *slowSearch) delay(takes time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes = takes
}

func (s *slowSearch) Instances() cloud.Instances { return s }

func (s *slowSearch) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	s.mu.Lock()
	takes := s.takes
	s.mu.Unlock()
	found, err := s.world.FindByName(ctx, name)
	time.Sleep(takes)
	return found, err
}

// A search by name that began before a list and ended after it does not change whose the name is.
func TestByNameAfterASlowSearch(t *testing.T) {
	for name, goes := range map[string]func(*world, cloud.InstanceID){
		"it is renamed": func(w *world, id cloud.InstanceID) {
			w.change(id, func(machine *cloud.Instance) { machine.Name = "retired" })
		},
		"it is deleted": func(w *world, id cloud.InstanceID) { w.terminate(id) },
	} {
		t.Run(name, func(t *testing.T) { simulate(t, func(t *testing.T) { searchSlowly(t, goes) }) })
	}
}

// searchSlowly searches for a machine, which goes meanwhile, while another one gets its name.
func searchSlowly(t *testing.T, goes func(*world, cloud.InstanceID)) {
	w := newWorld(digitalOcean)
	s := &slowSearch{world: w}
	i := w.inventoryOf(s, nil)
	w.members("n", 30, true)
	w.status(t.Context(), i, 10)
	old := w.boot("web")
	s.delay(10 * time.Second)
	go func() {
		if found, err := i.ByName(t.Context(), bare("web")); err == nil && found["web"].ID == old {
			t.Errorf("the slow search itself answers %+v", found["web"])
		}
	}()
	time.Sleep(time.Second)
	s.delay(0)
	goes(w, old)
	next := w.boot("next")
	w.change(next, func(machine *cloud.Instance) { machine.Name = "web" })
	if _, err := i.Listed(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"during the search", "after it"} {
		if found, err := i.ByName(t.Context(), bare("web")); err != nil || found["web"].ID != next {
			t.Errorf("%s: %+v, %v", at, found["web"], err)
		}
		time.Sleep(15 * time.Second)
	}
}
