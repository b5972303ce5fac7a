// Package static describes machines that the world does not know: servers beside the cloud, of which only
// their Node says anything.
package static

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Label on a new Node says that its machine is static. The kubelet can set it.
const Label = "sim.multicloud-ccm.io/static"

// Address is the annotation with the public address of a static machine.
const Address = "sim.multicloud-ccm.io/public-address"

const prefix = "sim://static/"

// Machines describes machines where Enabled.
type Machines struct{ Enabled bool }

// Concerns reports whether a provider-ID is that of a static machine. No machine of the world has it, also
// where static machines are switched off: their Nodes are kept then, and not understood.
func Concerns(providerID string) bool { return strings.HasPrefix(providerID, prefix) }

// FromNode implements cloud.Describer. A Node that is initialised is known by its provider-ID, whatever
// becomes of the label.
func (m Machines) FromNode(node cloud.NodeAttributes) (cloud.Instance, bool) {
	name, known := strings.CutPrefix(node.ProviderID, prefix)
	if node.ProviderID == "" {
		name, known = node.Name, node.Labels[Label] == "true"
	}
	if !m.Enabled || !known || name == "" {
		return cloud.Instance{}, false
	}
	machine := cloud.Instance{
		ID: cloud.DescribedInstance(name), ProviderID: prefix + name, Name: node.Name, Type: "static", Zone: "static",
		State: cloud.StateRunning, Addresses: slices.Clone(node.Addresses),
	}
	public := cloud.Address{Type: cloud.AddressExternalIP, Address: node.Annotations[Address]}
	if _, err := netip.ParseAddr(public.Address); err == nil && !slices.Contains(machine.Addresses, public) {
		machine.Addresses = append(machine.Addresses, public)
	}
	return machine, true
}
