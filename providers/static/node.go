package static

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const scheme = "static"

// nodeIP is the annotation with the kubelet's --node-ip, one address or one of each family. The source is
// k8s.io/cloud-provider/api, AnnotationAlphaProvidedIPAddr.
const nodeIP = "alpha.kubernetes.io/provided-node-ip"

// rest is what stands behind the scheme of a provider-ID. Deckhouse writes static:///<hash>, k3s the name of the Node.
var rest = regexp.MustCompile(`^[A-Za-z0-9._/:=+$@%~-]*[A-Za-z0-9][A-Za-z0-9._/:=+$@%~-]*$`)

// Concerns implements cloud.ProviderIDScope.
func (d *Driver) Concerns(providerID string) bool {
	scheme, _, found := strings.Cut(providerID, "://")
	return found && slices.Contains(d.schemes, scheme)
}

// ParseProviderID implements cloud.Instances.
func (d *Driver) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	_, name, _ := strings.Cut(providerID, "://")
	if !d.Concerns(providerID) || !rest.MatchString(name) {
		return "", errForm(providerID)
	}
	return cloud.DescribedInstance(providerID), nil
}

// FromNode implements cloud.Describer.
//
//	the Node's provider-ID    its machine
//	static://…                is static, whatever it is called there, and whatever the inventory says
//	of STATIC_SCHEMES         is static too
//	none, it waits            is static where an entry of the inventory fits, or there is no inventory; unless Nodes that say
//	                          nothing are another cloud's
//	any other                 is somebody else's
func (d *Driver) FromNode(node cloud.NodeAttributes) (cloud.Instance, bool) {
	entry, fits := cloud.InventoryEntry{}, true
	if d.inventory != nil {
		entry, fits = d.inventory.Match(node)
	}
	providerID := node.ProviderID
	if providerID == "" && d.all && fits {
		providerID = scheme + "://" + node.Name
	}
	id, err := d.ParseProviderID(providerID)
	if err != nil {
		return cloud.Instance{}, false
	}
	return cloud.Instance{
		ID: id, ProviderID: providerID, Name: node.Name, State: cloud.StateRunning,
		Type: entry.Type, Zone: cmp.Or(entry.Zone, d.zone), Region: cmp.Or(entry.Region, d.region), Labels: maps.Clone(entry.Labels),
		Addresses: addresses(node, entry, entry.Entry != ""),
	}, true
}

// addresses are those of a machine: its host name, its InternalIPs, its ExternalIPs, and its other names.
//
//	InternalIPs    the kubelet's --node-ip; without it those of its entry; without these the Node's
//	ExternalIPs    those of its entry, also none; the Node's where there is no entry
//
// A kubelet of today tells its addresses once, when it registers, and its --node-ip always: where that is another one, such as a new
// one from DHCP, the old one goes.
func addresses(node cloud.NodeAttributes, entry cloud.InventoryEntry, known bool) []cloud.Address {
	all := ofType(node.Addresses, cloud.AddressHostname)
	if len(all) == 0 {
		all = []cloud.Address{{Type: cloud.AddressHostname, Address: node.Name}}
	}
	internal := given(node.Annotations[nodeIP])
	if len(internal) == 0 {
		internal = typed(entry.InternalIPs, cloud.AddressInternalIP)
	}
	if len(internal) == 0 {
		internal = ofType(node.Addresses, cloud.AddressInternalIP)
	}
	all = append(all, internal...)
	all = append(all, typed(entry.ExternalIPs, cloud.AddressExternalIP)...)
	for _, a := range node.Addresses {
		switch {
		case a.Type == cloud.AddressHostname, a.Type == cloud.AddressInternalIP, a.Type == cloud.AddressExternalIP && known, slices.Contains(all, a):
		default:
			all = append(all, a)
		}
	}
	return all
}

func typed(texts []string, kind cloud.AddressType) []cloud.Address {
	all := make([]cloud.Address, 0, len(texts))
	for _, text := range texts {
		all = append(all, cloud.Address{Type: kind, Address: text})
	}
	return all
}

// given are the addresses of a kubelet's --node-ip.
func given(text string) []cloud.Address {
	var all []cloud.Address
	for _, ip := range cloud.NodeIPs(text) {
		all = append(all, cloud.Address{Type: cloud.AddressInternalIP, Address: ip.String()})
	}
	return all
}

func ofType(all []cloud.Address, kind cloud.AddressType) (those []cloud.Address) {
	for _, a := range all {
		if a.Type == kind && !slices.Contains(those, a) {
			those = append(those, a)
		}
	}
	return those
}
