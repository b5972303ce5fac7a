// Package client is what the controllers write to Kubernetes through.
package client

import (
	"bytes"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// client is what the controllers write through.
//
//	call                     done
//	PATCH nodes/x/status {}  dropped: upstream sends one per dual-stack Node and pass
//	DELETE nodes/x           only after a decision on that very Node, and a last look
//	events                   through another client, so that they don't slow the rest
//	anything else            as it is
type client struct {
	kubernetes.Interface
	core core
}

type core struct {
	typedcorev1.CoreV1Interface
	events  typedcorev1.EventsGetter
	builder *Builder
}

func (c *client) CoreV1() typedcorev1.CoreV1Interface { return &c.core }

func (c *core) Nodes() typedcorev1.NodeInterface {
	return &nodes{NodeInterface: c.CoreV1Interface.Nodes(), builder: c.builder}
}

func (c *core) Events(namespace string) typedcorev1.EventInterface {
	return &events{EventInterface: c.events.Events(namespace), builder: c.builder}
}

type nodes struct {
	typedcorev1.NodeInterface
	builder *Builder
}

func (n *nodes) Patch(ctx context.Context, name string, kind types.PatchType, data []byte, o metav1.PatchOptions, subresources ...string) (*corev1.Node, error) {
	if len(subresources) == 1 && subresources[0] == "status" && bytes.Equal(bytes.TrimSpace(data), []byte("{}")) {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
	}
	return n.NodeInterface.Patch(ctx, name, kind, data, o, subresources...)
}

// Delete deletes the Node the decision was about if nothing has happened to it since the
// last look. A heartbeat in between makes a conflict, and the controller starts again.
func (n *nodes) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	uid, ok := n.builder.Decisions.Take(name)
	if !ok {
		return fmt.Errorf("deleting node %s: nobody found its machine to be gone", name)
	}
	node, err := n.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("looking at node %s before deleting it: %w", name, err)
	case node.UID != uid:
		return fmt.Errorf("deleting node %s: there is a new node of that name", name)
	case instance.Ready(node):
		return fmt.Errorf("deleting node %s: it is ready again", name)
	case !n.builder.Mine(node):
		return fmt.Errorf("deleting node %s: it is not ours", name)
	}
	o.Preconditions = &metav1.Preconditions{UID: &node.UID, ResourceVersion: &node.ResourceVersion}
	return n.NodeInterface.Delete(ctx, name, o)
}

// events drops those that the builder names. Only the calls a broadcaster makes are covered.
type events struct {
	typedcorev1.EventInterface
	builder *Builder
}

func (e *events) CreateWithEventNamespace(event *corev1.Event) (*corev1.Event, error) {
	if e.builder.Mute != nil && e.builder.Mute(event) {
		<-e.builder.Stopping
		return event, nil
	}
	if e.builder.Quiet(event) {
		return event, nil
	}
	return e.CreateWithEventNamespaceWithContext(context.Background(), event)
}

func (e *events) PatchWithEventNamespace(event *corev1.Event, data []byte) (*corev1.Event, error) {
	if e.builder.Quiet(event) {
		return event, nil
	}
	return e.PatchWithEventNamespaceWithContext(context.Background(), event, data)
}
