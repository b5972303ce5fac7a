package loadbalancer

import (
	"errors"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

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

// A refusal may be for a machine that went a moment ago, when the kubelet of a Node does not report.
func TestRefusalOutdatesMachines(t *testing.T) {
	invalid := &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureInvalid}, Op: "test", Err: errBroken}
	forTargets := &cloud.TargetsRefused{Asked: []cloud.InstanceID{"i-1"}, Err: invalid}
	for _, test := range []struct {
		name  string
		err   error
		ready bool
		want  int
	}{
		{"targets refused, a Node is NotReady", forTargets, false, 1},
		{"targets refused, all are Ready", forTargets, true, 0},
		{"something else refused", invalid, false, 0},
		{"not refused", errConflict, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			for _, node := range f.nodes {
				if test.ready {
					node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
				}
			}
			f.driver.fail = func(call string, _ bool) error {
				if call == "apply" {
					return test.err
				}
				return nil
			}
			if err := f.ensure(); err == nil || f.machines.outdated != test.want {
				t.Errorf("%v, outdated %d times, want %d", err, f.machines.outdated, test.want)
			}
		})
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
