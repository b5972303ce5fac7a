package loadbalancer

import (
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

func TestUpdateTargets(t *testing.T) {
	f := newFixture(t)
	fails(t, f.UpdateTargets(t.Context(), f.svc, f.nodes), "shop/web has no balancer")
	f.settle()
	f.wrote("create balancer")
	f.svc.Annotations[keyAlgorithm.Name] = "nonsense"
	f.svc.Spec.Ports[0].NodePort = 31080
	f.nodes = append(f.nodes[1:], node("d"))
	if err := f.UpdateTargets(t.Context(), f.svc, f.nodes); err != nil {
		t.Fatal(err)
	}
	f.wrote("create target d; delete target a")
	f.said()
	if !f.driver.justTargets {
		t.Error("the driver was not told that just targets are changed")
	}
	if err := f.UpdateTargets(t.Context(), f.svc, f.nodes); err != nil {
		t.Fatal(err)
	}
	f.wrote()
	_ = f.ensure()
	if f.driver.justTargets {
		t.Error("the driver was told that just targets are changed while the Service is compared")
	}
}

func TestUpdateTargetsIsPendingWhileTheCloudIs(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.driver.fail = func(call string, done bool) error {
		if call == "apply" {
			f.only().busy = 1
		}
		return nil
	}
	waits(t, f.UpdateTargets(t.Context(), f.svc, nil), 7*time.Second)
	f.driver.fail = nil
	f.settle()
	f.machines.unread = map[cloud.InstanceID]bool{"a": true}
	fails(t, f.UpdateTargets(t.Context(), f.svc, f.nodes), "broken")
}

// A Node that joins while a balancer is being made costs no request before the Service was told where it is reached.
func TestTargetsWaitForTheAddress(t *testing.T) {
	f := newFixture(t)
	f.driver.busy = 1
	waits(t, f.ensure(), 7*time.Second)
	f.wrote("create balancer")
	f.nodes = append(f.nodes, node("d"))
	if err := f.ensure(); err != nil {
		t.Fatal(err)
	}
	if f.again != problem.PollFirst || len(f.svc.Status.LoadBalancer.Ingress) == 0 {
		t.Errorf("again after %s, status %+v: want an address, and another look soon", f.again, f.svc.Status.LoadBalancer)
	}
	f.wrote()
	f.settle()
	f.wrote("create target d")
}

// Targets of a balancer that another process made may be wrong for long.
func TestTargetsOfAnotherProcessDoNotWait(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.restart()
	f.svc.Status.LoadBalancer.Ingress = nil
	f.nodes = append(f.nodes, node("d"))
	if err := f.ensure(); err != nil {
		t.Fatal(err)
	}
	f.wrote("create target d")
}
