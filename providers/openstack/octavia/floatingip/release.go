package floatingip

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Release takes the floating IP from the balancer:
//
//	made for                          to be kept  the Service  it is
//	this Service, or one that shared  no          –            deleted: the last one pays
//	its balancer and has left
//	the same                          yes         leaves       detached, and nobody's any more
//	the same                          yes         stays        detached, for when it is wanted again
//	any other, or nobody              –           –            detached
//
// One that loadBalancerIP chose was not made for a Service that shared the balancer.
func (m *Manager) Release(r cloud.Resources, ip *object.FloatingIP, spec cloud.Spec) cloud.Resources {
	if ip == nil {
		return r
	}
	keep := option.KeepFloatingIP.Bool(spec.Options)
	switch ours := m.inherits(ip, spec) || m.Rules.Marks.FloatingIsOurs(ip.Description, spec.Ref.Owner, true); {
	case ours && !keep:
		r.Present = append(r.Present, floatingResource(ip, ip.Port, ip.Description))
	case ours && spec.Deleting:
		changeFloating(&r, ip, "", "Kept of Service "+spec.Ref.Owner.String())
	default:
		changeFloating(&r, ip, "", ip.Description)
	}
	return r
}

// Park detaches a floating IP that was made for the Service, for the balancer that comes in the place
// of this one: its description makes it the Service's. Any other is detached with the balancer.
func (m *Manager) Park(r cloud.Resources, ip *object.FloatingIP, spec cloud.Spec) cloud.Resources {
	if ip != nil && (m.inherits(ip, spec) || m.Rules.Marks.FloatingIsOurs(ip.Description, spec.Ref.Owner, true)) {
		changeFloating(&r, ip, "", m.Rules.Marks.FloatingDescription(spec.Ref.Owner))
	}
	return r
}

// inherits reports whether a floating IP at the Service's balancer was made for another Service,
// which shared the balancer.
func (m *Manager) inherits(ip *object.FloatingIP, spec cloud.Spec) bool {
	chosen, _ := desired.ChosenAddress(spec)
	return ip.Port != "" && ip.Address != chosen && strings.Contains(ip.Description, mark.FloatingPrefix)
}

// claimFloating gives a floating IP that upstream made for the Service a description with its UID.
func (m *Manager) claimFloating(r *cloud.Resources, ip *object.FloatingIP, o cloud.Owner) {
	if !m.Rules.Marks.FloatingIsOurs(ip.Description, o, false) && m.Rules.Marks.FloatingIsOurs(ip.Description, o, true) {
		changeFloating(r, ip, ip.Port, m.Rules.Marks.FloatingDescription(o))
	}
}
