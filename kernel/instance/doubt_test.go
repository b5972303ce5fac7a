package instance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// idsOf are the machines of so many members.
func idsOf(prefix string, n int) (ids []cloud.InstanceID) {
	for k := range n {
		ids = append(ids, cloud.InstanceID(fmt.Sprintf("id-%s-%d", prefix, k)))
	}
	return ids
}

// Many machines go at once, so their Nodes are held and the list is not believed. They are no targets any more all the same,
// the rest are, and new machines are initialised and found at once.
func TestLookupDuringAMassRemoval(t *testing.T) {
	for name, limits := range map[string]cloud.Limits{"DigitalOcean": digitalOcean, "Hetzner": hetzner, "AWS": aws} {
		for _, size := range []struct{ stay, went int }{{8, 12}, {0, 10}, {5, 25}} {
			t.Run(fmt.Sprintf("%s, %d of %d", name, size.went, size.stay+size.went), func(t *testing.T) {
				simulate(t, func(t *testing.T) { lookUpDuringAMassRemoval(t, newWorld(limits), size.stay, size.went) })
			})
		}
	}
}

func lookUpDuringAMassRemoval(t *testing.T, w *world, stay, went int) {
	i := w.inventory(nil)
	w.members("stay", stay, true)
	doomed := w.members("go", went, true)
	w.status(t.Context(), i, 10)
	w.vanish(doomed...)
	w.lifecycle(t.Context(), i, 10, 15*time.Second)
	ids := slices.Concat(idsOf("stay", stay), idsOf("go", went))
	for k := range went {
		name := fmt.Sprintf("new-%d", k)
		ids = append(ids, w.boot(name))
		w.join(name)
	}
	time.Sleep(minRefresh)
	for k := range went {
		if _, err := i.Metadata(t.Context(), w.nodes[fmt.Sprintf("new-%d", k)]); err != nil {
			t.Errorf("a new Node: %v", err)
		}
	}
	w.cost()
	for range 3 {
		present, err := i.Lookup(t.Context(), ids)
		if err != nil || len(present) != stay+went {
			t.Errorf("%d machines, %v, want the %d that are there", len(present), err, stay+went)
		}
	}
	if got, most := w.cost(), i.schedule.pages(len(ids))+i.schedule.reads(went); got > most {
		t.Errorf("%d requests, want at most %d", got, most)
	}
	if !i.Held() || len(w.gone()) > 0 {
		t.Errorf("held is %v, and %v were deleted", i.Held(), w.gone())
	}
}

// What a list hides is a target as soon as a direct read shows it. Reads are bounded; what was not read is told.
func TestLookupOfHiddenMachines(t *testing.T) {
	for _, test := range []struct {
		name           string
		limits         cloud.Limits
		hidden, unread int
	}{
		{"as many as the budget reads", digitalOcean, 50, 0},
		{"many in one request", aws, 300, 0},
		{"too many", digitalOcean, 300, 220},
	} {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(test.limits)
				i := w.inventory(nil)
				w.members("up", 100, true)
				w.members("hidden", test.hidden, true)
				w.status(t.Context(), i, 10)
				w.mu.Lock()
				w.onList = func(_ context.Context, list *cloud.InstanceList) error {
					list.Items = slices.DeleteFunc(list.Items, func(m cloud.Instance) bool { return m.Name[0] == 'h' })
					return nil
				}
				w.mu.Unlock()
				time.Sleep(2 * time.Minute)
				ids := slices.Concat(idsOf("up", 100), idsOf("hidden", test.hidden))
				present, err := i.Lookup(t.Context(), ids)
				unread := 0
				if u, ok := errors.AsType[*UnreadError](err); ok {
					unread = len(u.IDs)
				} else if err != nil {
					t.Fatal(err)
				}
				if len(present)+unread != len(ids) || unread < test.unread || test.unread == 0 && unread > 0 {
					t.Errorf("%d machines, %d unread, want at least %d unread", len(present), unread, test.unread)
				}
				before := w.called("get")
				again, _ := i.Lookup(t.Context(), ids)
				if len(again) < len(present) || w.called("get") > before+i.schedule.reads(unread) {
					t.Errorf("%d machines, then %d, for %d reads", len(present), len(again), w.called("get")-before)
				}
			})
		})
	}
}

// A process that starts into a mass removal has no list to compare with.
func TestLookupAfterARestartDuringAMassRemoval(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		w.members("stay", 8, true)
		doomed := w.members("go", 22, true)
		w.vanish(doomed...)
		i := w.inventory(nil)
		w.lifecycle(t.Context(), i, 10, 15*time.Second)
		present, err := i.Lookup(t.Context(), slices.Concat(idsOf("stay", 8), idsOf("go", 22)))
		if err != nil || len(present) != 8 {
			t.Errorf("%d machines, %v", len(present), err)
		}
	})
}

// The list is young and has machines that went since. When the cloud has refused one, the next question reads a new list, once.
func TestLookupOfAnOutdatedList(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("stay", 8, true)
		doomed := w.members("go", 12, true)
		w.status(t.Context(), i, 10)
		w.vanish(doomed...)
		ids := slices.Concat(idsOf("stay", 8), idsOf("go", 12))
		if present, err := i.Lookup(t.Context(), ids); err != nil || len(present) != 20 {
			t.Fatalf("%d machines, %v: nothing says yet that some went", len(present), err)
		}
		i.Outdate()
		i.Outdate()
		w.cost()
		for range 3 {
			if present, err := i.Lookup(t.Context(), ids); err != nil || len(present) != 8 {
				t.Errorf("%d machines, %v, want 8", len(present), err)
			}
		}
		if got := w.called("list"); got != 2 {
			t.Errorf("%d lists, want one more", got)
		}
	})
}
