package desired

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Eligible implements cloud.Balancers.
//
//	balancer                        a node needs
//	internal                        nothing
//	REGIONAL                        a private or public IPv4 address, since it connects over the VPC
//	REGIONAL_NETWORK                a public IPv4 address
//	REGIONAL_NETWORK, dual-stack    public IPv4 and IPv6 addresses
func (r *Rules) Eligible(b cloud.Balancer, t cloud.Target) string {
	if b.Scope == cloud.ScopeInternal {
		return ""
	}
	if b.ProviderFields[FieldType] == config.TypeRegional {
		if ipv4, _ := t.Families(cloud.AddressExternalIP, cloud.AddressInternalIP); !ipv4 {
			return "it has no IPv4 address"
		}
		return ""
	}
	switch ipv4, ipv6 := t.Families(cloud.AddressExternalIP); {
	case !ipv4:
		return "a REGIONAL_NETWORK balancer needs a public IPv4 address on every node"
	case b.DualStack && !ipv6:
		return "a dual-stack REGIONAL_NETWORK balancer needs a public IPv6 address on every node"
	}
	return ""
}
