package instance

import (
	"fmt"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestTimesOfRemoval measures the table of docs/explanation/node-safety.md: how long it takes,
// from the moment when the Nodes are NotReady, until the Nodes of machines that are gone are.
func TestTimesOfRemoval(t *testing.T) {
	const announcedBy, nobody, operator = "autoscaler", "nobody", "operator"
	batched, single := aws, digitalOcean
	tests := []struct {
		limits  cloud.Limits
		n, went int
		by      string
		most    time.Duration
	}{
		{batched, 20, 1, nobody, time.Minute},
		{batched, 100, 20, nobody, time.Minute},
		{batched, 20, 12, announcedBy, time.Minute},
		{batched, 20, 12, nobody, 32 * time.Minute},
		{batched, 20, 12, operator, time.Minute},
		{batched, 100, 50, announcedBy, time.Minute},
		{batched, 100, 50, nobody, 32 * time.Minute},
		{batched, 100, 50, operator, 2 * time.Minute},
		{batched, 1000, 200, nobody, 60 * time.Minute},
		{batched, 1000, 500, announcedBy, 90 * time.Minute},
		{batched, 10, 10, nobody, 92 * time.Minute},
		{batched, 10, 10, announcedBy, time.Minute},
		{batched, 10, 10, operator, time.Minute},
		{single, 20, 12, announcedBy, 2 * time.Minute},
		{single, 20, 12, nobody, 33 * time.Minute},
		{single, 100, 50, announcedBy, 10 * time.Minute},
		{single, 100, 50, nobody, 40 * time.Minute},
		{single, 10, 10, nobody, 95 * time.Minute},
		{single, 1000, 200, nobody, 150 * time.Minute},
	}
	for _, test := range tests {
		name := fmt.Sprintf("%d of %d, said by %s, %d at a time", test.went, test.n, test.by, max(1, test.limits.GetBatch))
		t.Run(name, func(t *testing.T) {
			if testing.Short() && test.n > 100 {
				t.Skip("many machines")
			}
			simulate(t, func(t *testing.T) {
				w, kept := newWorld(test.limits), &shelf{}
				w.members("stay", test.n-test.went, true)
				nodes := w.members("go", test.went, true)
				i := w.inventory(kept.brake())
				w.status(t.Context(), i, 10)
				time.Sleep(5 * time.Minute)
				w.status(t.Context(), i, 10)
				time.Sleep(time.Minute)
				if test.by == announcedBy {
					nodes = w.taint(nodes...)
				}
				w.vanish(nodes...)
				began := time.Now()
				if test.by == operator {
					w.lifecycle(t.Context(), i, 10, 2*time.Minute)
					began = time.Now()
					kept.order(began)
				}
				for len(w.gone()) < test.went && time.Since(began) < test.most {
					w.lifecycle(t.Context(), i, 10, 5*time.Second)
				}
				t.Logf("%d of %d after %v", len(w.gone()), test.went, time.Since(began).Round(time.Second))
				if got := len(w.gone()); got < test.went {
					t.Errorf("%d of %d deleted after %v: %v", got, test.went, test.most, w.counts)
				}
			})
		})
	}
}
