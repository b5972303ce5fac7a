package instance

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// What is known of machines is the same as long as no list is read and no Node has changed. Where Nodes tell of machines and nobody says when they
// change, that cannot be said.
func TestGeneration(t *testing.T) {
	for name, driver := range map[string]func(*world) cloud.Account{
		"of a cloud that tells all": func(w *world) cloud.Account { return w },
		"of one that does not":      func(w *world) cloud.Account { return vlans{w} },
		"of one with racks":         func(w *world) cloud.Account { return rackWorld{w} },
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w, version := newWorld(digitalOcean), int64(0)
				i := w.inventoryOf(driver(w), nil)
				i.nodes.version = func() int64 { return version }
				_, tellsAll := driver(w).(*world)
				if got := i.Generation(); (got == nil) == tellsAll {
					t.Errorf("without a version of Nodes: %v", got)
				}
				version = 1
				before := i.Generation()
				if before == nil || i.Generation() != before {
					t.Errorf("nothing has changed: %v", before)
				}
				version = 2
				if i.Generation() == before {
					t.Error("a Node has changed")
				}
				version = 1
				i.Read(t.Context())
				if i.Generation() == before {
					t.Error("a list was read")
				}
			})
		})
	}
}
