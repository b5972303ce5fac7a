package loadbalancer

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// recordingDriver is a cloud in which nothing but the Service says which ports and targets are its own.
type recordingDriver struct{ *fakeDriver }

const recorded = "fake.io/parts"

func (d recordingDriver) Record(change cloud.Change) map[string]string {
	if change.After == nil {
		return nil
	}
	b := change.Before.Balancer
	return map[string]string{recorded: fmt.Sprintf("%d+%d listeners, %d+%d targets", len(b.Listeners), len(change.After.Listeners), len(b.Targets), len(change.After.Targets))}
}

// What a change is about to make is recorded before it is made, and what it has left afterwards.
func TestRecordedBeforeTheChange(t *testing.T) {
	f := newFixture(t)
	f.wrapped = recordingDriver{f.driver}
	f.restart()
	step := func(err error, want string, writes ...string) {
		t.Helper()
		if err != nil {
			waits(t, err, problem.PollFirst)
		}
		if got := f.svc.Annotations[recorded]; got != want {
			t.Errorf("recorded %q, want %q", got, want)
		}
		f.wrote(writes...)
	}
	step(f.ensure(), "0+1 listeners, 0+3 targets")
	step(f.ensure(), "1+1 listeners, 3+3 targets", "create balancer")
	step(f.ensure(), "1+1 listeners, 3+3 targets")

	f.svc.Spec.Ports = append(f.svc.Spec.Ports, corev1.ServicePort{Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, NodePort: 30443})
	step(f.ensure(), "1+2 listeners, 3+3 targets")
	step(f.ensure(), "2+2 listeners, 3+3 targets", "create listener tcp/443")

	nodes := slices.Concat(f.nodes, []*corev1.Node{node("d")})
	step(f.UpdateTargets(t.Context(), f.svc, nodes), "2+2 listeners, 3+3 targets")
	f.nodes = nodes
	step(f.ensure(), "2+2 listeners, 3+4 targets")
	step(f.UpdateTargets(t.Context(), f.svc, nodes), "2+2 listeners, 3+4 targets", "create target d")

	f.start(run.DryRun, fakeDescriptor)
	f.nodes = nodes[:1]
	if err := f.ensure(); err != nil || f.svc.Annotations[recorded] != "2+2 listeners, 3+4 targets" {
		t.Errorf("where nothing is changed: %v, recorded %q", err, f.svc.Annotations[recorded])
	}
}
