package loadbalancer

import (
	"context"
	"testing"
	"testing/synctest"
)

// Whoever waits for an entry keeps it: one that comes later waits for the same entry.
func TestPageOfWaitersIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b store
		open, opened := 0, 0
		use := func(proceed <-chan struct{}) {
			p, err := b.open(context.Background(), "uid")
			if err != nil {
				t.Error(err)
				return
			}
			if open++; open > 1 {
				t.Errorf("the page is open %d times", open)
			}
			opened++
			<-proceed
			open--
			b.close("uid", p)
		}
		var gates []chan struct{}
		for range 3 {
			gate := make(chan struct{})
			gates = append(gates, gate)
			go use(gate)
			synctest.Wait()
			if len(gates) == 2 {
				close(gates[0]) // the first leaves while the second waits
				synctest.Wait()
			}
		}
		close(gates[1])
		close(gates[2])
		synctest.Wait()
		if opened != 3 || len(b.known) != 0 {
			t.Errorf("opened %d times, %d pages left", opened, len(b.known))
		}
	})
}
