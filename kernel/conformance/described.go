package conformance

import (
	"maps"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// nodeIP is the annotation with the kubelet's --node-ip. The source is k8s.io/cloud-provider/api, AnnotationAlphaProvidedIPAddr, which
// only kernel/framework may know.
const nodeIP = "alpha.kubernetes.io/provided-node-ip"

// describedNodes checks a cloud.Describer: what it makes of Nodes, and that the kernel asks no cloud about
// their machines.
func describedNodes(f *fixture) {
	describer := f.driver.Machines.Describer
	if describer == nil || len(f.suite.Described) == 0 {
		if describer != nil {
			f.Error("the driver has a Describer: Harness.Described has to have a Node")
		}
		return
	}
	if !f.suite.Offline {
		listedNodes(f, describer)
	}
	if f.suite.Inventory != nil {
		unlistedNode(f, describer)
	}
	if machine, claimed := describer.FromNode(cloud.NodeAttributes{Name: "node-1", ProviderID: "other://node-1"}); claimed {
		f.Errorf("a node of another cloud describes its machine: %+v", machine)
	}
	var nodes []*corev1.Node
	for _, attributes := range f.suite.Described {
		if machine, ok := describe(f, describer, attributes); ok {
			nodes = append(nodes, describing(attributes, machine))
		}
	}
	neverAsked(f, nodes)
}

// listedNodes checks that Nodes of machines which the cloud lists describe none.
func listedNodes(f *fixture, describer cloud.Describer) {
	listed := f.get(f.control.AddMachine("node-1"))
	if machine, claimed := describer.FromNode(cloud.NodeAttributes{Name: "node-1", ProviderID: listed.ProviderID, Addresses: listed.Addresses}); claimed {
		f.Errorf("a machine of the cloud is described by its node: %+v", machine)
	}
	if machine, claimed := describer.FromNode(cloud.NodeAttributes{Name: "node-1"}); claimed {
		f.Errorf("a new node that says nothing of its machine describes it: %+v", machine)
	}
}

// unlistedNode checks that a Node which the inventory does not know waits.
func unlistedNode(f *fixture, describer cloud.Describer) {
	attributes := cloud.NodeAttributes{Name: "in-no-inventory"}
	if _, fits := f.suite.Inventory.Match(attributes); fits {
		f.Errorf("the inventory of the suite knows node %s", attributes.Name)
	}
	if machine, claimed := describer.FromNode(attributes); claimed {
		f.Errorf("a new node that no entry fits describes its machine: %+v", machine)
	}
}

// describe checks what a driver makes of a Node.
func describe(f *fixture, describer cloud.Describer, attributes cloud.NodeAttributes) (cloud.Instance, bool) {
	machine, ok := describer.FromNode(attributes)
	switch {
	case !ok:
		f.Errorf("node %s does not describe its machine", attributes.Name)
		return machine, false
	case !machine.ID.Described(), machine.ProviderID == "", !f.concerns(machine.ProviderID), attributes.ProviderID != "" && attributes.ProviderID != machine.ProviderID:
		f.Errorf("node %s: id %q and provider-ID %q of its machine", attributes.Name, machine.ID, machine.ProviderID)
	}
	f.keepsAddresses(attributes, machine)
	f.asItsEntry(attributes, machine)
	later := attributes
	later.ProviderID, later.Addresses = machine.ProviderID, machine.Addresses
	for what, attributes := range map[string]cloud.NodeAttributes{"the same": attributes, "the initialised": later} {
		again, ok := describer.FromNode(attributes)
		if difference := cmp.Diff(machine, again); !ok || difference != "" {
			f.Errorf("%s node %s is another machine (%t, -first +again):\n%s", what, attributes.Name, ok, difference)
		}
	}
	return machine, true
}

// keepsAddresses checks that a Node loses no address but those that somebody knows better: the kubelet's --node-ip and the entry of an
// inventory say which InternalIPs are of today, and an entry says all ExternalIPs.
func (f *fixture) keepsAddresses(attributes cloud.NodeAttributes, machine cloud.Instance) {
	entry, known := f.entry(attributes)
	told := map[cloud.AddressType]bool{
		cloud.AddressInternalIP: attributes.Annotations[nodeIP] != "" || len(entry.InternalIPs) > 0,
		cloud.AddressExternalIP: known,
	}
	for _, a := range attributes.Addresses {
		if !slices.Contains(machine.Addresses, a) && !told[a.Type] {
			f.Errorf("node %s loses the address %s %s of its kubelet", attributes.Name, a.Type, a.Address)
		}
	}
}

// entry returns what the inventory says of a Node's machine, false where there is none or no entry fits.
func (f *fixture) entry(attributes cloud.NodeAttributes) (cloud.InventoryEntry, bool) {
	if f.suite.Inventory == nil {
		return cloud.InventoryEntry{}, false
	}
	entry, _ := f.suite.Inventory.Match(attributes)
	return entry, entry.Entry != ""
}

// asItsEntry checks that a machine is what its entry says.
func (f *fixture) asItsEntry(attributes cloud.NodeAttributes, machine cloud.Instance) {
	entry, known := f.entry(attributes)
	if !known {
		return
	}
	if machine.Type != entry.Type || machine.Region != entry.Region && entry.Region != "" || machine.Zone != entry.Zone && entry.Zone != "" || !maps.Equal(machine.Labels, entry.Labels) {
		f.Errorf("node %s is the machine %+v, and its entry says %+v", attributes.Name, machine, entry)
	}
	var external []string
	for _, a := range machine.Addresses {
		if a.Type == cloud.AddressExternalIP {
			external = append(external, a.Address)
		}
	}
	if !slices.Equal(external, entry.ExternalIPs) {
		f.Errorf("node %s has the ExternalIPs %q, and its entry says %q", attributes.Name, external, entry.ExternalIPs)
	}
}

// describing returns the Node after it was initialised, lost for an hour.
func describing(attributes cloud.NodeAttributes, machine cloud.Instance) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: attributes.Name, UID: types.UID(attributes.Name), Labels: attributes.Labels, Annotations: attributes.Annotations,
			CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour)),
		},
		Spec:   corev1.NodeSpec{ProviderID: machine.ProviderID},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}},
	}
	for _, a := range machine.Addresses {
		node.Status.Addresses = append(node.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeAddressType(a.Type), Address: a.Address})
	}
	return node
}

// neverAsked asks the kernel everything about Nodes that describe their machines.
func neverAsked(f *fixture, nodes []*corev1.Node) {
	inventory := instance.New(instance.Options{Cloud: f.decorated(), Nodes: func() []*corev1.Node { return nodes }})
	before := f.requests()
	for _, node := range nodes {
		exists, err := inventory.Exists(f.ctx(), node)
		off, offErr := inventory.Shutdown(f.ctx(), node)
		if !exists || off || err != nil || offErr != nil {
			f.Errorf("node %s exists: %t, %v; is off: %t, %v", node.Name, exists, err, off, offErr)
		}
		id, err := inventory.ProviderID(node)
		machine, metadataErr := inventory.Metadata(f.ctx(), node)
		if err != nil || metadataErr != nil || machine.ID != id {
			f.Errorf("node %s is machine %q, %v, and %q, %v", node.Name, id, err, machine.ID, metadataErr)
		}
		gone := cloud.DescribedInstance("a node that is gone")
		if found, err := inventory.Lookup(f.ctx(), []cloud.InstanceID{id, gone}); err != nil || len(found) != 1 || found[id].ID != id {
			f.Errorf("looking up %q and a machine whose node is gone: %v, %v", id, found, err)
		}
	}
	if cost := f.requests() - before; cost > 0 {
		f.Errorf("%d requests", cost)
	}
}
