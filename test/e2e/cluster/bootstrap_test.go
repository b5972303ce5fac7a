package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

func (s *story) register(t *testing.T) {
	for _, n := range s.Nodes() {
		node, err := s.WaitNode(within(t, patience), n.Name(), func(node *corev1.Node) error {
			if node == nil {
				return errors.New("the node has not registered")
			}
			return nil
		})
		must(t, err)
		if !tainted(node) {
			t.Errorf("%s registered with taints %v", n.Name(), node.Spec.Taints)
		}
		if node.Spec.ProviderID != "" {
			t.Errorf("%s registered with provider-ID %s", n.Name(), node.Spec.ProviderID)
		}
		if got := node.Labels[corev1.LabelHostname]; got != n.Name() {
			t.Errorf("%s has the host name %q", n.Name(), got)
		}
		if got := node.Annotations[controlplane.ProvidedNodeIP]; got != n.Address().String() {
			t.Errorf("%s says its address is %q, want %s", n.Name(), got, n.Address())
		}
		if ready(node) {
			t.Errorf("%s is ready without a pod network", n.Name())
		}
	}
	must(t, install.LabelControlPlane(within(t, patience), s.Cluster))
}

func (s *story) wait(t *testing.T) {
	s.apply(t, "echo.yaml")
	s.pods(t, func(pods []corev1.Pod) error {
		if len(pods) != 3 {
			return fmt.Errorf("%d pods", len(pods))
		}
		return errors.Join(unschedulable(pods[0]), unschedulable(pods[1]), unschedulable(pods[2]))
	})
}

// network is the last thing that the pods of the test wait for.
func (s *story) network(t *testing.T) {
	must(t, s.AddPodNetwork(within(t, patience)))
	for _, n := range s.Nodes() {
		_, err := s.WaitNode(within(t, patience), n.Name(), func(node *corev1.Node) error {
			if !ready(node) || len(node.Spec.Taints) > 0 {
				return fmt.Errorf("the node is ready: %t, and has taints %v", ready(node), node.Spec.Taints)
			}
			return nil
		})
		must(t, err)
	}
	s.pods(t, func(pods []corev1.Pod) error {
		for _, pod := range pods {
			if err := podReady(pod); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *story) apply(t *testing.T, name string) {
	t.Helper()
	manifest, err := os.ReadFile("testdata/" + name)
	must(t, err)
	must(t, s.ApplyManifest(within(t, patience), manifest))
}

// pods waits until check finds nothing wrong with the pods of the test.
func (s *story) pods(t *testing.T, check func([]corev1.Pod) error) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		pods, err := s.Client().CoreV1().Pods(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		return check(pods.Items)
	})
}

func tainted(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == controlplane.UninitializedTaint })
}

func ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func podReady(pod corev1.Pod) error {
	if condition(pod, corev1.PodReady).Status != corev1.ConditionTrue {
		return fmt.Errorf("pod %s is %s on node %q: %s%v", pod.Name, pod.Status.Phase, pod.Spec.NodeName,
			condition(pod, corev1.PodScheduled).Message, pod.Status.ContainerStatuses)
	}
	return nil
}

// unschedulable is met by a pod that the scheduler has looked at, and no node takes because
// of its taints.
func unschedulable(pod corev1.Pod) error {
	if c := condition(pod, corev1.PodScheduled); c.Reason != corev1.PodReasonUnschedulable || !strings.Contains(c.Message, "untolerated taint") {
		return fmt.Errorf("pod %s is %s on node %q: %s", pod.Name, pod.Status.Phase, pod.Spec.NodeName, c.Message)
	}
	return nil
}

func condition(pod corev1.Pod, kind corev1.PodConditionType) corev1.PodCondition {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return corev1.PodCondition{}
}
