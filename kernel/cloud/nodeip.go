package cloud

import (
	"net/netip"
	"slices"
	"strings"
)

// NodeIPs reads a kubelet's --node-ip, as its Node has it in the annotation alpha.kubernetes.io/provided-node-ip: one address, or one of
// each family, in their usual form. It is none where anything else is there: a kubelet that writes what it likes would claim the
// addresses of others.
func NodeIPs(text string) []netip.Addr {
	if text == "" {
		return nil
	}
	var all []netip.Addr
	for part := range strings.SplitSeq(text, ",") {
		address, err := netip.ParseAddr(strings.TrimSpace(part))
		address = address.Unmap()
		if err != nil || address.Zone() != "" || slices.ContainsFunc(all, func(a netip.Addr) bool { return a.Is4() == address.Is4() }) {
			return nil
		}
		all = append(all, address)
	}
	return all
}
