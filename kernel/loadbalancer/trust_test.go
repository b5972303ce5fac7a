package loadbalancer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// The credentials become the right ones between a reading that shows nothing and their check: nothing of it is believed, and a
// Service that goes is not let go.
func TestCredentialsThatBecomeRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		f.age()
		leaving(f)
		see := f.blind()
		f.distrust = errBroken
		fails(t, f.Delete(t.Context(), f.svc), "broken")
		time.Sleep(time.Second)
		f.distrust = nil // by now, and the next reading is the last one of the other account
		waits(t, f.Delete(t.Context(), f.svc), problem.PollFirst)
		see()
		time.Sleep(problem.PollFirst)
		if err := f.tries(time.Minute, false); err != nil || len(f.driver.balancers) != 0 {
			t.Errorf("%v, %d balancers left", err, len(f.driver.balancers))
		}
		if err := (&f.Manager.trust).certain(t.Context(), time.Now()); err != nil {
			t.Errorf("what is read later is not believed: %v", err)
		}
	})
}
