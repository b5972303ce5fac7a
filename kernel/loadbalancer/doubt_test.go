package loadbalancer

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Machines that seem gone while their Nodes are held stop nothing: not a creation, not a change, and not the other machines.
func TestMachinesInDoubtStopNothing(t *testing.T) {
	f := newFixture(t)
	f.machines.doubtful = map[cloud.InstanceID]bool{"b": true}
	f.ensureInDoubt()
	if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "c"}) {
		t.Errorf("a new balancer has the targets %v", got)
	}
	f.svc.Spec.Ports[0].Port = 81
	f.nodes = append(f.nodes, node("d"))
	f.machines.doubtful = map[cloud.InstanceID]bool{"b": true, "c": true}
	f.ensureInDoubt()
	if got := f.only(); got.Listeners[0].Port != 81 || !slices.Equal(got.Targets, []cloud.InstanceID{"a", "c", "d"}) {
		t.Errorf("port %d, targets %v: the change is made, what is new comes, and what serves stays", got.Listeners[0].Port, got.Targets)
	}
	f.nodes = append(f.nodes, node("e"))
	pending, ok := errors.AsType[*Pending](f.UpdateTargets(t.Context(), f.svc, f.nodes))
	if got := f.only().Targets; !ok || pending.After <= 0 || !slices.Equal(got, []cloud.InstanceID{"a", "c", "d", "e"}) {
		t.Errorf("targets %v, pending %v: it is looked at again", got, pending)
	}
	f.machines.doubtful = nil
	f.settle()
	if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "b", "c", "d", "e"}) {
		t.Errorf("targets %v when all are seen", got)
	}
}

// Where no machine at all is seen, nothing is decided.
func TestAllMachinesInDoubt(t *testing.T) {
	f := newFixture(t)
	f.machines.doubtful = map[cloud.InstanceID]bool{"a": true, "b": true, "c": true}
	if err := f.ensure(); err == nil {
		t.Error("a balancer without a machine was made, or waits for nodes that are there")
	}
	f.machines.doubtful = nil
	f.settle()
	f.machines.doubtful = map[cloud.InstanceID]bool{"a": true, "b": true, "c": true}
	_ = f.ensure()
	if got := f.only().Targets; len(got) != 3 {
		t.Errorf("targets %v: those that serve stay", got)
	}
}

// ensureInDoubt runs Ensure until only machines in doubt are left to be looked at again.
func (f *fixture) ensureInDoubt() {
	f.t.Helper()
	for range 20 {
		err := f.ensure()
		if err == nil && f.again >= time.Minute {
			return
		}
		pending, ok := errors.AsType[*Pending](err)
		if err != nil && !ok {
			f.t.Fatalf("ensure: %v", err)
		}
		if ok {
			time.Sleep(min(pending.After, time.Second))
		}
	}
	f.t.Fatal("ensure does not come to machines in doubt")
}
