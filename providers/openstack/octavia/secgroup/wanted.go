package secgroup

import (
	"cmp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// addWanted adds the group, the ports of these addresses and the rules that differ, and returns all that is wanted.
func (m *Manager) addWanted(r *cloud.Resources, s *object.Snapshot, group cloud.Resource, in cloud.Input, addresses []string) (wanted []cloud.IDOf) {
	want := func(one cloud.Resource) { r.Wanted, wanted = append(r.Wanted, one), append(wanted, one.Ref()) }
	want(group)
	near := Behind(s.Security, addresses)
	for _, p := range s.Security.Ports {
		if near[p.ID] {
			want(membership(group, p))
		}
	}
	var rules cloud.Resources
	packetfilter.AddOwn(&rules, group, rulesOf(s.Security.Groups), m.wantedRules(in))
	r.Present = append(r.Present, rules.Present...)
	for _, rule := range rules.Wanted {
		want(rule)
	}
	return wanted
}

// rulesOf returns the rules of the first group, if there is one. Neutron may have several that let the same through.
func rulesOf(groups []object.SecurityGroup) packetfilter.Rules {
	rules := packetfilter.Rules{}
	if len(groups) == 0 {
		return rules
	}
	for _, r := range groups[0].Rules {
		rule := packetfilter.Rule{Egress: r.Direction != "ingress", PortRange: cloud.AllPorts(packetfilter.Protocol(cmp.Or(r.Protocol, "any")))}
		if r.From != nil {
			rule.From = *r.From
		}
		if r.To != nil {
			rule.To = *r.To
		}
		switch {
		case r.Source != "":
			rule.Peer = packetfilter.Network(r.Source)
		case r.Group+r.Addresses != "":
			rule.Peer, rule.Family = packetfilter.Peer{Group: r.Group, List: r.Addresses}, r.Ethertype
		default:
			rule.Peer = everyone[r.Ethertype]
		}
		rules.AddObserved(rule, r.ID)
	}
	return rules
}

// wantedRules are the rules the group has to have: each node port, and the health check's, from
// where connections come. The ovn provider keeps clients' addresses.
func (m *Manager) wantedRules(in cloud.Input) packetfilter.Rules {
	from := desired.Found.Open(in.Findings).MemberCIDR
	sources := []string{from}
	if m.Rules.Config.Provider == config.ProviderOVN {
		if sources = m.Rules.SourceRanges(in); len(sources) == 0 {
			sources = []string{desired.Everyone(desired.OnIPv6(in))}
		}
	}
	rules := packetfilter.Rules{}
	add := func(protocol cloud.Protocol, nodePort int, source string) {
		if nodePort != 0 && source != "" {
			rules.Add(packetfilter.Port(protocol, nodePort, packetfilter.Network(source)), "")
		}
	}
	if in.Local {
		add(cloud.ProtocolTCP, in.HealthPort, from)
	}
	for _, port := range in.Ports {
		for _, source := range sources {
			add(port.Protocol, port.NodePort, source)
		}
	}
	return rules
}

// Behind are the ids of the ports that need the group for these addresses. Those without port
// security need none.
func Behind(g object.Security, addresses []string) map[string]bool {
	ids := map[string]bool{}
	for _, address := range addresses {
		for _, p := range portsAt(g, address) {
			if p.Security == nil || *p.Security {
				ids[p.ID] = true
			}
		}
	}
	return ids
}

// Unguarded reports whether the machine at an address has a port that no group can be at.
func Unguarded(g object.Security, address string) bool {
	return slices.ContainsFunc(portsAt(g, address), func(p neutron.Port) bool { return p.Security != nil && !*p.Security })
}

// portsAt returns the machines' ports with an address: those in the balancer's network if there are
// any. Where several networks have the same addresses nothing else tells whose is meant, so then
// it is nobody's.
func portsAt(g object.Security, address string) []neutron.Port {
	var near, all []neutron.Port
	for _, p := range g.Ports {
		if !slices.ContainsFunc(p.FixedIPs, func(f neutron.FixedIP) bool { return f.Address.String() == address }) {
			continue
		}
		all = append(all, p)
		if p.Network == g.Network {
			near = append(near, p)
		}
	}
	switch {
	case len(near) > 0:
		return near
	case len(all) == 1:
		return all
	}
	return nil
}
