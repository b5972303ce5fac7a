package loadbalancer

import (
	"testing"
	"testing/synctest"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

func TestDelete(t *testing.T) {
	f := newFixture(t)
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.wrote()
	f.settle()
	for range 2 {
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Fatal(err)
		}
	}
	f.wrote("create balancer", "delete balancer")
	if _, exists, err := f.Get(t.Context(), f.svc); exists || err != nil {
		t.Errorf("Get() = %v, %v", exists, err)
	}
	f.said()
}

func TestDeleteWaitsUntilNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.slow = 3
		f.settle()
		f.wrote("create balancer")
		waited := 0
		for err := f.Delete(t.Context(), f.svc); err != nil; err = f.Delete(t.Context(), f.svc) {
			waits(t, err, problem.PollFirst)
			if _, exists, err := f.Get(t.Context(), f.svc); waited == 0 && (!exists || err != nil) {
				t.Errorf("Get() = %v, %v while it is being deleted", exists, err)
			}
			waited++
		}
		f.wrote("delete balancer")
		if waited < 2 || len(f.driver.balancers) != 0 {
			t.Errorf("waited %d times, %d balancers left", waited, len(f.driver.balancers))
		}
	})
}

// A Service can have two balancers when its id annotation was changed by hand.
func TestDeleteFindsTheSecondOne(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.place("lb-9", "other")
	f.svc.Annotations[keyID.Name] = "lb-9"
	waits(t, f.Delete(t.Context(), f.svc), problem.PollFirst)
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.wrote("delete balancer", "delete balancer")
	if len(f.driver.balancers) != 0 {
		t.Errorf("%d balancers left", len(f.driver.balancers))
	}
}

func TestRetainWithBadValueKeepsTheBalancer(t *testing.T) {
	f := newFixture(t, annotated(annotation.Retain.Name, "yes"))
	f.settle()
	f.said("ConfigurationIgnored: annotation multicloud-ccm.io/retain")
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.only()
	f.said("LoadBalancerRetained")
}

func TestRetain(t *testing.T) {
	f := newFixture(t, annotated(annotation.Retain.Name, "true"))
	f.settle()
	f.wrote("create balancer")
	for range 2 {
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Fatal(err)
		}
	}
	f.wrote("update balancer marks")
	f.said("LoadBalancerRetained: balancer lb-1", "LoadBalancerRetained")
	if ownershipTags := f.only().OwnershipTags; len(ownershipTags) != 0 {
		t.Errorf("marks %v", ownershipTags)
	}
	heir := newFixture(t, annotated(keyID.Name, "lb-1"))
	heir.driver.balancers, heir.svc.UID = f.driver.balancers, "heir"
	heir.settle()
	heir.said("LoadBalancerAdopted")
}

// What the cloud protects from deletion outlives its Service, and is not replaced.
func TestProtected(t *testing.T) {
	f := newFixture(t, annotated(annotation.AllowReplacement.Name, "true"))
	f.settle()
	f.wrote("create balancer")
	f.driver.balancers["lb-1"].protected = true
	f.svc.Annotations[keyInternal.Name] = "true"
	f.settle()
	f.wrote()
	f.said("LoadBalancerImmutableChange")
	for range 2 {
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Fatal(err)
		}
	}
	f.wrote("update balancer marks")
	f.said("LoadBalancerRetained: balancer lb-1 was kept, because the cloud protects it", "LoadBalancerRetained")
	if ownershipTags := f.only().OwnershipTags; len(ownershipTags) != 0 {
		t.Errorf("marks %v", ownershipTags)
	}
}
