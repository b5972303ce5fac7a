package desired

import (
	"net/netip"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// MemberAddress is the address of a machine's member: its first internal one of the family,
// else its first external one.
func MemberAddress(t cloud.Target, ipv6 bool) string {
	for _, kind := range []cloud.AddressType{cloud.AddressInternalIP, cloud.AddressExternalIP} {
		for _, a := range t.Addresses {
			ip, err := netip.ParseAddr(a.Address)
			if err == nil && a.Type == kind && ip.Unmap().Is4() != ipv6 {
				return a.Address
			}
		}
	}
	return ""
}
