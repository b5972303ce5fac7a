package desired

import (
	"net/netip"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// MemberAddress is the address of a machine's member: its first internal one of the family,
// else its first external one.
func MemberAddress(t cloud.Target, ipv6 bool) string {
	return ServingAddress(t, ipv6, func(string) bool { return false })
}

// ServingAddress is MemberAddress where some of the addresses serve as members: among several of one kind one of those stays, whatever
// their order is.
func ServingAddress(t cloud.Target, ipv6 bool, serves func(address string) bool) string {
	for _, kind := range []cloud.AddressType{cloud.AddressInternalIP, cloud.AddressExternalIP} {
		var of []string
		for _, a := range t.Addresses {
			ip, err := netip.ParseAddr(a.Address)
			if err == nil && a.Type == kind && ip.Unmap().Is4() != ipv6 {
				of = append(of, a.Address)
			}
		}
		if len(of) > 0 {
			return of[max(0, slices.IndexFunc(of, serves))]
		}
	}
	return ""
}
