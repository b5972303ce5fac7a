package octavia

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
)

// memberAddress is the address of a machine's member: its first internal one of the family,
// else its first external one.
func memberAddress(t cloud.Target, ipv6 bool) string {
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

// monitorPort is the port at which members are checked, 0 for that of their traffic.
func monitorPort(l cloud.Listener, spec cloud.Spec) int {
	if l.Health != nil && l.Health.Protocol == protocolHTTP {
		return spec.HealthPort
	}
	return 0
}

// wantedMembers are the members of a listener's pool. A target of which only the address is known
// stays as it is. Without a node port there is nothing to connect to.
func (d *Balancers) wantedMembers(l cloud.Listener, change cloud.Change, present []member, subnet string) []member {
	spec := change.Spec
	var list []member
	if l.TargetPort == 0 {
		return nil
	}
	machines := make(map[cloud.InstanceID]cloud.Target, len(spec.Candidates))
	for _, t := range spec.Candidates {
		machines[t.InstanceID] = t
	}
	taken := map[string]bool{} // two targets can have one address: a machine's counts first
	add := func(m member) {
		if m.Address != "" && !taken[m.Address] {
			taken[m.Address] = true
			list = append(list, m)
		}
	}
	for _, id := range change.After.Targets {
		machine := machines[id]
		add(member{
			Name: mark.Cut(machine.NodeName), Address: memberAddress(machine, onIPv6(spec)), Port: l.TargetPort, MonitorPort: monitorPort(l, spec), Subnet: subnet, Weight: 1, Enabled: true,
		})
	}
	for _, id := range change.After.Targets {
		if at := slices.IndexFunc(present, func(m member) bool { return id.Unknown() && m.Address == memberOf(id) }); at >= 0 {
			add(present[at])
		}
	}
	return list
}

// unknownTarget names a member by its address, which the kernel knows a machine by, if it is as it
// should be, else by something that is no address, so that it is replaced.
func unknownTarget(m member, targetPort int) cloud.InstanceID {
	if m.Port == targetPort && m.Enabled && m.Weight > 0 && !m.Backup {
		return cloud.UnknownInstance(m.Address)
	}
	return cloud.UnknownInstance(m.Address + "#" + strconv.Itoa(m.Port))
}

// memberOf is the address of the member that an unknown target stands for.
func memberOf(id cloud.InstanceID) string {
	address, _, _ := strings.Cut(id.Address(), "#")
	return address
}

// observedTargets are the members of a pool.
func observedTargets(members []member, targetPort, monitored int) []cloud.InstanceID {
	targets := []cloud.InstanceID{}
	for _, m := range members {
		id := unknownTarget(m, targetPort)
		if m.MonitorPort != monitored {
			id = cloud.UnknownInstance(m.Address + "#" + strconv.Itoa(m.Port) + " checked at " + strconv.Itoa(m.MonitorPort))
		}
		targets = append(targets, id)
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

// memberSubnet is the subnet of the members; without one of their own it is the balancer's.
func (d *Balancers) memberSubnet(s *snapshot, spec cloud.Spec) string {
	return cmp.Or(d.placementOf(spec).MemberSubnet, s.lb.Subnet)
}
