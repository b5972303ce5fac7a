package instance

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// FromNode returns the machine of a Node of this cloud that only the Node describes. It is a pure function
// of the Node and, where there is one, of the version of the inventory.
func FromNode(c *run.Cloud, node *corev1.Node) (cloud.Instance, bool) {
	if c.Describer == nil || Owner(node, c.Concerns) != Mine {
		return cloud.Instance{}, false
	}
	machine, ok := c.Describer.FromNode(Attributes(node))
	if !ok {
		return cloud.Instance{}, false
	}
	machine = cache.Copy(machine)
	machine.Addresses = c.Descriptor.Capabilities.UsableMachine(machine.Addresses)
	return machine, true
}

// Unlisted returns a *NotFoundError for a Node that waits for its cloud and that no entry of the inventory fits, nil for any other.
func Unlisted(c *run.Cloud, node *corev1.Node) error {
	if c.Inventory == nil || node.Spec.ProviderID != "" || Owner(node, c.Concerns) != Mine {
		return nil
	}
	if _, fits := c.Inventory.Match(Attributes(node)); fits {
		return nil
	}
	text := "no entry of the inventory (--cloud-config) fits the Node"
	if nearest := c.Inventory.Nearest(Attributes(node)); len(nearest) > 0 {
		text += "; nearest: " + strings.Join(nearest, "; ")
	}
	return &NotFoundError{text + "; add one, or set others: true"}
}

// ID returns the machine that a Node's provider-ID names.
func ID(c *run.Cloud, node *corev1.Node) (cloud.InstanceID, error) {
	id, err := c.Instances.ParseProviderID(node.Spec.ProviderID)
	if err != nil {
		return "", err // one that is malformed names no machine, whatever the driver returns with the error
	}
	if c.NodeIdentity != nil {
		id = c.NodeIdentity.NodeID(id, node.Name)
	}
	return id, nil
}

// Attributes are what a driver or an inventory knows of a Node.
func Attributes(node *corev1.Node) cloud.NodeAttributes {
	facts := cloud.NodeAttributes{Name: node.Name, ProviderID: node.Spec.ProviderID, Labels: node.Labels, Annotations: node.Annotations}
	for _, a := range node.Status.Addresses {
		facts.Addresses = append(facts.Addresses, cloud.Address{Type: cloud.AddressType(a.Type), Address: a.Address})
	}
	return facts
}

// completeAll completes the machines of Nodes. Of two Nodes with one machine the first by name counts.
func (n *nodes) completeAll(machines map[cloud.InstanceID]cloud.Instance) map[cloud.InstanceID]cloud.Instance {
	if n.completer == nil && !anyOrder(machines) {
		return machines
	}
	first := map[cloud.InstanceID]*corev1.Node{}
	for _, node := range n.own() {
		if other := first[node.id]; other == nil || node.Name < other.Name {
			first[node.id] = node.Node
		}
	}
	for id, machine := range machines {
		if node := first[id]; node != nil {
			machines[id] = n.complete(machine, node)
		}
	}
	return machines
}

// described returns the machines that only Nodes describe, by id.
func (n *nodes) described() map[cloud.InstanceID]cloud.Instance {
	machines := map[cloud.InstanceID]cloud.Instance{}
	for _, node := range n.list() {
		if machine, ok := n.fromNode(node); ok {
			machines[machine.ID] = machine
		}
	}
	return machines
}

// split takes those of the ids out that no cloud is asked for, and returns those of their machines that a
// Node describes. The others are gone with their Node.
func (n *nodes) split(ids []cloud.InstanceID) (rest []cloud.InstanceID, present map[cloud.InstanceID]cloud.Instance) {
	var described map[cloud.InstanceID]cloud.Instance
	present = make(map[cloud.InstanceID]cloud.Instance, len(ids))
	for _, id := range ids {
		if !id.Described() {
			rest = append(rest, id)
			continue
		}
		if described == nil {
			described = n.described()
		}
		if machine, ok := described[id]; ok {
			present[id] = machine
		}
	}
	return rest, present
}
