package instance

import (
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestTrust(t *testing.T) {
	tests := []struct {
		name   string
		change func(*world)
		before bool // whether machines were read before the change
		ready  bool
		want   bool
	}{
		{"nothing changed", func(*world) {}, true, true, true},
		{"just started", func(*world) {}, false, true, true},
		{"no node is Ready", func(*world) {}, true, false, true},
		{"another account", func(w *world) { w.account = "team-2" }, true, false, false},
		{"account unreadable", func(w *world) { w.account = "" }, true, true, false},
		{"another account from the start", func(w *world) {
			w.hide = func(cloud.InstanceID) bool { return true }
		}, false, true, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("n", 5, test.ready)
				if test.before {
					w.status(t.Context(), i, 1)
					time.Sleep(time.Minute)
				}
				w.mu.Lock()
				test.change(w)
				w.mu.Unlock()
				w.cost()
				if err := i.Trust(t.Context()); (err == nil) != test.want {
					t.Errorf("Trust() = %v, want trust %v", err, test.want)
				}
				if cost := w.cost(); cost > 6 {
					t.Errorf("it cost %d requests", cost)
				}
			})
		})
	}
}

// Fifty who ask within a moment share a check, which begins after each has asked.
func TestTrustIsShared(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 5, true)
		w.status(t.Context(), i, 1)
		w.cost()
		var all sync.WaitGroup
		for n := range 50 {
			all.Go(func() {
				time.Sleep(time.Duration(n) * 4 * time.Millisecond)
				if err := i.Trust(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if cost := w.cost(); cost > 4 {
			t.Errorf("it cost %d requests", cost)
		}
		w.mu.Lock()
		w.account = "team-2"
		w.mu.Unlock()
		if err := i.Trust(t.Context()); err == nil {
			t.Error("an earlier check is believed")
		}
	})
}

// TestTrustLeavesRoomForNewNodes: when many balancers are gone, each asks. Nodes that join
// then need not wait for the next list on schedule.
func TestTrustLeavesRoomForNewNodes(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("n", 5, true)
		w.status(t.Context(), i, 1)
		for range 200 {
			if err := i.Trust(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		var joined []*corev1.Node
		for k := range 3 {
			w.boot(fmt.Sprintf("new-%d", k))
			joined = append(joined, w.join(fmt.Sprintf("new-%d", k)))
		}
		began := time.Now()
		for _, node := range joined {
			for {
				_, err := i.Metadata(t.Context(), node)
				if err == nil {
					break
				}
				if time.Since(began) > 40*time.Second {
					t.Fatalf("%s after %s: %v", node.Name, time.Since(began), err)
				}
				time.Sleep(time.Second)
			}
		}
	})
}
