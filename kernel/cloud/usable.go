package cloud

import (
	"net/netip"
	"slices"
)

// UsableMachine returns the addresses of a machine without those that no other host reaches it at. Clouds answer with such
// addresses before the right ones are known, or after they were taken away. No Node has one, no target and no route.
func (c Capabilities) UsableMachine(addresses []Address) []Address {
	return without(addresses, func(a Address) bool { return c.reachesNobody(a.Address) })
}

// UsableBalancer is UsableMachine for the addresses of a load balancer: no Service tells one.
func (c Capabilities) UsableBalancer(addresses []BalancerAddress) []BalancerAddress {
	return without(addresses, func(a BalancerAddress) bool { return c.reachesNobody(a.IP) })
}

// without leaves the addresses of the driver as they are.
func without[A any](addresses []A, left func(A) bool) []A {
	if !slices.ContainsFunc(addresses, left) {
		return addresses
	}
	return slices.DeleteFunc(slices.Clone(addresses), left)
}

// reachesNobody judges an address:
//
//	address                      reaches nobody
//	unspecified: 0.0.0.0, ::     yes
//	loopback: 127.0.0.0/8, ::1   yes, but for Loopback
//	multicast                    yes
//	IPv4 in IPv6                 as the IPv4 address
//	any other, and a name        no
func (c Capabilities) reachesNobody(text string) bool {
	ip, err := netip.ParseAddr(text)
	ip = ip.Unmap()
	return err == nil && (ip.IsUnspecified() || ip.IsMulticast() || ip.IsLoopback() && !c.Loopback)
}
