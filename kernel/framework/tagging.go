package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
)

// tagger is what is told of Nodes; *tagging.Manager is.
type tagger interface {
	Concerns(before, after *corev1.Node) bool
	Deleted(node *corev1.Node)
}

// taggingEvents makes the loop follow Nodes. Of a deletion that was missed the last known state
// of the Node is what counts.
func taggingEvents(tags tagger, l *loop, window time.Duration) cache.ResourceEventHandler {
	changes := &burst{window: window, fire: l.changed}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { changes.note() },
		UpdateFunc: func(before, after any) {
			old, node := unwrap[*corev1.Node](before), unwrap[*corev1.Node](after)
			if old != nil && node != nil && tags.Concerns(old, node) {
				changes.note()
			}
		},
		DeleteFunc: func(obj any) {
			if node := unwrap[*corev1.Node](obj); node != nil {
				tags.Deleted(node)
				changes.note()
			}
		},
	}
}

// setLabel sets a label of that very Node. One that is gone needs none.
func setLabel(ctx context.Context, client typedcorev1.NodeInterface, node *corev1.Node, key, value string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": node.UID, "labels": map[string]string{key: value}}})
	if err != nil {
		return fmt.Errorf("writing a patch: %w", err)
	}
	_, err = client.Patch(ctx, node.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return fmt.Errorf("labelling node %s: %w", node.Name, err)
}
