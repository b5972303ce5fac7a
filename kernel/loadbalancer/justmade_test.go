package loadbalancer

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Credentials of another account see no load balancer. That lets no Service go, also where no annotation has the id and the address is
// not in the status any more: another controller serves it, or its type has changed.
func TestOtherAccountLetsNoServiceGo(t *testing.T) {
	for name, id := range map[string]string{"the id is recorded": keyID.Name, "no annotation has the id": ""} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			descriptor := fakeDescriptor
			descriptor.IDAnnotation = id
			f.start(run.Live, descriptor)
			f.settle()
			f.age()
			f.start(run.Live, descriptor)
			f.driver.balancers, f.distrust = nil, errors.New("another account")
			f.svc.Spec.Type, f.svc.Status = corev1.ServiceTypeClusterIP, corev1.ServiceStatus{}
			fails(t, f.Delete(t.Context(), f.svc), "another account")
		})
	}
}

// What was just made and is not shown may be there: whose a finalizer is, is not known then.
func TestHoldsWaitsForWhatWasJustMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		f.blind()
		f.restart()
		if holds, err := f.Holds(t.Context(), f.svc); holds || err == nil {
			t.Errorf("holds %t, %v; want an error", holds, err)
		}
		time.Sleep(creation.Settling + time.Second)
		if holds, err := f.Holds(t.Context(), f.svc); holds || err != nil {
			t.Errorf("holds %t, %v; want none", holds, err)
		}
	})
}

// The write that records a creation may fail. The next run makes it.
func TestRecordOfACreationIsWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.busy = 3
		if _, err := f.Ensure(t.Context(), f.svc, f.nodes); err == nil {
			t.Fatal("not pending")
		} // nothing is written on the Service
		time.Sleep(time.Second)
		_ = f.ensure()
		if made := creation.Of(f.svc); made == nil || made.ID == "" {
			t.Fatalf("annotations %v", f.svc.Annotations)
		}
		f.restart()
		f.blind()
		if err := f.ensure(); err == nil {
			t.Error("nothing is shown, and that is believed")
		}
		f.wrote("create balancer")
	})
}

// A former process may have deleted what it had just made. A Service that leaves is kept for it as long as a deletion takes to be seen.
func TestDeletionIsNotKeptForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		clear(f.driver.balancers)
		leaving(f)
		began := time.Now()
		err := f.tries(creation.Settling, true)
		if took := time.Since(began); err != nil || took < creation.SettlingForDeletion || took > 2*creation.SettlingForDeletion {
			t.Errorf("%v after %v", err, took)
		}
	})
}
