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

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
)

// tagger is what is told of Nodes; *tagging.Manager is.
type tagger interface {
	Concerns(before, after *corev1.Node) bool
	Deleted(node *corev1.Node)
}

// taggingEvents makes the loop follow Nodes. Of a deletion that was missed the last known state
// of the Node is what counts.
func taggingEvents(tags tagger, l *loop, window time.Duration) cache.ResourceEventHandler {
	changes := &view.Burst{Window: window, Fire: l.changed}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { changes.Note() },
		UpdateFunc: func(before, after any) {
			old, node := view.Object[*corev1.Node](before), view.Object[*corev1.Node](after)
			if old != nil && node != nil && tags.Concerns(old, node) {
				changes.Note()
			}
		},
		DeleteFunc: func(obj any) {
			if node := view.Object[*corev1.Node](obj); node != nil {
				tags.Deleted(node)
				changes.Note()
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
