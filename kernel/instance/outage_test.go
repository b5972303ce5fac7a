package instance

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

func (w *world) tellers(reason event.Reason) (n int) {
	for name := range w.nodes {
		if told, _ := w.told(name, reason); told > 0 {
			n++
		}
	}
	return n
}

// Where a list is cheaper than single reads, its failure is all that anybody learns of.
func TestOutageIsToldOnce(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("down", 50, false)
		w.onList = func(context.Context, *cloud.InstanceList) error { return errDown }
		w.lifecycle(t.Context(), i, 10, 10*time.Minute)
		if got := w.tellers(event.CloudUnavailable); got != 50 {
			t.Errorf("%d of 50 nodes tell about the outage", got)
		}
		if got := len(w.events); got != 50 {
			t.Errorf("%d events, want one for each node: %v", got, w.events[:min(got, 3)])
		}
		w.mu.Lock()
		w.onList = nil
		w.mu.Unlock()
		time.Sleep(maxListBackoff)
		if errs := w.pass(t.Context(), i, 10); len(errs) > 0 {
			t.Errorf("%d nodes still fail, such as: %v", len(errs), errs[0])
		}
	})
}

// An end of the process, or our own limits, are no outage.
func TestUnansweredQuestionIsNoOutage(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		nodes := w.members("down", 50, false)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := i.Exists(ctx, nodes[0]); err == nil {
			t.Error("no error after the end")
		}
		w.mu.Lock() // the list that nobody waits for any more may still be read
		w.onList = func(context.Context, *cloud.InstanceList) error {
			return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled}, Op: "test", Err: errNotItsTurn}
		}
		w.mu.Unlock()
		w.pass(t.Context(), i, 10)
		if len(w.events) > 0 {
			t.Errorf("events %v, want none", w.events)
		}
	})
}

// A list without our machines is not believed, and those who wait for a direct read say why.
func TestRefusedListIsTold(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("up", 5, true)
		w.members("down", 50, false)
		w.status(t.Context(), i, 10)
		w.onList = func(_ context.Context, list *cloud.InstanceList) error {
			list.Items = nil
			return nil
		}
		w.lifecycle(t.Context(), i, 10, 10*time.Minute)
		if w.tellers(event.DeletionHeld) == 0 {
			t.Errorf("no node tells about the list: %v", w.counts)
		}
		if len(w.gone()) > 0 {
			t.Errorf("deleted %v", w.gone())
		}
	})
}

// A process that was started with the credentials of another account holds every Node, and
// goes on as if nothing had been once it has the right ones.
func TestStartWithAnotherAccountIsForgotten(t *testing.T) {
	for name, up := range map[string]int{"some Ready": 5, "none Ready": 0} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("up", up, true)
				w.members("down", 50, false)
				mine := w.machines
				w.machines = map[cloud.InstanceID]cloud.Instance{"stranger": {ID: "stranger", Name: "stranger"}}
				w.account = "team-2"
				w.lifecycle(t.Context(), i, 10, 10*time.Minute)
				if len(w.gone()) > 0 {
					t.Fatalf("deleted %v with the credentials of another account", w.gone())
				}
				w.mu.Lock()
				w.account, w.machines = "team-1", mine
				w.mu.Unlock()
				w.terminate("id-down-7")
				w.lifecycle(t.Context(), i, 10, 3*time.Minute)
				if got := w.gone(); len(got) != 1 || got[0] != "down-7" {
					t.Errorf("deleted %v, want down-7: %v", got, w.counts)
				}
				w.mu.Lock()
				w.account = "team-2"
				w.mu.Unlock()
				w.terminate("id-down-8")
				w.lifecycle(t.Context(), i, 10, 10*time.Minute)
				if got := w.gone(); len(got) != 1 {
					t.Errorf("deleted %v after the account changed", got)
				}
			})
		})
	}
}

// Machines that no list has and that cannot be read, for whatever reason, are asked for less and less often. The Node of
// another machine, which is gone, does not wait for them. With the credentials mended they are found soon.
func TestUnreadableMachinesDelayNobody(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		i := w.inventory(nil)
		w.members("up", 100, true)
		w.members("down", 60, false)
		unreadable := func(id cloud.InstanceID) bool { return strings.HasPrefix(string(id), "id-metal") }
		const unread = 15 // more than there are places for proofs
		w.members("metal", unread, false)
		broken, reads := true, 0
		w.onList = func(_ context.Context, list *cloud.InstanceList) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if broken {
				list.Complete = false
				list.Items = slices.DeleteFunc(list.Items, func(m cloud.Instance) bool { return unreadable(m.ID) })
			}
			return nil
		}
		w.onGet = func(_ context.Context, id cloud.InstanceID) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if !broken || !unreadable(id) {
				return nil
			}
			reads++
			return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Op: "test", Err: errors.New("401")}
		}
		w.lifecycle(t.Context(), i, 10, 30*time.Minute)
		if most := unread * (30 + 6); reads > most {
			t.Errorf("%d reads of machines that cannot be read in 30 minutes, want at most %d", reads, most)
		}
		if n := w.tellers(event.CloudUnavailable); n != unread {
			t.Errorf("%d nodes tell that their machine cannot be read, want %d", n, unread)
		}
		w.terminate("id-down-7")
		w.lifecycle(t.Context(), i, 10, time.Minute)
		if got := w.gone(); !slices.Equal(got, []string{"down-7"}) {
			t.Errorf("after a minute deleted %v, want down-7", got)
		}
		w.mu.Lock()
		broken = false
		w.mu.Unlock()
		w.lifecycle(t.Context(), i, 10, 2*time.Minute)
		if errs := w.pass(t.Context(), i, 10); len(errs) > 0 {
			t.Errorf("%d nodes still fail, such as: %v", len(errs), errs[0])
		}
	})
}
