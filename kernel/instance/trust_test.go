package instance

import (
	"testing"
	"time"

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
