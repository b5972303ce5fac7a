package octavia

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Coexist implements cloud.Replacer: Octavia takes two balancers of one name. The floating IP is
// moved from one to the other. What both cannot have is an address of their own, and a user's port.
func (d *Balancers) Coexist(spec cloud.Spec, before cloud.Observed) (reason string) {
	s, ok := before.Native.(*snapshot)
	switch {
	case !ok:
		return "it was not read"
	case d.isTenant(s, spec):
		return "it is shared with others"
	case d.addressField(spec) == fieldAddress && spec.LoadBalancerIP != "" && spec.LoadBalancerIP == s.lb.Address:
		return "both would have the address " + s.lb.Address
	case option.Port.In(spec.Options) != "" && option.Port.In(spec.Options) == s.lb.Port:
		return "both would have the port " + s.lb.Port
	}
	return ""
}
