// Package secgroup is about the security groups that let load balancers reach the nodes.
package secgroup

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
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
func (m *Manager) Find(ctx context.Context, s *object.Snapshot, spec cloud.Spec) error {
	here := s.LB.ID != ""
	switch {
	case m.Rules.Config.ManageSecurityGroups, spec.Retained:
	case here == spec.Deleting || object.LastOf(spec).IsAnswer(s.LB):
		return nil
	default:
		if s.Guard.None = here && m.AreNone(spec); s.Guard.None {
			return nil
		}
	}
	all, listed := object.BulkListOf(spec)
	groups := all.Groups
	if !listed {
		var err error
		if groups, err = m.Reader.Groups(ctx, url.Values{"name": {groupName(spec.Ref.Owner)}}); err != nil {
			return err
		}
	}
	at := slices.IndexFunc(groups, func(g object.SecurityGroup) bool { return g.Name == groupName(spec.Ref.Owner) })
	if at >= 0 {
		s.Guard.Group = &groups[at]
	}
	if !m.Rules.Config.ManageSecurityGroups {
		s.Guard.None = s.Guard.Group == nil
		return nil
	}
	if spec.Deleting && !spec.Retained {
		return nil
	}
	s.Guard.Ports, s.Guard.Network = all.Ports, s.LB.Network
	if listed {
		return nil
	}
	var err error
	s.Guard.Ports, err = m.Reader.MachinePorts(ctx)
	return err
}

// AreNone reports whether the last look has shown that nothing is left of a time when groups were managed.
func (m *Manager) AreNone(spec cloud.Spec) bool {
	last := object.LastOf(spec)
	return last != nil && last.Guard.None && !m.Rules.Config.ManageSecurityGroups
}

// Resources are the security group with its rules, and the ports of these addresses, which have to
// have it. Where groups are not managed one that is left is not wanted.
func (m *Manager) Resources(s *object.Snapshot, change cloud.Change, addresses []string) (r cloud.Resources) {
	o := change.Spec.Ref.Owner
	managed := m.Rules.Config.ManageSecurityGroups
	group := Resource("", o)
	if s.Guard.Group != nil {
		r.Present = append(r.Present, Resource(s.Guard.Group.ID, o))
	}
	if !managed {
		return r
	}
	r.Wanted = append(r.Wanted, group)
	if s.Guard.Group != nil {
		for _, rule := range s.Guard.Group.Rules {
			r.Present = append(r.Present, ruleResource(rule, group.Ref()))
		}
	}
	for _, rule := range m.wantedRules(change.Spec) {
		r.Wanted = append(r.Wanted, ruleResource(rule, group.Ref()))
	}
	behind := s.Guard.Behind(addresses)
	for _, p := range s.Guard.Ports {
		member := cloud.Resource{Kind: kindMembership, Key: p.ID, Native: p, Fields: map[string]any{"group": group.Ref()}}
		if s.Guard.Has(p) {
			r.Present = append(r.Present, member)
		}
		if behind[p.ID] {
			r.Wanted = append(r.Wanted, member)
		}
	}
	return r
}

// Resource is the security group of a Service; id is "" where there is none yet.
func Resource(id string, o cloud.Owner) cloud.Resource {
	return cloud.Resource{Kind: kindGroup, Key: o.String(), ID: id, Native: o}
}

// ruleResource is a rule, which is known by all it says.
func ruleResource(rule object.SecurityGroupRule, group cloud.IDOf) cloud.Resource {
	return cloud.Resource{Kind: kindRule, Key: rule.String(), ID: rule.ID, Native: rule, Fields: map[string]any{"security_group_id": group}}
}

// wantedRules are the rules the group has to have: each node port, and the health check's, from
// where connections come. The ovn provider keeps clients' addresses.
func (m *Manager) wantedRules(spec cloud.Spec) []object.SecurityGroupRule {
	sources := []string{spec.Lookups[desired.LookupMemberCIDR]}
	if m.Rules.Config.Provider == config.ProviderOVN {
		if sources = desired.SourceRanges(spec); len(sources) == 0 {
			sources = []string{desired.Everyone(spec.IPv6)}
		}
	}
	var rules []object.SecurityGroupRule
	add := func(protocol cloud.Protocol, nodePort int, source string) {
		rule := object.SecurityGroupRule{Direction: "ingress", Ethertype: "IPv4", Protocol: protocol.Lower(), From: nodePort, To: nodePort, Source: source}
		if strings.Contains(source, ":") {
			rule.Ethertype = "IPv6"
		}
		if nodePort != 0 && source != "" && !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	if spec.Local {
		add(cloud.ProtocolTCP, spec.HealthPort, spec.Lookups[desired.LookupMemberCIDR])
	}
	for _, port := range spec.Ports {
		for _, source := range sources {
			add(port.Protocol, port.NodePort, source)
		}
	}
	return rules
}

// The kinds of resources of a security group, by their names in Neutron.
const (
	kindGroup      = "security group"
	kindRule       = "security group rule"
	kindMembership = "port in the security group"
)

// Kinds are the group, its rules, and the ports that have it.
func (m *Manager) Kinds() []cloud.ResourceKind {
	return []cloud.ResourceKind{
		{Name: kindGroup, OfService: true, Takes: []string{kindRule, kindMembership}, Create: m.createGroup, Delete: m.deleteGroup},
		{Name: kindRule, OfService: true, Create: m.createRule, Delete: m.deleteRule},
		{Name: kindMembership, OfService: true, Create: m.joinGroup, Delete: m.leaveGroup},
	}
}

// createGroup makes a group without rules: Neutron gives it two that nobody asked for.
func (m *Manager) createGroup(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	o, _ := wanted.Native.(cloud.Owner)
	body := map[string]any{"security_group": map[string]string{"name": groupName(o), "description": m.groupDescription(o)}}
	var answer struct {
		Group object.SecurityGroup `json:"security_group"`
	}
	_, err := m.Network.Post(ctx, m.Network.ServiceURL("security-groups"), body, &answer, nil)
	if err == nil && answer.Group.ID == "" {
		err = cloud.ErrIncomplete
	}
	for _, rule := range answer.Group.Rules {
		if err == nil {
			err = m.deleteRule(ctx, ruleResource(rule, wanted.Ref()))
		}
	}
	return answer.Group.ID, err
}

// deleteGroup takes the group from all ports that have it, and deletes it.
func (m *Manager) deleteGroup(ctx context.Context, present cloud.Resource) error {
	ports, err := neutron.Ports(ctx, m.Network, url.Values{"security_groups": {present.ID}})
	if err != nil {
		return fmt.Errorf("listing its ports: %w", err)
	}
	for _, p := range ports {
		if err := m.setGroups(ctx, p, neutron.Without(p.Groups, present.ID)); err != nil {
			return err
		}
	}
	return api.Remove(ctx, m.Network, "security-groups", present.ID)
}

func (m *Manager) createRule(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	rule, _ := wanted.Native.(object.SecurityGroupRule)
	body := map[string]any{"security_group_rule": map[string]string{
		"security_group_id": fmt.Sprint(wanted.Fields["security_group_id"]), "direction": rule.Direction, "ethertype": rule.Ethertype, "protocol": rule.Protocol,
		"port_range_min": strconv.Itoa(rule.From), "port_range_max": strconv.Itoa(rule.To), "remote_ip_prefix": rule.Source,
	}}
	_, err := m.Network.Post(ctx, m.Network.ServiceURL("security-group-rules"), body, nil, nil)
	if api.Classify(err).Class == cloud.FailureConflict { // it is there already
		err = nil
	}
	return "", err
}

func (m *Manager) deleteRule(ctx context.Context, present cloud.Resource) error {
	return api.Remove(ctx, m.Network, "security-group-rules", present.ID)
}

// joinGroup gives the group to a port.
func (m *Manager) joinGroup(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	p, _ := wanted.Native.(neutron.Port)
	return p.ID, m.setGroups(ctx, p, append(slices.Clone(p.Groups), fmt.Sprint(wanted.Fields["group"])))
}

// leaveGroup takes the group from a port.
func (m *Manager) leaveGroup(ctx context.Context, present cloud.Resource) error {
	p, _ := present.Native.(neutron.Port)
	return m.setGroups(ctx, p, neutron.Without(p.Groups, fmt.Sprint(present.Fields["group"])))
}

// setGroups writes the groups of a port, unless it was changed since it was read. A port that is gone
// needs none.
func (m *Manager) setGroups(ctx context.Context, p neutron.Port, groups []string) error {
	body := map[string]any{"port": map[string]any{"security_groups": groups}}
	if err := api.Put(ctx, m.Network, m.Network.ServiceURL("ports", p.ID), body, p.Revision); err != nil && !api.IsNotFound(err) {
		return fmt.Errorf("changing the security groups of port %s: %w", p.ID, err)
	}
	return nil
}

// groupName is the name of the Service's security group, as upstream gives it. It holds the
// Service's UID.
func groupName(o cloud.Owner) string {
	return mark.Cut(fmt.Sprintf("lb-sg-%s-%s-%s", o.UID, o.Namespace, o.Name))
}

// groupDescription is that of the Service's security group, as upstream gives it.
func (m *Manager) groupDescription(o cloud.Owner) string {
	return mark.Cut(fmt.Sprintf("Security Group for %s Service LoadBalancer in cluster %s", o, m.Rules.Marks.ClusterName))
}
