package controlplane

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// conditions are what a kubelet reports, in its order and with its words.
func conditions(ready bool) []corev1.NodeCondition {
	now := metav1.Now()
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
		return corev1.NodeCondition{
			Type: kind, Status: status, Reason: reason, Message: message,
			LastHeartbeatTime: now, LastTransitionTime: now,
		}
	}
	readyCondition := condition(corev1.NodeReady, corev1.ConditionFalse, "KubeletNotReady",
		"container runtime network not ready")
	if ready {
		readyCondition = condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady",
			"kubelet is posting ready status")
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", ""),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", ""),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", ""),
		readyCondition,
	}
}

// SetReady changes the Ready condition of a node to True or False, in one
// patch of its status. An empty reason means the one that a kubelet gives.
func (cp *ControlPlane) SetReady(ctx context.Context, name string, ready bool, reason string) error {
	all := conditions(ready)
	condition := all[len(all)-1]
	if reason != "" {
		condition.Reason = reason
	}
	// Conditions merge by type, so the others stay.
	patch, err := json.Marshal(map[string]any{
		"status": map[string]any{"conditions": []corev1.NodeCondition{condition}},
	})
	if err != nil {
		return fmt.Errorf("encode the Ready condition of node %s: %w", name, err)
	}
	_, err = cp.client.CoreV1().Nodes().Patch(ctx, name, types.StrategicMergePatchType, patch,
		metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("set the Ready condition of node %s: %w", name, err)
	}
	return nil
}
