package instance

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// caseless is a cloud whose rule for names ignores case.
type caseless struct{ *world }

func (c caseless) Instances() cloud.Instances { return c }

func (c caseless) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	if err := c.call(ctx, "find", 1); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []cloud.Instance
	for _, machine := range c.machines {
		if strings.EqualFold(machine.Name, name) {
			found = append(found, machine)
		}
	}
	return found, nil
}

// bare are Nodes without provider-ID that nobody initialises.
func bare(names ...string) (nodes []*corev1.Node) {
	for _, name := range names {
		nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return nodes
}

func TestByName(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventoryOf(caseless{w}, nil)
		w.members("n", 3, true)
		for _, name := range []string{"plain", "Upper", "twin"} {
			w.boot(name)
		}
		w.machines["id-twin-2"] = cloud.Instance{ID: "id-twin-2", Name: "twin"}
		names := []string{"plain", "upper", "twin", "metal-1", "metal-2"}
		want := map[string]cloud.InstanceID{"plain": "id-plain", "upper": "id-Upper"}
		ask := func() {
			t.Helper()
			found, err := i.ByName(t.Context(), bare(names...))
			got := map[string]cloud.InstanceID{}
			for name, machine := range found {
				got[name] = machine.ID
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("ByName: %v\n%s", err, diff)
			}
		}
		ask()
		if w.calls["find"] != 3 || w.calls["list"] != 1 {
			t.Errorf("calls %v, want a list and a search for each of the 3 names it does not have", w.calls)
		}
		w.cost()
		ask()
		if cost := w.cost(); cost != 0 {
			t.Errorf("asked again it cost %d requests", cost)
		}
		// Pass after pass: one list at most, and no search.
		for range 20 {
			time.Sleep(2 * time.Minute)
			ask()
		}
		if w.calls["find"] != 3 {
			t.Errorf("%d searches in 40 minutes", w.calls["find"])
		}
		// A machine that comes later is in the list; one that goes is missing.
		w.boot("metal-1")
		w.terminate("id-plain")
		want = map[string]cloud.InstanceID{"metal-1": "id-metal-1", "upper": "id-Upper"}
		time.Sleep(2 * time.Minute)
		ask()
	})
}

// While the cloud fails it is what was seen that counts, and the rest is an error.
func TestByNameWhileTheCloudFails(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 3, true)
		w.boot("plain")
		if _, err := i.ByName(t.Context(), bare("plain")); err != nil {
			t.Fatal(err)
		}
		w.mu.Lock()
		w.onList = func(context.Context, *cloud.InstanceList) error { return errDown }
		w.mu.Unlock()
		time.Sleep(5 * time.Minute)
		if found, err := i.ByName(t.Context(), bare("plain")); err != nil || len(found) != 1 {
			t.Errorf("a machine that was seen: %v, %v", found, err)
		}
		if found, err := i.ByName(t.Context(), bare("plain", "other")); err == nil || len(found) != 1 {
			t.Errorf("and another: %v, %v; want an error", found, err)
		}
		if _, err := i.Addresses(t.Context()); err == nil {
			t.Error("the addresses of an old list are returned")
		}
	})
}

// A cluster whose bare metal nobody initialises does not use up the cloud's limits.
func TestByNameOfManyThatAreNotThere(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		i := w.inventory(nil)
		w.members("n", 3, true)
		var names []string
		for n := range 100 {
			names = append(names, fmt.Sprintf("metal-%d", n))
		}
		started, failed := time.Now(), 0
		for {
			if _, err := i.ByName(t.Context(), bare(names...)); err == nil {
				break
			}
			failed++
			time.Sleep(15 * time.Second)
		}
		if waited := time.Since(started); waited > 15*time.Minute {
			t.Errorf("%d passes failed, for %v", failed, waited)
		}
		if w.calls["find"] > 100 {
			t.Errorf("%d searches for 100 names", w.calls["find"])
		}
		w.cost()
		for range 10 {
			time.Sleep(3 * time.Minute)
			if _, err := i.ByName(t.Context(), bare(names...)); err != nil {
				t.Fatal(err)
			}
		}
		if cost := w.cost(); cost > 20 {
			t.Errorf("%d requests in half an hour", cost)
		}
	})
}

func TestAddresses(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 3, true)
		got, err := i.Addresses(t.Context())
		if err != nil || !got["10.0.0.1"] || len(got) != 1 {
			t.Errorf("addresses %v, %v", got, err)
		}
		w.mu.Lock()
		w.onList = func(_ context.Context, list *cloud.InstanceList) error { list.Complete = false; return nil }
		w.mu.Unlock()
		time.Sleep(5 * time.Minute)
		if got, err := i.Addresses(t.Context()); err == nil {
			t.Errorf("an incomplete list is believed: %v", got)
		}
	})
}
