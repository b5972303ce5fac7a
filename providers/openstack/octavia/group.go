package octavia

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// securityGroup is what the driver uses of a security group of Neutron.
type securityGroup struct {
	ID    string      `json:"id"`
	Name  string      `json:"name"`
	Rules []groupRule `json:"security_group_rules"`
}

type groupRule struct {
	ID        string `json:"id"`
	Direction string `json:"direction"`
	Ethertype string `json:"ethertype"`
	Protocol  string `json:"protocol"`
	From      int    `json:"port_range_min"`
	To        int    `json:"port_range_max"`
	Source    string `json:"remote_ip_prefix"`
	Group     string `json:"remote_group_id"`
}

func (g securityGroup) Identifier() string { return g.ID }

// guard is the security group that lets the balancer reach the nodes, as it was read; nil where
// there is none. ports are those of machines, with their groups.
type guard struct {
	group *securityGroup
	ports []neutron.Port
	// network is that of the balancer.
	network string
}

// String writes a rule as it is compared: "ingress IPv4 tcp 30080-30080 from 10.0.0.0/24".
func (r groupRule) String() string {
	return fmt.Sprintf("%s %s %s %d-%d from %s", r.Direction, r.Ethertype, strings.ToLower(r.Protocol), r.From, r.To, cmp.Or(r.Source, r.Group))
}

// wantedRules are the rules the group has to have: each node port, and the health check's, from
// where connections come. The ovn provider keeps clients' addresses.
func (d *Balancers) wantedRules(spec cloud.Spec) []groupRule {
	sources := []string{spec.Lookups[lookupMemberCIDR]}
	if d.config.Provider == config.ProviderOVN {
		if sources = sourceRanges(spec); len(sources) == 0 {
			sources = []string{everyone(spec.IPv6)}
		}
	}
	var rules []groupRule
	add := func(protocol cloud.Protocol, nodePort int, source string) {
		rule := groupRule{Direction: "ingress", Ethertype: "IPv4", Protocol: protocol.Lower(), From: nodePort, To: nodePort, Source: source}
		if strings.Contains(source, ":") {
			rule.Ethertype = "IPv6"
		}
		if nodePort != 0 && source != "" && !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	if spec.Local {
		add(cloud.ProtocolTCP, spec.HealthPort, spec.Lookups[lookupMemberCIDR])
	}
	for _, port := range spec.Ports {
		for _, source := range sources {
			add(port.Protocol, port.NodePort, source)
		}
	}
	return rules
}

func everyone(ipv6 bool) string {
	if ipv6 {
		return "::/0"
	}
	return "0.0.0.0/0"
}

// addGuard reads the Service's security group and the ports of machines. Where groups are not
// managed only a group that is left from a time when they were is looked for.
func (d *Balancers) addGuard(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	all, listed := bulkListOf(spec)
	groups := all.groups
	if !listed {
		var err error
		if groups, err = d.listGroups(ctx, url.Values{"name": {mark.GroupName(spec.Ref.Owner)}}); err != nil {
			return err
		}
	}
	at := slices.IndexFunc(groups, func(g securityGroup) bool { return g.Name == mark.GroupName(spec.Ref.Owner) })
	if at >= 0 {
		s.guard.group = &groups[at]
	}
	if !d.config.ManageSecurityGroups {
		return nil
	}
	s.guard.ports, s.guard.network = all.ports, s.lb.Network
	if listed {
		return nil
	}
	var err error
	s.guard.ports, err = d.machinePorts(ctx)
	return err
}

func (d *Balancers) listGroups(ctx context.Context, query url.Values) ([]securityGroup, error) {
	maps.Copy(query, d.ofProject())
	groups, err := api.ListAll[securityGroup](ctx, d.network, "security_groups", "security-groups", query)
	if err != nil {
		return nil, fmt.Errorf("listing security groups: %w", err)
	}
	return groups, nil
}

// machinePorts lists the ports of the project's servers.
func (d *Balancers) machinePorts(ctx context.Context) ([]neutron.Port, error) {
	ports, err := neutron.Ports(ctx, d.network, d.ofProject())
	if err != nil {
		return nil, fmt.Errorf("listing ports: %w", err)
	}
	return slices.DeleteFunc(ports, func(p neutron.Port) bool { return p.Machine() == "" }), nil
}

func (g guard) has(p neutron.Port) bool {
	return g.group != nil && slices.Contains(p.Groups, g.group.ID)
}

// behind are the ids of the ports that need the group for these addresses. Those without port
// security need none.
func (g guard) behind(addresses []string) map[string]bool {
	ids := map[string]bool{}
	for _, address := range addresses {
		for _, p := range g.at(address) {
			if p.Security == nil || *p.Security {
				ids[p.ID] = true
			}
		}
	}
	return ids
}

// at returns the machines' ports with an address: those in the balancer's network if there are
// any. Where several networks have the same addresses nothing else tells whose is meant, so then
// it is nobody's.
func (g guard) at(address string) []neutron.Port {
	var near, all []neutron.Port
	for _, p := range g.ports {
		if !slices.ContainsFunc(p.FixedIPs, func(f neutron.FixedIP) bool { return f.Address.String() == address }) {
			continue
		}
		all = append(all, p)
		if p.Network == g.network {
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

// addGroupResources adds the security group with its rules, and the ports that have it. Where groups
// are not managed one that is left is not wanted.
func (d *Balancers) addGroupResources(r *cloud.Resources, s *snapshot, change cloud.Change) {
	o := change.Spec.Ref.Owner
	managed := d.config.ManageSecurityGroups
	group := groupResource("", o)
	if s.guard.group != nil {
		r.Present = append(r.Present, groupResource(s.guard.group.ID, o))
	}
	if !managed {
		return
	}
	r.Wanted = append(r.Wanted, group)
	if s.guard.group != nil {
		for _, rule := range s.guard.group.Rules {
			r.Present = append(r.Present, ruleResource(rule, group.Ref()))
		}
	}
	for _, rule := range d.wantedRules(change.Spec) {
		r.Wanted = append(r.Wanted, ruleResource(rule, group.Ref()))
	}
	var addresses []string
	for _, m := range r.Wanted {
		if m.Kind == kindMember {
			addresses = append(addresses, fmt.Sprint(m.Fields["address"]))
		}
	}
	behind := s.guard.behind(addresses)
	for _, p := range s.guard.ports {
		member := cloud.Resource{Kind: kindMembership, Key: p.ID, Native: p, Fields: map[string]any{"group": group.Ref()}}
		if s.guard.has(p) {
			r.Present = append(r.Present, member)
		}
		if behind[p.ID] {
			r.Wanted = append(r.Wanted, member)
		}
	}
}

func groupResource(id string, o cloud.Owner) cloud.Resource {
	return cloud.Resource{Kind: kindGroup, Key: o.String(), ID: id, Native: o}
}

// ruleResource is a rule, which is known by all it says.
func ruleResource(rule groupRule, group cloud.IDOf) cloud.Resource {
	return cloud.Resource{Kind: kindRule, Key: rule.String(), ID: rule.ID, Native: rule, Fields: map[string]any{"security_group_id": group}}
}

// createGroup makes a group without rules: Neutron gives it two that nobody asked for.
func (d *Balancers) createGroup(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	o, _ := wanted.Native.(cloud.Owner)
	body := map[string]any{"security_group": map[string]string{"name": mark.GroupName(o), "description": d.marks.GroupDescription(o)}}
	var answer struct {
		Group securityGroup `json:"security_group"`
	}
	_, err := d.network.Post(ctx, d.network.ServiceURL("security-groups"), body, &answer, nil)
	if err == nil && answer.Group.ID == "" {
		err = api.ErrUnreadable
	}
	for _, rule := range answer.Group.Rules {
		if err == nil {
			err = d.deleteRule(ctx, ruleResource(rule, wanted.Ref()))
		}
	}
	return answer.Group.ID, err
}

// deleteGroup takes the group from all ports that have it, and deletes it.
func (d *Balancers) deleteGroup(ctx context.Context, present cloud.Resource) error {
	ports, err := neutron.Ports(ctx, d.network, url.Values{"security_groups": {present.ID}})
	if err != nil {
		return fmt.Errorf("listing its ports: %w", err)
	}
	for _, p := range ports {
		if err := d.setGroups(ctx, p, neutron.Without(p.Groups, present.ID)); err != nil {
			return err
		}
	}
	return api.Remove(ctx, d.network, "security-groups", present.ID)
}

func (d *Balancers) createRule(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	rule, _ := wanted.Native.(groupRule)
	body := map[string]any{"security_group_rule": map[string]string{
		"security_group_id": fmt.Sprint(wanted.Fields["security_group_id"]), "direction": rule.Direction, "ethertype": rule.Ethertype, "protocol": rule.Protocol,
		"port_range_min": strconv.Itoa(rule.From), "port_range_max": strconv.Itoa(rule.To), "remote_ip_prefix": rule.Source,
	}}
	_, err := d.network.Post(ctx, d.network.ServiceURL("security-group-rules"), body, nil, nil)
	if api.Classify(err).Class == cloud.FailureConflict { // it is there already
		err = nil
	}
	return "", err
}

func (d *Balancers) deleteRule(ctx context.Context, present cloud.Resource) error {
	return api.Remove(ctx, d.network, "security-group-rules", present.ID)
}

// joinGroup gives the group to a port.
func (d *Balancers) joinGroup(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	p, _ := wanted.Native.(neutron.Port)
	return p.ID, d.setGroups(ctx, p, append(slices.Clone(p.Groups), fmt.Sprint(wanted.Fields["group"])))
}

// leaveGroup takes the group from a port.
func (d *Balancers) leaveGroup(ctx context.Context, present cloud.Resource) error {
	p, _ := present.Native.(neutron.Port)
	return d.setGroups(ctx, p, neutron.Without(p.Groups, fmt.Sprint(present.Fields["group"])))
}

// setGroups writes the groups of a port, unless it was changed since it was read. A port that is gone
// needs none.
func (d *Balancers) setGroups(ctx context.Context, p neutron.Port, groups []string) error {
	body := map[string]any{"port": map[string]any{"security_groups": groups}}
	if err := api.Put(ctx, d.network, d.network.ServiceURL("ports", p.ID), body, p.Revision); err != nil && !api.IsNotFound(err) {
		return fmt.Errorf("changing the security groups of port %s: %w", p.ID, err)
	}
	return nil
}
