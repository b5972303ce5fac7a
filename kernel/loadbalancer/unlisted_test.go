package loadbalancer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// Lists do not show yet what was just made, nor what another process has made beside it. They are read until they do.
func TestDuplicateThatListsShowLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 1)
		f := all[0]
		s.busy, s.hidden, s.blank = 1, true, true
		waits(t, f.ensure(), 7*time.Second)
		time.Sleep(7 * time.Second)
		if err := f.ensure(); err != nil || f.again != state.DuplicateWait {
			t.Fatalf("%v, the next look is in %v", err, f.again)
		}
		f.place("lb-9", "other", "cluster=prod", "uid=uid-0")
		s.hidden, s.blank = false, false
		time.Sleep(f.again)
		f.settle()
		if f.only(); f.driver.balancers["lb-1"] == nil {
			t.Error("the recorded one was deleted")
		}
		s.lists, s.observes = 0, 0
		if f.settle(); s.lists > 0 || s.observes != 1 {
			t.Errorf("%d lists and %d reads once all is shown", s.lists, s.observes)
		}
	})
}

// Lists that never show what was made are not read for ever.
func TestListsThatNeverShowABalancer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 1)
		s.hidden, s.blank = true, true
		s.busy = 1
		waits(t, all[0].ensure(), 7*time.Second)
		time.Sleep(7 * time.Second)
		all[0].settle()
	})
}
