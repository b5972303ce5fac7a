package node_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

func TestShutdownTaintComesAndGoes(t *testing.T) {
	s := open(t, testcloud.API)
	machines := s.pool(3)
	s.start()
	off := machines[1]
	s.machines.stop(off)
	s.notReady(off)
	s.node(off.Name, shutDown(true))
	s.machines.power(off)
	s.setReady(true, off)
	s.node(off.Name, shutDown(false))
	for _, d := range machines {
		if node := s.node(d.Name, shutDown(false)); tainted(node, shutdownTaint) {
			t.Errorf("node %s is tainted", d.Name)
		}
	}
}

// A machine that is really gone: its Node goes within a minute of the grace, alone, and
// with a precondition on its UID.
func TestGoneMachine(t *testing.T) {
	s := open(t, testcloud.API)
	machines := s.pool(20)
	s.start()
	lost := machines[7]
	s.machines.remove(lost)
	s.notReady(lost)
	began := time.Now()
	s.node(lost.Name, gone)
	took := time.Since(began)
	t.Logf("the node was removed after %v", took.Round(time.Millisecond))
	if took > time.Minute {
		t.Errorf("the node was removed after %v, want less than a minute", took)
	}
	s.event(lost.Name, "DeletingNode")
	s.unwarned(lost.Name)
	if n := s.count(); n != len(machines)-1 {
		t.Errorf("%d nodes are left, want %d", n, len(machines)-1)
	}
	deletes := s.audit(controlplane.AuditFilter{Verbs: []string{"delete"}, Resource: "nodes"})
	if len(deletes) != 1 {
		t.Fatalf("%d requests delete nodes, want 1", len(deletes))
	}
	if body := string(deletes[0].RequestObject); !contains(body, `"preconditions"`, `"uid"`) {
		t.Errorf("the request has no precondition on the UID: %s", body)
	}
}

// By default a Node younger than two minutes is kept.
func TestGraceKeepsYoungNodes(t *testing.T) {
	s := open(t, testcloud.API)
	machines := s.pool(6)
	s.start("--node-deletion-grace=2m")
	s.machines.remove(machines[0])
	s.notReady(machines[0])
	s.never(15*time.Second, func() error {
		if n := s.count(); n != len(machines) {
			return fmt.Errorf("%d of %d nodes are left", n, len(machines))
		}
		return nil
	})
}

// A machine comes back under the same name: the new Node is another one, and stays.
func TestRecreatedMachineKeepsItsNode(t *testing.T) {
	s := open(t, testcloud.API, testcloud.Chosen)
	machines := s.pool(6)
	s.start()
	old := machines[2]
	s.machines.remove(old)
	s.notReady(old)
	s.node(old.Name, gone)

	fresh := s.machines.like(old)
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: old.Name})
	s.must(err)
	node := s.node(old.Name, initialised)
	if node.Spec.ProviderID != fresh.ProviderID {
		t.Errorf("the provider-ID is %s, want %s", node.Spec.ProviderID, fresh.ProviderID)
	}
	s.never(10*time.Second, func() error { return s.present(old.Name, node) })
}

// While the proof for a Node is under way it is replaced by another one of the same name.
func TestProofIsAboutOneNodeOnly(t *testing.T) {
	s := open(t, testcloud.API, testcloud.Chosen)
	machines := s.pool(6)
	s.start("--node-deletion-confirm-gap=5s")
	old := machines[2]
	s.machines.remove(old)
	s.notReady(old)
	s.event(old.Name, "CheckingInstance")

	s.must(s.Client().CoreV1().Nodes().Delete(s.within(patience), old.Name, metav1.DeleteOptions{}))
	fresh := s.machines.like(old)
	options := fresh.Settled()
	options.Ready = false
	node, err := s.JoinNode(s.within(patience), options)
	s.must(err)
	s.never(15*time.Second, func() error { return s.present(old.Name, node) })
}

// present returns an error unless that very Node is there.
func (s *site) present(name string, want *corev1.Node) error {
	node, err := s.Client().CoreV1().Nodes().Get(s.within(patience), name, metav1.GetOptions{})
	if err == nil && node.UID != want.UID {
		err = errors.New("it is another one")
	}
	if err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
	return nil
}

func TestNodeDeletionOff(t *testing.T) {
	s := open(t, testcloud.API)
	machines := s.pool(6)
	s.start("--node-deletion=false")
	s.machines.remove(machines[0])
	s.notReady(machines[0])
	s.never(15*time.Second, func() error {
		return s.present(machines[0].Name, s.node(machines[0].Name, func(*corev1.Node) error { return nil }))
	})
}

// When more machines vanish than may go together, no Node is deleted, also not by the next
// leader, until an operator says that it was meant.
func TestBrake(t *testing.T) {
	const size = 30 // what may go within the requests that the API allows in the time of a test
	s := open(t, testcloud.API)
	machines := s.pool(size)
	first := s.start()
	vanished := machines[:size*3/10]
	s.machines.remove(vanished...)
	s.notReady(vanished...)
	s.event("", "DeletionBrakeEngaged")
	complete := func() error {
		if n := s.count(); n < size {
			return fmt.Errorf("%d nodes were deleted", size-n)
		}
		return nil
	}
	s.never(15*time.Second, complete)
	first.Kill()
	s.start()
	s.never(20*time.Second, complete)

	s.release()
	s.eventually(func() error {
		if n := s.count(); n != size-len(vanished) {
			return fmt.Errorf("%d nodes are left, want %d", n, size-len(vanished))
		}
		return nil
	})
	nodes, err := s.Client().CoreV1().Nodes().List(s.within(patience), metav1.ListOptions{})
	s.must(err)
	left := map[string]bool{}
	for _, node := range nodes.Items {
		left[node.Name] = true
	}
	for _, d := range machines[len(vanished):] {
		if !left[d.Name] {
			t.Errorf("node %s was deleted although its machine is there", d.Name)
		}
	}
}

// release does by hand what the sub-command does.
func (s *site) release() {
	s.t.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"multicloud-ccm.io/brake-released-by":"test","multicloud-ccm.io/brake-released-at":%q}}}`,
		time.Now().UTC().Format(time.RFC3339))
	_, err := s.Client().CoordinationV1().Leases(lab.Namespace).Patch(s.within(patience), leaseName, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	s.must(err)
}
