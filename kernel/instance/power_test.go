package instance

import (
	"context"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// silent has lists that do not tell whether machines are off.
func silent(_ context.Context, list *cloud.InstanceList) error {
	for i := range list.Items {
		list.Items[i].State = cloud.StateUnknown
	}
	return nil
}

// What a list does not tell is read directly, once in a few minutes, and does not change with each list.
func TestPowerState(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		w.onList = silent
		i := w.inventory(nil)
		w.members("n", 20, true)
		off := w.member("off", true)
		w.status(t.Context(), i, 10)
		w.change("id-off", func(i *cloud.Instance) { i.State = cloud.StateStopped })
		before := w.called("get")
		for range 60 { // ten minutes
			if err := i.lists.refresh(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
			if down, err := i.Shutdown(t.Context(), off); err != nil || !down {
				t.Fatalf("off: %t, %v", down, err)
			}
			time.Sleep(10 * time.Second)
		}
		if got := w.called("get") - before; got < 2 || got > 3 {
			t.Errorf("%d direct reads in ten minutes", got)
		}
		w.terminate("id-off")
		time.Sleep(powerAge)
		if down, err := i.Shutdown(t.Context(), off); err == nil {
			t.Errorf("a machine that is gone: off %t", down)
		}
	})
}
