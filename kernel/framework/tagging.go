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

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/tagging"
)

// startTagging starts the tagging loop. Settings that make no sense end the process.
func startTagging(ctx context.Context, e environment) (bool, error) {
	settings := e.options.Tagging
	if err := settings.Problem(e.cloud.Name, e.cloud.Tagger); err != nil {
		return false, err
	}
	client := e.CompletedConfig.ClientBuilder.ClientOrDie(e.client).CoreV1().Nodes()
	manager := tagging.New(tagging.Options{
		Cloud: e.cloud, Machines: e.inventory, Nodes: e.Nodes, Executor: e.executor, Settings: settings,
		Label: func(ctx context.Context, node *corev1.Node, key, value string) error {
			return setLabel(ctx, client, node, key, value)
		},
	})
	passes := newLoop("Tagging machines", func(ctx context.Context) error {
		e.plans.Round("tags")
		return drain.Do(ctx, e.calls, cloud.PriorityRefresh, manager.Reconcile)
	})
	return true, passes.follow(ctx, e.nodes.Informer(), taggingEvents(manager, passes, e.options.Tuning.NodeBurst))
}

// tagger is what is told of Nodes; *tagging.Manager is.
type tagger interface {
	Concerns(before, after *corev1.Node) bool
	Deleted(node *corev1.Node)
}

// taggingEvents makes the loop follow Nodes.
func taggingEvents(tags tagger, l *loop, window time.Duration) cache.ResourceEventHandler {
	return events(l, window, tags.Concerns, tags.Deleted)
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
