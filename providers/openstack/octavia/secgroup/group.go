// Package secgroup is about the security groups that let load balancers reach the nodes.
package secgroup

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Manager are the security groups that let load balancers reach the nodes.
type Manager struct {
	Network *gophercloud.ServiceClient
	Rules   *desired.Rules
	Reader  *object.Reader
}

// Find reads the Service's security group and the ports of machines. A deletion needs no ports. Where groups are not managed
// only one that is left from a time when they were is looked for: once the balancer is there, but not at the end of its creation,
// and once more when the Service has left. A process that still managed groups may have made one meanwhile.
func (m *Manager) Find(ctx context.Context, s *object.Snapshot, in cloud.Input) error {
	here := s.LB.ID != ""
	switch {
	case m.Rules.Config.ManageSecurityGroups, in.Retained:
	case here == in.Deleting || object.LastOf(in.Known).IsAnswer(s.LB):
		return nil
	default:
		if s.Security.None = here && m.AreNone(in.Known); s.Security.None {
			return nil
		}
	}
	all, listed := object.BulkListOf(in.Environment)
	groups := all.Groups
	if !listed {
		var err error
		if groups, err = m.Reader.Groups(ctx, url.Values{"name": {groupName(in.Owner)}}); err != nil {
			return err
		}
	}
	s.Security.Groups = slices.DeleteFunc(slices.Clone(groups), func(g object.SecurityGroup) bool { return !m.isOurs(g, s, in) })
	if !m.Rules.Config.ManageSecurityGroups {
		s.Security.None = len(s.Security.Groups) == 0
		return nil
	}
	if in.Deleting && !in.Retained {
		return nil
	}
	s.Security.Ports, s.Security.Network = all.Ports, s.LB.Network
	if listed {
		return nil
	}
	var err error
	s.Security.Ports, err = m.Reader.MachinePorts(ctx)
	return err
}

// isOurs reports whether a security group was made for the Service. Its name holds the UID, which the Service of a cluster that was
// restored from the same backup has too. The description names the cluster.
func (m *Manager) isOurs(g object.SecurityGroup, s *object.Snapshot, in cloud.Input) bool {
	madeFor, _ := tag.SecurityGroup.Read(g.Description, in.Owner)
	madeFor = owner.Read(m.Rules, s, in).AsOurs(madeFor)
	madeFor.UID = in.Owner.UID
	return g.Name == groupName(in.Owner) && ownership.Of(madeFor, in.Owner) == ownership.Ours
}

// AreNone reports whether the last look has shown that nothing is left of a time when groups were managed.
func (m *Manager) AreNone(known cloud.Known) bool {
	last := object.LastOf(known)
	return last != nil && last.Security.None && !m.Rules.Config.ManageSecurityGroups
}

// Add adds the security group with its rules, and the ports of these addresses, which have to have it. Where groups are not
// managed one that is left is not wanted. What a new balancer needs is needed: what listens must be reached.
func (m *Manager) Add(ctx context.Context, r *cloud.Resources, s *object.Snapshot, change cloud.Change, addresses []string) (needed []cloud.IDOf, err error) {
	isNew := change.After != nil && !change.Before.Found
	serves := change.After == nil && (change.Replaced || change.Input.Beside != nil) // then the group stays for the other balancer
	if serves || isNew && change.Input.Lookups[desired.LookupMemberCIDR] == "" {
		return nil, nil
	}
	us := change.Input.Owner
	group := cloud.Resource{Kind: kindGroup, Key: us.String(), Fields: map[string]any{
		"name": groupName(us), "description": m.Rules.OwnershipTags.OwnDescription(tag.SecurityGroup, us),
	}}
	stays := change.After != nil && m.Rules.Config.ManageSecurityGroups
	for i, g := range s.Security.Groups {
		present := cloud.Resource{Kind: kindGroup, Key: group.Key, ID: g.ID, Fields: map[string]any{"description": g.Description}}
		if i > 0 {
			present.Key += " " + g.ID
		}
		if err := m.addPresent(ctx, r, s, present, !stays || i > 0); err != nil {
			return nil, err
		}
	}
	if stays {
		needed = m.addWanted(r, s, group, change.Input, addresses)
	}
	return needed, nil
}

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

// addPresent adds a group and the ports that have it. Before it is deleted it is taken from all of them, not only from those of machines.
func (m *Manager) addPresent(ctx context.Context, r *cloud.Resources, s *object.Snapshot, group cloud.Resource, goes bool) (err error) {
	ports := s.Security.Ports
	if goes {
		if ports, err = neutron.Ports(ctx, m.Network, url.Values{"security_groups": {group.ID}}); err != nil {
			return fmt.Errorf("listing the ports of security group %s: %w", group.ID, err)
		}
	}
	r.Present = append(r.Present, group)
	for _, p := range ports {
		if slices.Contains(p.Groups, group.ID) {
			r.Present = append(r.Present, membership(group, p))
		}
	}
	return nil
}

// membership is that of a port in a group.
func membership(group cloud.Resource, p neutron.Port) cloud.Resource {
	return cloud.Resource{Kind: kindMembership, Key: p.ID + " in " + group.Key, Native: p, Fields: map[string]any{"group": group.Ref()}}
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
	sources := []string{in.Lookups[desired.LookupMemberCIDR]}
	if m.Rules.Config.Provider == config.ProviderOVN {
		if sources = desired.SourceRanges(in); len(sources) == 0 {
			sources = []string{desired.Everyone(in.IPv6)}
		}
	}
	rules := packetfilter.Rules{}
	add := func(protocol cloud.Protocol, nodePort int, source string) {
		if nodePort != 0 && source != "" {
			rules.Add(packetfilter.Port(protocol, nodePort, packetfilter.Network(source)), "")
		}
	}
	if in.Local {
		add(cloud.ProtocolTCP, in.HealthPort, in.Lookups[desired.LookupMemberCIDR])
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
