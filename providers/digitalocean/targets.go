package digitalocean

import (
	"net/netip"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// families says in which address families a node has an address of some type.
type families struct{ v4, v6 bool }

func familiesOf(t cloud.Target, kind cloud.AddressType) families {
	var f families
	for _, a := range t.Addresses {
		address, err := netip.ParseAddr(a.Address)
		if a.Type != kind || err != nil {
			continue
		}
		f.v4 = f.v4 || address.Unmap().Is4()
		f.v6 = f.v6 || !address.Unmap().Is4()
	}
	return f
}

// Eligible implements cloud.Balancers.
//
//	balancer                        a node needs
//	internal                        nothing
//	REGIONAL                        a private or public IPv4 address, since it connects over the VPC
//	REGIONAL_NETWORK                a public IPv4 address
//	REGIONAL_NETWORK, dual-stack    public IPv4 and IPv6 addresses
func (d *Driver) Eligible(b cloud.Balancer, t cloud.Target) string {
	public := familiesOf(t, cloud.AddressExternalIP)
	switch {
	case b.Scope == cloud.ScopeInternal:
		return ""
	case b.Extras[fieldType] == typeRegional && !public.v4 && !familiesOf(t, cloud.AddressInternalIP).v4:
		return "it has no IPv4 address"
	case b.Extras[fieldType] == typeRegional:
		return ""
	case !public.v4:
		return "a REGIONAL_NETWORK balancer needs a public IPv4 address on every node"
	case b.DualStack && !public.v6:
		return "a dual-stack REGIONAL_NETWORK balancer needs a public IPv6 address on every node"
	}
	return ""
}
