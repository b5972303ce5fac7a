package desired

import (
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// MonitorPort is the port at which members are checked, 0 for that of their traffic.
func MonitorPort(l cloud.Listener, spec cloud.Spec) int {
	switch {
	case l.Health == nil:
		return 0
	case l.Health.Port == 0 && l.Health.Protocol == cloud.ProtocolHTTP:
		return spec.HealthPort
	}
	return l.Health.Port
}

// ObservedPort is the port of a check of the Service's own: that of the members, the wanted one where
// there are none; 0 where the check is not of the Service's own.
func (r *Rules) ObservedPort(l cloud.Listener, members []object.Member, spec cloud.Spec) int {
	protocol := l.Protocol
	if protocol != cloud.ProtocolUDP && protocol != cloud.ProtocolSCTP {
		protocol = cloud.ProtocolTCP
	}
	own, err := r.ownHealth(spec, cloud.Port{Protocol: protocol})
	switch {
	case err != nil || own == nil:
		return 0
	case len(members) == 0 || slices.ContainsFunc(members, func(m object.Member) bool { return m.MonitorPort == own.Port }):
		return own.Port
	}
	return members[0].MonitorPort
}

// MemberOf is the address of the member that an unknown target stands for.
func MemberOf(id cloud.InstanceID) string {
	address, _, _ := strings.Cut(id.Address(), "#")
	return address
}

// ObservedTargets are the members of a pool. One is named by its address, which the kernel knows a machine by, if it is as it
// should be, else by something that is no address, so that it is replaced.
func ObservedTargets(members []object.Member, targetPort, monitored int) []cloud.InstanceID {
	targets := []cloud.InstanceID{}
	for _, m := range members {
		name := m.Address
		switch {
		case m.MonitorPort != monitored:
			name += "#" + strconv.Itoa(m.Port) + " checked at " + strconv.Itoa(m.MonitorPort)
		case m.Port != targetPort || !m.Enabled || m.Weight <= 0 || m.Backup:
			name += "#" + strconv.Itoa(m.Port)
		}
		targets = append(targets, cloud.UnknownInstance(name))
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}
