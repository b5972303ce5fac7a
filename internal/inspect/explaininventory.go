package inspect

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// explainDescribed says where the machine of a Node that describes it comes from.
func explainDescribed(c *run.Cloud, s *Section, node *corev1.Node, machine cloud.Instance) *cloud.Instance {
	s.add("found", "yes", "the Node itself describes it: the cloud is not asked, and it is never off or gone")
	explainEntry(c, s, node)
	explainLabels(c, s, node, machine)
	return &machine
}

// explainUndescribed says why a Node has no machine where there is no API that could know one.
func (i *Inspector) explainUndescribed(s *Section, node *corev1.Node, owner instance.Ownership) {
	s.problem("found", "no", "the Node describes none, and there is no API to ask")
	switch _, err := i.inventory.ProviderID(node); {
	case owner != instance.Mine:
	case node.Spec.ProviderID == "":
		explainEntry(i.cloud, s, node)
	case err != nil:
		s.problem("by provider-ID", "unreadable", err.Error())
	}
}

// mostJudged is how many entries before the one that fits are listed.
const mostJudged = 10

// explainEntry says which entry of the inventory fits a Node, and why those before do not.
func explainEntry(c *run.Cloud, s *Section, node *corev1.Node) {
	if c.Inventory == nil {
		return
	}
	attributes := instance.Attributes(node)
	judged := c.Inventory.Judge(attributes)
	for n, j := range judged {
		switch {
		case j.Fits:
			s.add("inventory", j.Entry, "it fits: "+j.Why)
		case n < mostJudged:
			s.add("inventory", j.Entry, "it does not fit: "+j.Why)
		case n == mostJudged:
			s.add("inventory", fmt.Sprintf("and %d more", len(judged)-n), "they do not fit")
		}
	}
	if len(judged) > 0 && judged[len(judged)-1].Fits {
		return
	}
	switch entry, fits := c.Inventory.Match(attributes); {
	case fits:
		s.add("inventory", "others: true", fmt.Sprintf("no entry fits; region %q and zone %q are those of all", entry.Region, entry.Zone))
	case node.Spec.ProviderID != "":
		s.add("inventory", "no entry", "it has a provider-ID: it is static all the same, and keeps its addresses and labels")
	default:
		s.problem("inventory", "no entry", instance.Unlisted(c, node).Error())
	}
}

// explainLabels says what the inventory or the settings say of an initialised Node and it does not have.
func explainLabels(c *run.Cloud, s *Section, node *corev1.Node, machine cloud.Instance) {
	if instance.Uninitialized(node) {
		return
	}
	if values := Outdated(c, node, machine); len(values) > 0 {
		s.problem("labels", Differences(node, values), "they are written when the Node is initialised, and never later: "+LabelCommand(node.Name, values))
	}
}

// explainIgnored names the internalIPs of an entry that do not count, because the kubelet has a --node-ip.
func explainIgnored(c *run.Cloud, s *Section, node *corev1.Node) {
	given := node.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr]
	if c.Inventory == nil || given == "" {
		return
	}
	if entry, _ := c.Inventory.Match(instance.Attributes(node)); slices.ContainsFunc(entry.InternalIPs, func(ip string) bool { return !kubeletHas(given, ip) }) {
		s.problem("internalIPs", strings.Join(entry.InternalIPs, ", "), "the inventory has them, and the kubelet's --node-ip counts")
	}
}

// originOf says where the address of a machine comes from that only its Node and an inventory describe.
func originOf(c *run.Cloud, node *corev1.Node, a corev1.NodeAddress) string {
	entry := cloud.InventoryEntry{}
	if c.Inventory != nil {
		entry, _ = c.Inventory.Match(instance.Attributes(node))
	}
	has := func(all []string) bool { return slices.Contains(all, a.Address) }
	switch given := node.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr]; {
	case a.Type == corev1.NodeInternalIP && kubeletHas(given, a.Address):
		return "the kubelet's --node-ip"
	case a.Type == corev1.NodeInternalIP && has(entry.InternalIPs), a.Type == corev1.NodeExternalIP && has(entry.ExternalIPs):
		return "the inventory has it: " + entry.Entry
	}
	return "the kubelet said it"
}

// outdone says why an address of the machine is not written to its Node.
func outdone(node *corev1.Node, a corev1.NodeAddress, machine cloud.Instance) string {
	chosen, err := framework.NodeAddresses(node, machine)
	if err != nil || slices.Contains(chosen, a) {
		return ""
	}
	return "; of its type the kubelet's --node-ip alone counts"
}

// kubeletHas reports whether a kubelet's --node-ip has an address.
func kubeletHas(nodeIP, address string) bool {
	return slices.ContainsFunc(cloud.NodeIPs(nodeIP), func(ip netip.Addr) bool { return ip.String() == address })
}
