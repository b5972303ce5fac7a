package loadbalancer

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

func TestImmutableChangeIsBlocked(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.svc.Annotations[keyInternal.Name] = "true"
	f.svc.Annotations[keyTier.Name] = "premium"
	f.svc.Annotations[keyProxy.Name] = "true"
	f.settle()
	f.wrote("update balancer proxy")
	f.said("LoadBalancerImmutableChange: scope stays \"external\" instead of \"internal\"")
	if got := f.only(); got.Scope != cloud.ScopeExternal || got.ProviderFields["tier"] != "basic" {
		t.Errorf("balancer %+v", got.Balancer)
	}
	f.settle()
	f.wrote()
}

func TestReplacement(t *testing.T) {
	for _, slow := range []int{0, 3} {
		for _, forgetful := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				f.driver.slow = slow
				f.settle()
				f.wrote("create balancer")
				f.svc.Annotations[keyInternal.Name] = "true"
				f.svc.Annotations[annotation.AllowReplacement.Name] = "true"
				waits(t, f.ensure(), problem.PollFirst)
				f.wrote() // what is about to be deleted is written down first
				waits(t, f.ensure(), problem.PollFirst)
				f.wrote("delete balancer")
				if forgetful {
					f.restart()
				}
				f.settle()
				f.wrote("create balancer")
				if note, ok := f.svc.Annotations[annotation.Replacement.Name]; ok {
					t.Errorf("the annotation is left: %s", note)
				}
				if f.only().Scope != cloud.ScopeInternal || f.svc.Annotations[keyID.Name] != "lb-2" {
					t.Errorf("balancer %+v, recorded %q", f.only().Balancer, f.svc.Annotations[keyID.Name])
				}
				f.settle()
				f.wrote()
				f.said()
			})
		}
	}
}

// The old balancer goes only when nothing stands in the way of the new one.
func TestReplacementWaitsUntilTheNextOneIsPossible(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.svc.Annotations[keyInternal.Name] = "true"
	f.svc.Annotations[annotation.AllowReplacement.Name] = "true"
	f.machines.unread = map[cloud.InstanceID]bool{"a": true}
	fails(t, f.ensure(), "reading the machines")
	f.wrote()
	f.machines.unread = nil
	waits(t, f.ensure(), problem.PollFirst)
	waits(t, f.ensure(), problem.PollFirst)
	f.wrote("delete balancer")
}

// A balancer that takes its time to go is not one that does not converge.
func TestReplacementOfAnUndeadBalancer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		f.driver.undead = 5
		f.svc.Annotations[keyInternal.Name] = "true"
		f.svc.Annotations[annotation.AllowReplacement.Name] = "true"
		f.settle()
		if f.only().Scope != cloud.ScopeInternal {
			t.Errorf("balancer %+v", f.only().Balancer)
		}
		f.said()
	})
}

// A cloud that does not honour an immutable field must not make us replace for ever.
func TestReplacementHappensOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.keep = func(b *cloud.Balancer) { b.Scope = cloud.ScopeExternal }
		f.settle()
		f.svc.Annotations[keyInternal.Name] = "true"
		f.svc.Annotations[annotation.AllowReplacement.Name] = "true"
		f.settle()
		f.settle()
		f.settle()
		f.wrote("create balancer", "delete balancer", "create balancer")
		said := strings.Join(f.events.take(), "\n")
		if !strings.Contains(said, "NotConverging: the balancer was replaced") {
			t.Errorf("events:\n%s", said)
		}
		f.svc.Annotations[keyTier.Name] = "premium"
		f.settle()
		f.wrote("delete balancer", "create balancer")
	})
}

// A driver that ignores preserved fields must not get its change through.
func TestDriverThatIgnoresPins(t *testing.T) {
	descriptor := fakeDescriptor
	descriptor.Capabilities.Immutable = []string{"algorithm"}
	f := newFixture(t)
	f.settle()
	f.start("", descriptor)
	f.driver.writes = nil
	f.svc.Annotations[keyAlgorithm.Name] = "random"
	fails(t, f.ensure(), "keeping algorithm as it is")
	f.wrote()
	f.said("CloudFailure")
}
