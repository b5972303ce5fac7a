package controlplane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestJoinNodeRegistersLikeAKubelet(t *testing.T) {
	name := newName("joins")
	node, err := shared.JoinNode(testContext(t), NodeOptions{
		Name: name, ProviderID: "cloud://1", ProvidedNodeIP: "10.0.0.5,fd00::5", Zone: "z1",
	})
	if err != nil {
		t.Fatal(err)
	}
	taint := corev1.Taint{Key: UninitializedTaint, Value: "true", Effect: corev1.TaintEffectNoSchedule}
	if !slices.Contains(node.Spec.Taints, taint) {
		t.Errorf("taints %v, want %v among them", node.Spec.Taints, taint)
	}
	if node.Spec.ProviderID != "cloud://1" {
		t.Errorf("provider ID %q", node.Spec.ProviderID)
	}
	if got := node.Annotations[ProvidedNodeIP]; got != "10.0.0.5,fd00::5" {
		t.Errorf("provided node IP %q", got)
	}
	if got := node.Labels[corev1.LabelTopologyZone]; got != "z1" {
		t.Errorf("zone %q", got)
	}
	want := []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: "10.0.0.5"},
		{Type: corev1.NodeInternalIP, Address: "fd00::5"},
		{Type: corev1.NodeHostName, Address: name},
	}
	if !slices.Equal(node.Status.Addresses, want) {
		t.Errorf("addresses %v, want %v", node.Status.Addresses, want)
	}
	if err := hasReady(corev1.ConditionFalse, "KubeletNotReady")(node); err != nil {
		t.Error(err)
	}
	if node.Status.NodeInfo.KubeletVersion == "" {
		t.Error("no kubelet version")
	}
}

// hasReady returns a check of a node's Ready condition.
func hasReady(status corev1.ConditionStatus, reason string) func(*corev1.Node) error {
	return func(node *corev1.Node) error {
		if node == nil {
			return errors.New("no such node")
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == status && c.Reason == reason {
				return nil
			}
		}
		return fmt.Errorf("conditions %v, want Ready=%s for %s", node.Status.Conditions, status, reason)
	}
}

func TestSetReadyAndWaitNode(t *testing.T) {
	ctx, name := testContext(t), newName("changes")
	if _, err := shared.JoinNode(ctx, NodeOptions{Name: name}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		ready      bool
		reason     string
		wantStatus corev1.ConditionStatus
		wantReason string
	}{
		{true, "", corev1.ConditionTrue, "KubeletReady"},
		{false, "NodeStatusUnknown", corev1.ConditionFalse, "NodeStatusUnknown"},
	} {
		if err := shared.SetReady(ctx, name, step.ready, step.reason); err != nil {
			t.Fatal(err)
		}
		node, err := shared.WaitNode(ctx, name, hasReady(step.wantStatus, step.wantReason))
		if err != nil {
			t.Fatal(err)
		}
		if len(node.Status.Conditions) != 4 {
			t.Errorf("%d conditions, want the other three kept", len(node.Status.Conditions))
		}
	}
}

func TestWaitNodeSeesCreationAndDeletion(t *testing.T) {
	ctx, name := testContext(t), newName("passes")
	gone := func(node *corev1.Node) error {
		if node != nil {
			return errors.New("the node is there")
		}
		return nil
	}
	if _, err := shared.WaitNode(ctx, name, gone); err != nil {
		t.Fatal(err)
	}
	changed := make(chan error, 1)
	go func() {
		_, err := shared.WaitNode(ctx, name, hasReady(corev1.ConditionTrue, "KubeletReady"))
		changed <- err
	}()
	if _, err := shared.JoinNode(ctx, NodeOptions{Name: name, Ready: true}); err != nil {
		t.Fatal(err)
	}
	if err := <-changed; err != nil {
		t.Fatal(err)
	}
	if err := shared.Client().CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := shared.WaitNode(ctx, name, gone); err != nil {
		t.Fatal(err)
	}
}

func TestWaitNodeSaysWhatIsMissing(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := shared.WaitNode(ctx, "never", hasReady(corev1.ConditionTrue, ""))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no such node") {
		t.Errorf("got error %v, want the deadline and the last state", err)
	}
}

func TestJoinNodes(t *testing.T) {
	ctx, fleet := testContext(t), newName("fleet")
	nodes := make([]NodeOptions, 200)
	for i := range nodes {
		nodes[i] = NodeOptions{
			Name: fmt.Sprintf("%s-%03d", fleet, i), Labels: map[string]string{"fleet": fleet}, Initialized: true,
		}
	}
	started := time.Now()
	if err := shared.JoinNodes(ctx, nodes); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d nodes in %v", len(nodes), time.Since(started))
	list, err := shared.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: "fleet=" + fleet})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != len(nodes) {
		t.Errorf("%d nodes, want %d", len(list.Items), len(nodes))
	}
	for _, taint := range list.Items[0].Spec.Taints {
		if taint.Key == UninitializedTaint {
			t.Errorf("initialised node has taint %v", taint)
		}
	}
	if err := shared.JoinNodes(ctx, nodes[:1]); err == nil || !strings.Contains(err.Error(), "join node "+fleet+"-000") {
		t.Errorf("joining twice: %v, want an error that names the node", err)
	}
}

// A simulated Node has the version of the programs.
func TestNodeHasThePinnedVersion(t *testing.T) {
	_, _, pinned := pinnedOf(t, apiServer)
	var want []string
	for _, part := range pinned {
		want = append(want, strconv.Itoa(part))
	}
	if got := nodeInfo("any").KubeletVersion; got != "v"+strings.Join(want, ".") {
		t.Errorf("the kubelet's version is %s, want v%s", got, strings.Join(want, "."))
	}
}
