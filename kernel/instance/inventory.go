package instance

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Options configure an Inventory.
type Options struct {
	Cloud *run.Cloud
	// Nodes returns this cloud's Nodes, from an informer; they are not changed.
	Nodes func() []*corev1.Node
	// Brake bounds deletions; one with default options when nil.
	Brake  *safety.Brake
	Policy Policy
	// Events and Metrics may be nil.
	Events  event.Recorder
	Metrics metric.Sink
}

// Inventory knows the machines of one cloud. It is safe for concurrent use.
type Inventory struct{}

// New returns an Inventory that knows nothing yet and asks nothing before it is asked.
func New(o Options) *Inventory { return &Inventory{} }

func (i *Inventory) Metadata(ctx context.Context, node *corev1.Node) (cloud.Instance, error) {
	panic("todo")
}
func (i *Inventory) Exists(ctx context.Context, node *corev1.Node) (bool, error)   { panic("todo") }
func (i *Inventory) Shutdown(ctx context.Context, node *corev1.Node) (bool, error) { panic("todo") }
func (i *Inventory) Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	panic("todo")
}
func (i *Inventory) ProviderID(node *corev1.Node) (cloud.InstanceID, error) { panic("todo") }
