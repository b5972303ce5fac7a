package doctor

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// misplaced says what of a Node does not fit the pod networks: pod ranges outside of them, addresses inside.
func misplaced(node *corev1.Node, cidrs []netip.Prefix) []string {
	var wrong []string
	ranges := node.Spec.PodCIDRs
	if len(ranges) == 0 && node.Spec.PodCIDR != "" {
		ranges = []string{node.Spec.PodCIDR}
	}
	for _, text := range ranges {
		own, err := netip.ParsePrefix(text)
		same := func(p netip.Prefix) bool { return p.Addr().Is4() == own.Addr().Is4() }
		if err != nil || !slices.ContainsFunc(cidrs, same) {
			continue
		}
		if !slices.ContainsFunc(cidrs, func(p netip.Prefix) bool { return same(p) && p.Contains(own.Addr()) && p.Bits() <= own.Bits() }) {
			wrong = append(wrong, fmt.Sprintf("%s: its pod range %s is outside of --cluster-cidr=%s", node.Name, text, list(cidrs)))
		}
	}
	for _, a := range node.Status.Addresses {
		ip, err := netip.ParseAddr(a.Address)
		if err == nil && slices.ContainsFunc(cidrs, func(p netip.Prefix) bool { return p.Contains(ip) }) {
			wrong = append(wrong, fmt.Sprintf("%s: its address %s is inside of --cluster-cidr=%s", node.Name, a.Address, list(cidrs)))
		}
	}
	return wrong
}

// unattached says that a Node's machine is not in the network that has the routes.
func (f *facts) unattached(node *corev1.Node) []string {
	machine, known := f.sky.of[node.Name]
	if f.Cloud == nil || f.Cloud.Routes == nil || !f.Cloud.Descriptor.Capabilities.RoutesByAddress || !known || machine.ID.Described() {
		return nil
	}
	scope := f.Cloud.RouteScope
	for _, text := range node.Spec.PodCIDRs {
		own, err := netip.ParsePrefix(text)
		if err == nil && (scope == nil || scope.RoutesTo(machine.ID) && scope.RoutesFor(own)) && !machine.NextHop(own).IsValid() {
			return []string{fmt.Sprintf("%s: machine %s is not in the cloud's network, so that no route leads to it", node.Name, machine.ID)}
		}
	}
	return nil
}

func list(cidrs []netip.Prefix) string {
	text := ""
	for n, p := range cidrs {
		if n > 0 {
			text += ","
		}
		text += p.String()
	}
	return text
}
