package framework

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	lifecyclecontroller "k8s.io/cloud-provider/controllers/nodelifecycle"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/client"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// inventory answers for machines; *instance.Inventory does.
type inventory interface {
	Metadata(ctx context.Context, node *corev1.Node) (cloud.Instance, error)
	Exists(ctx context.Context, node *corev1.Node) (bool, error)
	Shutdown(ctx context.Context, node *corev1.Node) (bool, error)
	Running(node *corev1.Node) bool
}

// instances adapts the inventory to the two node controllers.
type instances struct {
	inventory inventory
	calls     *drain.Drain
	decisions *client.Decisions
	events    event.Recorder
	// keepNodes never says that a machine is gone.
	keepNodes bool
	nodeIPs   NodeIPs
	// told is what initialised Nodes were told of their --node-ip, by UID.
	told sync.Map
}

var _ cloudprovider.InstancesV2 = (*instances)(nil)

// needsNothing reports whether the lifecycle controller would do nothing about a Node of ours: it is Ready, has no provider-ID
// yet, or its machine is known to run; and it has not the taint of a machine that is off. That controller copies each
// Node that it is shown every five seconds: 11 MB of 5,000 Nodes.
func (i *instances) needsNothing(node *corev1.Node) bool {
	if view.Tainted(node, lifecyclecontroller.ShutdownTaint.Key) {
		return false
	}
	return instance.Ready(node) || node.Spec.ProviderID == "" || i.inventory.Running(node)
}

// InstanceExists is asked for Nodes that are not Ready. A false without an error makes the
// lifecycle controller delete the Node, so it is also noted for whom it was said.
func (i *instances) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	if i.keepNodes {
		return true, nil
	}
	exists, err := drain.Track(ctx, i.calls, cloud.PriorityExistence, func(ctx context.Context) (bool, error) {
		return i.inventory.Exists(ctx, node)
	})
	if err == nil && !exists {
		i.decisions.Add(node)
		i.told.Delete(node.UID)
	}
	return exists || err != nil, err
}

// InstanceShutdown is asked for Nodes that exist and are not Ready.
func (i *instances) InstanceShutdown(ctx context.Context, node *corev1.Node) (bool, error) {
	return drain.Track(ctx, i.calls, cloud.PriorityExistence, func(ctx context.Context) (bool, error) {
		return i.inventory.Shutdown(ctx, node)
	})
}

// InstanceMetadata is asked to initialise a Node, and again every few minutes. It never
// returns nil without an error: one controller skips such a Node for good, another crashes.
func (i *instances) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	priority, fresh := cloud.PriorityRefresh, instance.Uninitialized(node)
	if fresh {
		priority = cloud.PriorityNodeInit
	}
	machine, err := drain.Track(ctx, i.calls, priority, func(ctx context.Context) (cloud.Instance, error) {
		return i.inventory.Metadata(ctx, node)
	})
	switch {
	case err != nil:
		return nil, err
	case machine.ProviderID == "":
		return nil, errors.New("internal error: the machine has no provider-ID")
	case fresh && len(machine.Addresses) == 0:
		// Without an error the Node would be without addresses until the next refresh.
		return nil, fmt.Errorf("machine %s has no address yet", machine.ID)
	}
	machine, err = drain.Track(ctx, i.calls, priority, func(ctx context.Context) (cloud.Instance, error) {
		return i.nodeIPs.Complete(ctx, node, machine)
	})
	wrong, is := errors.AsType[*NodeIPError](err)
	if err != nil && !is {
		if fresh && !cloud.IsClass(err, cloud.FailureThrottled) {
			i.events.Record(event.About("Node", node), event.NotInitialised, event.Explained(err))
		}
		return nil, err
	}
	i.tellNodeIP(node, machine, err)
	if is && wrong.Taken != "" {
		return nil, err // of a machine that its Node describes the framework would write it
	}
	return Metadata(machine), nil
}

// tellNodeIP says that a Node's addresses are not written, for its kubelet's --node-ip. Upstream says it nowhere but in its log.
//
//	the Node                         said
//	is new                           each time: it is tried again less and less often
//	is initialised                   once, until --node-ip or the machine's addresses change
//	the same, its machine has none   never: nothing would be written anyway
func (i *instances) tellNodeIP(node *corev1.Node, machine cloud.Instance, err error) {
	if err == nil || len(machine.Addresses) == 0 {
		i.told.Delete(node.UID)
		return
	}
	text := err.Error()
	if before, told := i.told.Swap(node.UID, text); told && before == text && !instance.Uninitialized(node) {
		return
	}
	i.events.Record(event.About("Node", node), event.NodeIPUnknown, text)
}

// Metadata is the machine in the form of the framework.
func Metadata(machine cloud.Instance) *cloudprovider.InstanceMetadata {
	return &cloudprovider.InstanceMetadata{
		ProviderID:       machine.ProviderID,
		InstanceType:     machine.Type,
		NodeAddresses:    nodeAddresses(machine.Addresses),
		Zone:             machine.Zone,
		Region:           machine.Region,
		AdditionalLabels: machine.Labels,
	}
}

// nodeAddresses drops repetitions, which the API server refuses.
func nodeAddresses(addresses []cloud.Address) []corev1.NodeAddress {
	seen := map[cloud.Address]bool{}
	var unique []corev1.NodeAddress
	for _, a := range addresses {
		if !seen[a] {
			seen[a] = true
			unique = append(unique, corev1.NodeAddress{Type: corev1.NodeAddressType(a.Type), Address: a.Address})
		}
	}
	return unique
}
