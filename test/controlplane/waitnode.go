package controlplane

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

var errNotSeen = errors.New("the node has not been looked at yet")

// WaitNode watches the named node until check returns nil, and returns the
// node as it was then. check sees every state, nil while there is no such
// node; its error says what is still missing, and is part of WaitNode's when
// ctx ends first. The wait outlives restarts of the API server.
func (cp *ControlPlane) WaitNode(ctx context.Context, name string, check func(*corev1.Node) error) (*corev1.Node, error) {
	nodes := cache.NewListWatchFromClient(cp.client.CoreV1().RESTClient(), "nodes",
		metav1.NamespaceAll, fields.OneTermEqualSelector("metadata.name", name))
	var found *corev1.Node
	last := errNotSeen
	look := func(node *corev1.Node) bool {
		found, last = node, check(node)
		return last == nil
	}
	// The store knows at the first sync whether the node is absent.
	synced := func(store cache.Store) (bool, error) {
		if _, exists, err := store.GetByKey(name); err != nil || exists {
			return false, err // an event follows
		}
		return look(nil), nil
	}
	_, err := watchtools.UntilWithSync(ctx, nodes, &corev1.Node{}, synced, func(event watch.Event) (bool, error) {
		node, ok := event.Object.(*corev1.Node)
		if !ok || event.Type == watch.Deleted {
			node = nil
		}
		return look(node), nil
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // says more than the watch does
	}
	if err != nil {
		return nil, fmt.Errorf("wait for node %s: %w; last state: %w", name, err, last)
	}
	return found, nil
}
