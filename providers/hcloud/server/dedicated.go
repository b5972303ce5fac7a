package server

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/robot"
)

// PublicIPv4 is the attribute of a server with its public IPv4 address, by which load balancers
// reach it, where its Node does not have that.
const PublicIPv4 = "public-ipv4"

// fromRobot is a dedicated server as a machine, without its power state.
func (m *Machines) fromRobot(s robot.Server) cloud.Instance {
	number := strconv.Itoa(s.Number)
	zone := strings.ToLower(s.DC)
	region, _, _ := strings.Cut(zone, "-")
	i := cloud.Instance{
		ID: m.NodeID(cloud.InstanceID(dedicated+number), s.Name), ProviderID: DedicatedScheme + "://" + number, Name: s.Name, Type: typeOf(s.Product),
		Region: region, Zone: zone, Labels: map[string]string{labelProvidedBy: "robot"},
		Addresses: []cloud.Address{{Type: cloud.AddressHostname, Address: s.Name}},
	}
	network, err := netip.ParseAddr(s.IPv6)
	if err == nil && m.Settings.IPv6 {
		i.Addresses = with(i.Addresses, cloud.AddressExternalIP, first(network))
	}
	switch ip, err := netip.ParseAddr(s.IP); {
	case err != nil:
	case m.Settings.IPv4:
		i.Addresses = with(i.Addresses, cloud.AddressExternalIP, ip)
	default:
		i.Attributes = map[string]string{PublicIPv4: ip.String()}
	}
	return i
}

// notInLabel are characters that no label value may have.
var notInLabel = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// typeOf makes a label value of the name of a product, as upstream does: "AX41-NVMe", "Server Auction".
func typeOf(product string) string {
	value := notInLabel.ReplaceAllString(strings.ReplaceAll(product, " ", "-"), "")
	return strings.Trim(value[:min(len(value), 63)], "_.-")
}

// FromNode implements cloud.Describer: without credentials for Robot nobody but its Node knows a
// dedicated server. The Node has to have the provider-ID of one, which its kubelet was told.
func (m *Machines) FromNode(node cloud.NodeAttributes) (cloud.Instance, bool) {
	if m.Robot != nil {
		return cloud.Instance{}, false
	}
	id, err := m.ParseProviderID(node.ProviderID)
	if err != nil || !strings.HasPrefix(string(id), dedicated) {
		return cloud.Instance{}, false
	}
	return cloud.Instance{
		ID: cloud.DescribedInstance(string(id)), ProviderID: node.ProviderID, Name: node.Name,
		Addresses: slices.Clone(node.Addresses), Labels: map[string]string{labelProvidedBy: "robot"},
	}, true
}

// FromNodeAddresses implements cloud.Completer: the kubelet of a dedicated server knows its address in a
// vSwitch, which Robot does not.
func (m *Machines) FromNodeAddresses(machine cloud.Instance, node cloud.NodeAttributes) []cloud.Address {
	if !m.Settings.Robot.ForwardInternalIPs || !strings.HasPrefix(string(machine.ID), dedicated) {
		return nil
	}
	var kept []cloud.Address
	for _, a := range node.Addresses {
		ip, err := netip.ParseAddr(a.Address)
		fits := err == nil && (ip.Unmap().Is4() && m.Settings.IPv4 || !ip.Unmap().Is4() && m.Settings.IPv6)
		same := func(b cloud.Address) bool { return b.Address == a.Address }
		if a.Type == cloud.AddressInternalIP && fits && !slices.ContainsFunc(machine.Addresses, same) {
			kept = append(kept, a)
		}
	}
	return kept
}
