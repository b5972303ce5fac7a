package conformance

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// nodeShowsItsOwn checks what a Node of another name shows of a machine: in a console a machine is renamed, and what it has
// comes in another order after a change.
func nodeShowsItsOwn(f *fixture) {
	machine := f.get(f.control.AddMachine("node-1"))
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "another"}, Spec: corev1.NodeSpec{ProviderID: machine.ProviderID}}
	hosts := func(addresses []cloud.Address) (names []string) {
		for _, a := range addresses {
			if a.Type == cloud.AddressHostname {
				names = append(names, a.Address)
			}
		}
		return names
	}
	want := hosts(machine.Addresses)
	if !f.suite.Descriptor.Capabilities.Hostnames && len(want) > 0 {
		want = []string{node.Name}
	}
	shown := instance.Complete(f.decorated(), machine, node).Addresses
	if got := hosts(shown); !slices.Equal(got, want) {
		f.Errorf("a Node %q of machine %q has the host names %q, want %q", node.Name, machine.Name, got, want)
	}
	slices.Reverse(shown)
	for _, a := range shown {
		node.Status.Addresses = append(node.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeAddressType(a.Type), Address: a.Address})
	}
	if got := instance.Complete(f.decorated(), machine, node).Addresses; !slices.Equal(got, shown) {
		f.Errorf("a Node with the addresses %v gets %v: their order has changed", shown, got)
	}
}
