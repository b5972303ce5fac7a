package instance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

func TestMetadataOfNewNode(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("old", 1000, true)
		w.status(t.Context(), i, 10)
		w.cost()
		id := w.boot("new")
		byName, byID := w.join("new"), w.join("new")
		byID.Spec.ProviderID = "test://id-new"
		for _, node := range []*corev1.Node{byName, byID} {
			machine, err := i.Metadata(t.Context(), node)
			if err != nil || machine.ID != id {
				t.Fatalf("Metadata() = %s, %v", machine.ID, err)
			}
		}
		if cost := w.cost(); cost != 1 {
			t.Errorf("%d requests for a machine that no list shows, want 1: %v", cost, w.calls)
		}
	})
}

func TestNameAppearsAfterID(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("old", 10, true)
		id := w.boot("new")
		w.change(id, func(m *cloud.Instance) { m.Name = "" })
		node := w.join("new")
		_, err := i.Metadata(t.Context(), node)
		if _, ok := errors.AsType[*NotFoundError](err); !ok {
			t.Fatalf("error %v, want a not-found", err)
		}
		w.cost()
		for range 20 {
			if _, err := i.Metadata(t.Context(), node); err == nil {
				t.Fatal("found a machine without a name by its name")
			}
		}
		if cost := w.cost(); cost > 0 {
			t.Errorf("%d requests for the same question at once", cost)
		}
		if n, text := w.told("new", event.InstanceNotFound); n != 0 {
			t.Errorf("%d events before the cloud had time to show the machine: %s", n, text)
		}
		time.Sleep(settling)
		for range 3 {
			_, _ = i.Metadata(t.Context(), node)
		}
		if n, text := w.told("new", event.InstanceNotFound); n != 1 {
			t.Errorf("%d events, want 1: %s", n, text)
		}
		w.change(id, func(m *cloud.Instance) { m.Name = "new" })
		time.Sleep(2 * cache.FirstMiss)
		if machine, err := i.Metadata(t.Context(), node); err != nil || machine.ID != id {
			t.Errorf("Metadata() = %s, %v once it has its name", machine.ID, err)
		}
	})
}

func TestMissingMachineIsNotAskedForAllTheTime(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("old", 1000, true)
		w.status(t.Context(), i, 10)
		node := w.join("nowhere")
		w.cost()
		for end := time.Now().Add(time.Hour); time.Now().Before(end); time.Sleep(time.Second) {
			if _, err := i.Metadata(t.Context(), node); err == nil {
				t.Fatal("found")
			}
		}
		if cost := w.cost(); float64(cost) > share*i.schedule.perHour() {
			t.Errorf("%d requests in an hour: %v", cost, w.calls)
		}
	})
}

// Within the age of a list a machine is replaced by one of the same name, and so is its Node.
// The list has the old machine, whose provider-ID would stay on the new Node for ever.
func TestReplacedMachineOfTheSameName(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 3, true)
		w.boot("web")
		node := w.join("web")
		first, err := i.Metadata(t.Context(), node)
		if err != nil || first.ID != "id-web" {
			t.Fatalf("Metadata = %v, %v", first.ID, err)
		}
		w.initialise(node, first)
		time.Sleep(10 * time.Second)
		w.boot("new")
		w.terminate("id-web")
		w.change("id-new", func(machine *cloud.Instance) { machine.Name = "web" })
		node = node.DeepCopy()
		node.UID = "uid-web-2"
		w.put(node)
		for range 2 {
			second, err := i.Metadata(t.Context(), node)
			if err != nil || second.ID != "id-new" {
				t.Fatalf("Metadata of the new node = %v, %v, want id-new", second.ID, err)
			}
		}
		if lists, finds := w.called("list"), w.called("find"); lists != 1 || finds != 1 {
			t.Errorf("%d lists and %d reads by name, want one each", lists, finds)
		}
	})
}

// The Node was deleted by hand and registered again: it is the same machine.
func TestNodeThatRegistersAgain(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		node := w.member("web", true)
		w.status(t.Context(), i, 1)
		node = node.DeepCopy()
		node.UID, node.Spec.ProviderID = "uid-web-2", ""
		node.Spec.Taints = []corev1.Taint{{Key: taintUninitialized}}
		w.put(node)
		if machine, err := i.Metadata(t.Context(), node); err != nil || machine.ID != "id-web" {
			t.Errorf("Metadata = %v, %v", machine.ID, err)
		}
	})
}

func TestAmbiguousName(t *testing.T) {
	for _, listed := range []bool{true, false} {
		t.Run(fmt.Sprintf("listed %v", listed), func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("old", 100, true)
				if !listed {
					w.status(t.Context(), i, 10)
				}
				for _, name := range []string{"b", "a"} {
					w.change(w.boot(name), func(m *cloud.Instance) { m.Name = "twin" })
				}
				node := w.join("twin")
				for range 3 {
					_, err := i.Metadata(t.Context(), node)
					ambiguous, ok := errors.AsType[*AmbiguousError](err)
					if !ok {
						t.Fatalf("error %v, want an *AmbiguousError", err)
					}
					if diff := cmp.Diff([]cloud.InstanceID{"id-a", "id-b"}, ambiguous.IDs); diff != "" {
						t.Error(diff)
					}
				}
				if n, text := w.told("twin", event.AmbiguousInstance); n != 1 || !strings.Contains(text, "id-a, id-b") {
					t.Errorf("%d events, want one that names both: %s", n, text)
				}
			})
		})
	}
}

func TestNoAddressYet(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("old", 100, true)
		id := w.boot("new")
		addresses := w.machines[id].Addresses
		w.change(id, func(m *cloud.Instance) { m.Addresses = nil })
		node := w.join("new")
		for range 10 {
			if machine, err := i.Metadata(t.Context(), node); err == nil {
				t.Fatalf("Metadata() = %+v, want an error", machine)
			}
		}
		w.change(id, func(m *cloud.Instance) { m.Addresses = addresses })
		time.Sleep(cache.FirstMiss)
		if _, err := i.Metadata(t.Context(), node); err != nil {
			t.Error(err)
		}
		w.change(id, func(m *cloud.Instance) { m.Addresses = nil })
		time.Sleep(5 * time.Minute)
		initialised := w.initialise(node, w.machines[id])
		if machine, err := i.Metadata(t.Context(), initialised); err != nil || machine.ID != id {
			t.Errorf("an initialised node: %v, %v", machine.ID, err)
		}
	})
}

func TestAnswersAreCopiesWithUniqueAddresses(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		node := w.member("n", true)
		a := cloud.Address{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}
		b := cloud.Address{Type: cloud.AddressExternalIP, Address: "10.0.0.1"}
		w.change("id-n", func(m *cloud.Instance) {
			m.Addresses = []cloud.Address{a, b, a}
			m.Labels = map[string]string{"k": "v"}
		})
		for range 2 {
			machine, err := i.Metadata(t.Context(), node)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]cloud.Address{a, b}, machine.Addresses); diff != "" {
				t.Error(diff)
			}
			machine.Addresses[0].Address = "changed"
			machine.Labels["k"] = "changed"
		}
		present, err := i.Lookup(t.Context(), []cloud.InstanceID{"id-n"})
		if err != nil || present["id-n"].Labels["k"] != "v" || present["id-n"].Addresses[0] != a {
			t.Errorf("Lookup() = %+v, %v", present, err)
		}
	})
}

func TestMetadataWhileTheCloudFails(t *testing.T) {
	for name, err := range map[string]error{
		"down":         errDown,
		"unauthorized": &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Err: errors.New("401")},
		"throttled":    &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: time.Minute}, Err: errors.New("429")},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				nodes := w.members("n", 1000, true)
				w.status(t.Context(), i, 10)
				w.mu.Lock()
				w.onList = func(context.Context, *cloud.InstanceList) error { return err }
				w.mu.Unlock()
				time.Sleep(5 * time.Minute)
				w.cost()
				if failed := w.status(t.Context(), i, 10); failed > 0 {
					t.Errorf("%d of 1,000 initialised nodes have no metadata", failed)
				}
				if lists := w.called("list"); lists > 5 {
					t.Errorf("%d lists in a pass while they fail", lists)
				}
				w.boot("new")
				if _, got := i.Metadata(t.Context(), w.join("new")); cloud.FailureOf(got).Class != cloud.FailureOf(err).Class {
					t.Errorf("a new node: %v, want the class of the failure", got)
				}
				if n, text := w.told("new", event.CloudUnavailable); (n == 1) == (name == "throttled") {
					t.Errorf("%d events on the new node, want one unless the rate limit is exceeded: %s", n, text)
				}
				down := w.unready(nodes[0])
				if exists, got := i.Exists(t.Context(), down); !exists && got == nil {
					t.Error("Exists() = false without error")
				}
				time.Sleep(10 * time.Minute)
				if _, got := i.Metadata(t.Context(), nodes[1]); got == nil {
					t.Error("metadata from 15 minutes ago")
				}
			})
		})
	}
}

// Nobody learns from the log of a Pod that a provider-ID can't be read; a Node of another cloud is none
// of our business.
func TestUnreadableProviderID(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		initialised := w.member("old", true).DeepCopy()
		initialised.Spec.ProviderID = "test://a/b"
		w.put(initialised)
		for range 3 {
			for _, node := range []*corev1.Node{w.joinAs("new", "test://a/b"), initialised, w.joinAs("foreign", "other://a")} {
				if _, err := i.Metadata(t.Context(), node); err == nil {
					t.Errorf("%s has a machine", node.Name)
				}
			}
		}
		for name, reason := range map[string]event.Reason{"new": event.NotInitialised, "old": event.InstanceNotFound} {
			if n, text := w.told(name, reason); n != 1 || !strings.Contains(text, "want test://<id>") {
				t.Errorf("%d events %s on %s, want one: %s", n, reason.Name, name, text)
			}
		}
		for _, reason := range event.All() {
			if n, text := w.told("foreign", reason); n > 0 {
				t.Errorf("an event on the node of another cloud: %s", text)
			}
		}
	})
}

func TestUnbelievableLists(t *testing.T) {
	tests := []struct {
		name   string
		result string
		onList func(context.Context, *cloud.InstanceList) error
	}{
		{"empty", listSuspicious, func(_ context.Context, list *cloud.InstanceList) error {
			list.Items = nil
			return nil
		}},
		{"incomplete", listIncomplete, func(_ context.Context, list *cloud.InstanceList) error {
			list.Items, list.Complete = list.Items[:50], false
			return nil
		}},
		{"incomplete though whole", listIncomplete, func(_ context.Context, list *cloud.InstanceList) error {
			list.Complete = false
			return nil
		}},
		{"shrunk", listSuspicious, func(_ context.Context, list *cloud.InstanceList) error {
			list.Items = list.Items[:850]
			return nil
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("up", 900, true)
				w.members("down", 100, false)
				w.status(t.Context(), i, 10)
				w.mu.Lock()
				w.onList = test.onList
				w.mu.Unlock()
				time.Sleep(5 * time.Minute)
				if failed := w.status(t.Context(), i, 10); failed > 0 {
					t.Errorf("metadata of %d nodes failed", failed)
				}
				w.lifecycle(t.Context(), i, 10, 20*time.Minute)
				if len(w.gone()) > 0 {
					t.Errorf("deleted %d nodes", len(w.gone()))
				}
				if w.counts["ccm_inventory_refreshes_total "+test.result] == 0 {
					t.Errorf("no list was %s: %v", test.result, w.counts)
				}
				if got := w.counts["ccm_inventory_instances"]; got != 1000 {
					t.Errorf("%d machines in the list that is believed, want 1000", got)
				}
				w.boot("new")
				if _, err := i.Metadata(t.Context(), w.join("new")); err != nil {
					t.Errorf("a new node meanwhile: %v", err)
				}
			})
		})
	}
}

func TestMachinesOfOthersMayGo(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("node", 10, true)
		for k := range 100 {
			w.boot(fmt.Sprint(k))
		}
		w.status(t.Context(), i, 10)
		for k := range 100 {
			w.terminate(cloud.InstanceID(fmt.Sprintf("id-%d", k)))
		}
		time.Sleep(5 * time.Minute)
		w.status(t.Context(), i, 10)
		if got := w.counts["ccm_inventory_instances"]; got != 10 {
			t.Errorf("%d machines in the list, want 10", got)
		}
	})
}

func TestListFailuresAreSpacedOut(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 100, false)
		w.onList = func(context.Context, *cloud.InstanceList) error {
			return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Err: errors.New("401")}
		}
		w.lifecycle(t.Context(), i, 10, 30*time.Minute)
		if lists := w.called("list"); lists > 35 {
			t.Errorf("%d lists in 30 minutes of failures", lists)
		}
		w.mu.Lock()
		w.onList = nil
		w.mu.Unlock()
		w.lifecycle(t.Context(), i, 10, time.Minute)
		if errs := w.pass(t.Context(), i, 10); len(errs) > 0 {
			t.Errorf("still failing after a minute: %v", errs[0])
		}
	})
}

func TestEmptyListOfASmallCluster(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 3, true)
		w.status(t.Context(), i, 1)
		w.mu.Lock()
		w.onList = func(_ context.Context, list *cloud.InstanceList) error {
			list.Items = nil
			return nil
		}
		w.mu.Unlock()
		time.Sleep(5 * time.Minute)
		w.status(t.Context(), i, 1)
		if got := w.counts["ccm_inventory_instances"]; got != 3 {
			t.Errorf("%d machines in the list that is believed, want 3", got)
		}
	})
}

func TestListKeepsWhatWasReadMeanwhile(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 1000, true)
		w.status(t.Context(), i, 10)
		time.Sleep(10 * time.Second)
		done := make(chan error)
		go func() { done <- i.lists.refresh(t.Context(), time.Now()) }()
		time.Sleep(10 * time.Millisecond)
		id := w.boot("new")
		if _, err := i.reads.fetch(t.Context(), []cloud.InstanceID{id}); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if i.cache.Get(id) == nil {
			t.Error("the list made the machine forgotten that was read after the list had begun")
		}
	})
}
