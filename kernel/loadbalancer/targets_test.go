package loadbalancer

import (
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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
	if err := f.UpdateTargets(t.Context(), f.svc, f.nodes); err != nil {
		t.Fatal(err)
	}
	f.wrote()
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
