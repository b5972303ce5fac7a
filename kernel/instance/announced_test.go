package instance

import (
	"testing"
	"time"
)

// Machines of announced Nodes do not count as missing: others that go at the same time are not
// taken for a part of a mass, also while the announced Nodes are still there.
func TestAnnouncedMachinesAreNotMissing(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(aws)
		i := w.inventory(nil)
		w.members("stay", 20, true)
		announced, others := w.members("announced", 12, true), w.members("other", 2, true)
		w.status(t.Context(), i, 10)
		time.Sleep(6 * time.Minute)
		w.vanish(w.taint(announced...)...)
		w.vanish(others...)
		if err := i.lists.refresh(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if i.mass.Over() {
			t.Errorf("%d machines are missing, and at most %d may be", len(i.mass.Missing()), i.brake.Limit(34))
		}
		w.vanish(w.members("third", 12, true)...)
		if err := i.lists.refresh(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if !i.mass.Over() {
			t.Errorf("%d machines are missing, which is not too many", len(i.mass.Missing()))
		}
	})
}
