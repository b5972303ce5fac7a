package instance

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Complete returns the machine of a Node with the addresses that the Node has to have, for itself and where the machine is a
// target or a next hop:
//
//	address                                 is
//	only the Node knows it, see Completer   added
//	Hostname, where the cloud has none,     the Node's name: that of the machine is changed in a console while it runs
//	 see Capabilities.Hostnames
//	the Node has it, and is initialised     before the others, in the order of the Node
//	any other                               in the order of the cloud
//
// The first address of a type is the one that counts. It does not change while the machine has it: a network card that is
// attached later may come first in what a cloud answers.
func Complete(c *run.Cloud, machine cloud.Instance, node *corev1.Node) cloud.Instance {
	can := c.Descriptor.Capabilities
	addresses := slices.Clone(machine.Addresses)
	if c.Completer != nil {
		addresses = append(addresses, can.UsableMachine(c.Completer.FromNodeAddresses(machine, Attributes(node)))...)
	}
	for n := range addresses {
		if addresses[n].Type == cloud.AddressHostname && !can.Hostnames {
			addresses[n].Address = node.Name
		}
	}
	if !Uninitialized(node) {
		slices.SortStableFunc(addresses, func(a, b cloud.Address) int { return cmp.Compare(placeOn(node, a), placeOn(node, b)) })
	}
	machine.Addresses = addresses
	return machine
}

// placeOn is where an address is among those of a Node, after all of them when it is none.
func placeOn(node *corev1.Node, a cloud.Address) int {
	has := node.Status.Addresses
	place := slices.Index(has, corev1.NodeAddress{Type: corev1.NodeAddressType(a.Type), Address: a.Address})
	if place < 0 {
		return len(has)
	}
	return place
}

// anyOrder reports whether any of the machines has several addresses of one type, so that their order says something.
func anyOrder(machines map[cloud.InstanceID]cloud.Instance) bool {
	for _, machine := range machines {
		for n, a := range machine.Addresses {
			if slices.ContainsFunc(machine.Addresses[:n], func(b cloud.Address) bool { return b.Type == a.Type }) {
				return true
			}
		}
	}
	return false
}
