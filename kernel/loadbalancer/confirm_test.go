package loadbalancer

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// crowd returns fixtures of Services that have their balancer, all about to be deleted together.
func crowd(t *testing.T, services int) (*bulkLister, []*fixture) {
	t.Helper()
	s, all := listed(t, services)
	share(all)
	time.Sleep(bulkListAge)
	s.lists, s.observes, s.writes = 0, 0, nil
	return s, all
}

// deleteAll begins the deletion of all, and returns those that have yet to be confirmed.
func deleteAll(t *testing.T, all []*fixture) (deleted []*fixture) {
	t.Helper()
	for _, f := range all {
		if err := f.Delete(t.Context(), f.svc); err != nil {
			waits(t, err, confirmAfter)
			deleted = append(deleted, f)
		}
	}
	return deleted
}

func TestManyDeletionsAreConfirmedByOneList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := crowd(t, 51)
		deleted := deleteAll(t, all)
		if len(s.balancers) != 0 || len(s.writes) != 51 || s.lists != 1 {
			t.Errorf("%d balancers left, %d writes, %d lists; want 0, 51 and 1", len(s.balancers), len(s.writes), s.lists)
		}
		time.Sleep(confirmAfter)
		for _, f := range deleted {
			if err := f.Delete(t.Context(), f.svc); err != nil {
				t.Fatal(err)
			}
		}
		// The first ones were no crowd yet: each was looked at before and after.
		if alone := 2 * (manyServices - 1); s.lists != 2 || s.observes != alone || len(s.writes) != 51 {
			t.Errorf("%d lists, %d observations, %d writes; want 2, %d and 51", s.lists, s.observes, len(s.writes), alone)
		}
	})
}

// A list from before the deletion shows the balancer, and one that began later may show that the
// cloud has kept it.
func TestDeletionIsConfirmedByALaterList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := crowd(t, 4)
		deleteAll(t, all[:manyServices])
		f := all[manyServices]
		s.undead = 1
		deleteAll(t, all[manyServices:])
		time.Sleep(confirmAfter)
		waits(t, f.Delete(t.Context(), f.svc), problem.PollFirst)
		if len(s.balancers) != 1 {
			t.Fatalf("%d balancers, want the one that was kept", len(s.balancers))
		}
		for range 2 {
			time.Sleep(problem.PollFirst)
			_ = f.Delete(t.Context(), f.svc)
		}
		if err := f.Delete(t.Context(), f.svc); err != nil || len(s.balancers) != 0 {
			t.Errorf("Delete() = %v, %d balancers left", err, len(s.balancers))
		}
	})
}

// What a Service gets after a deletion is not what was confirmed.
func TestConfirmationIsOfTheLastChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := crowd(t, 4)
		deleteAll(t, all)
		f := all[3]
		f.settle()
		s.blank, s.writes = true, nil
		time.Sleep(bulkListAge)
		deleteAll(t, all)
		f.wrote("delete balancer")
	})
}

// A cloud that cannot be listed just then is asked for each balancer.
func TestDeletionIsConfirmedWithoutLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := crowd(t, 5)
		deleteAll(t, all)
		s.broken, s.observes = true, 0
		time.Sleep(confirmAfter)
		for _, f := range all[manyServices:] {
			if err := f.Delete(t.Context(), f.svc); err != nil {
				t.Fatal(err)
			}
		}
		if want := len(all) - manyServices; s.observes != want {
			t.Errorf("%d observations, want %d", s.observes, want)
		}
	})
}

// prompt lets the cloud of the fixtures delete at once.
func prompt(all []*fixture) {
	descriptor := fakeDescriptor
	descriptor.Capabilities.DeletesAtOnce = true
	all[0].start(run.Live, descriptor)
	for _, f := range all {
		f.Manager = all[0].Manager
	}
}

// Where the cloud deletes at once, one list proves whose the balancer is and that there is no other, and one that it is gone.
func TestOneDeletionTakesTwoLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := crowd(t, 4)
		prompt(all)
		f := all[0]
		if _, exists, err := f.Get(t.Context(), leaving(f)); !exists || err != nil {
			t.Errorf("Get() = %t, %v", exists, err)
		}
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Fatal(err)
		}
		f.wrote("delete balancer")
		if s.lists != 2 || s.observes != 0 || len(s.balancers) != 3 {
			t.Errorf("%d lists, %d observations, %d balancers; want 2, 0 and 3", s.lists, s.observes, len(s.balancers))
		}
		deleteAll(t, all[1:])
		if len(s.balancers) != 0 || s.observes != 0 {
			t.Errorf("%d balancers left, %d observations", len(s.balancers), s.observes)
		}
	})
}

// Where a list shows a second balancer of the Service, or none, the cloud is asked as everywhere.
func TestOneDeletionThatAListDoesNotProve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := crowd(t, 1)
		prompt(all)
		f := all[0]
		f.place("lb-9", "other")
		f.driver.balancers["lb-9"].OwnershipTags = []string{"cluster=prod", "uid=uid-0"}
		waits(t, f.Delete(t.Context(), leaving(f)), problem.PollFirst)
		time.Sleep(bulkListAge)
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Fatal(err)
		}
		f.wrote("delete balancer", "delete balancer")
		f.settle()
		time.Sleep(bulkListAge)
		s.blank, s.observes = true, 0
		if err := f.Delete(t.Context(), f.svc); err != nil || len(s.balancers) != 0 || s.observes == 0 {
			t.Errorf("Delete() = %v, %d balancers left, %d observations", err, len(s.balancers), s.observes)
		}
	})
}

// A deletion that the cloud acknowledges and does not carry out keeps the Service.
func TestOneDeletionThatIsNotCarriedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := crowd(t, 1)
		prompt(all)
		s.undead = 2
		leaving(all[0])
		for range 2 {
			waits(t, all[0].Delete(t.Context(), all[0].svc), problem.PollFirst)
			time.Sleep(bulkListAge)
		}
		if err := all[0].Delete(t.Context(), all[0].svc); err != nil || len(s.balancers) != 0 {
			t.Errorf("Delete() = %v, %d balancers left", err, len(s.balancers))
		}
		all[0].wrote("delete balancer", "delete balancer", "delete balancer")
	})
}

// A driver may say itself that it has seen all of what a Service has.
func TestOneDeletionThatTheDriverProves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for duplicates, want := range map[int]int{0: 1, 1: 2} {
			s, all := crowd(t, 1)
			f := all[0]
			f.driver.sole = true
			if duplicates > 0 {
				f.place("lb-9", "other")
				f.driver.balancers["lb-9"].OwnershipTags = []string{"cluster=prod", "uid=uid-0"}
			}
			for err := f.Delete(t.Context(), leaving(f)); err != nil; err = f.Delete(t.Context(), f.svc) {
				waits(t, err, problem.PollFirst)
				time.Sleep(bulkListAge)
			}
			if s.lists != 0 || len(s.balancers) != 0 || len(s.writes) != want || duplicates == 0 && s.observes != 1 {
				t.Errorf("%d duplicates: %d lists, %d observations, %d balancers, %q", duplicates, s.lists, s.observes, len(s.balancers), s.writes)
			}
		}
	})
}

// leaving returns the fixture's Service, which is being deleted.
func leaving(f *fixture) *corev1.Service {
	f.svc.DeletionTimestamp = new(metav1.Now())
	return f.svc
}
