package octavia

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Coexist implements cloud.Replacer: Octavia takes two balancers of one name. The floating IP is
// moved from one to the other. What both cannot have is an address of their own, and a user's port.
func (d *Balancers) Coexist(spec cloud.Spec, before cloud.Observed) (reason string) {
	s, ok := before.Native.(*object.Snapshot)
	address, _ := desired.ChosenAddress(spec)
	switch {
	case !ok:
		return "it was not read"
	case d.owners.IsTenant(s, spec):
		return "it is shared with others"
	case d.AddressField(spec) == desired.FieldAddress && address != "" && address == s.LB.Address:
		return "both would have the address " + s.LB.Address
	case option.Port.In(spec.Options) != "" && option.Port.In(spec.Options) == s.LB.Port:
		return "both would have the port " + s.LB.Port
	}
	return ""
}
