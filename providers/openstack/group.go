package openstack

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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
}

func (g securityGroup) identifier() string { return g.ID }

// guard is the security group that lets the balancer reach the nodes, as it was read; nil where
// there is none. ports are those of machines, with their groups.
type guard struct {
	group *securityGroup
	ports []port
	// network is that of the balancer.
	network string
}

// String writes a rule as it is compared: "ingress IPv4 tcp 30080-30080 from 10.0.0.0/24".
func (r groupRule) String() string {
	return fmt.Sprintf("%s %s %s %d-%d from %s", r.Direction, r.Ethertype, strings.ToLower(r.Protocol), r.From, r.To, r.Source)
}

// wantedRules are the rules the group has to have: each node port, and the health check's, from
// where connections come. The ovn provider keeps clients' addresses.
func (d *Driver) wantedRules(spec cloud.Spec) []groupRule {
	sources := []string{spec.Lookups[lookupMemberCIDR]}
	if d.config.balancer.provider == providerOVN {
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

func describeRules(rules []groupRule) string {
	texts := make([]string, len(rules))
	for i, r := range rules {
		texts[i] = r.String()
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// addGuard reads the Service's security group and the ports of machines. Where groups are not
// managed only a group that is left from a time when they were is looked for.
func (d *Driver) addGuard(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	all, listed := bulkListOf(spec)
	groups := all.groups
	if !listed {
		var err error
		if groups, err = d.listGroups(ctx, url.Values{"name": {groupName(spec.Ref.Owner)}}); err != nil {
			return err
		}
	}
	at := slices.IndexFunc(groups, func(g securityGroup) bool { return g.Name == groupName(spec.Ref.Owner) })
	if at >= 0 {
		s.guard.group = &groups[at]
	}
	if !d.config.balancer.manageSecurityGroups {
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

func (d *Driver) listGroups(ctx context.Context, query url.Values) ([]securityGroup, error) {
	maps.Copy(query, d.ofProject())
	groups, err := listAll[securityGroup](ctx, d.network, "security_groups", "security-groups", query)
	if err != nil {
		return nil, fmt.Errorf("listing security groups: %w", err)
	}
	return groups, nil
}

// machinePorts lists the ports of the project's servers.
func (d *Driver) machinePorts(ctx context.Context) ([]port, error) {
	ports, err := d.ports(ctx, d.ofProject())
	if err != nil {
		return nil, fmt.Errorf("listing ports: %w", err)
	}
	return slices.DeleteFunc(ports, func(p port) bool { return p.machine() == "" }), nil
}

// guarded returns the ports of these addresses that lack the group, and others that have it. Ports
// without port security need none.
func (g guard) guarded(wanted []string) (missing, extra []port) {
	behind := map[string]bool{}
	for _, address := range wanted {
		for _, p := range g.at(address) {
			behind[p.ID] = true
		}
	}
	for _, p := range g.ports {
		has := g.group != nil && slices.Contains(p.Groups, g.group.ID)
		wants := behind[p.ID] && (p.Security == nil || *p.Security)
		switch {
		case wants && !has:
			missing = append(missing, p)
		case has && !wants:
			extra = append(extra, p)
		}
	}
	return missing, extra
}

// at returns the machines' ports with an address: those in the balancer's network if there are
// any. Where several networks have the same addresses nothing else tells whose is meant, so then
// it is nobody's.
func (g guard) at(address string) []port {
	var near, all []port
	for _, p := range g.ports {
		if !slices.ContainsFunc(p.FixedIPs, func(f fixedIP) bool { return f.Address.String() == address }) {
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

// open makes the group, adds the rules that are missing and gives it to the ports of the
// addresses.
func (d *Driver) open(ctx context.Context, g *guard, spec cloud.Spec, addresses []string) error {
	if g.group == nil {
		made, err := d.makeGroup(ctx, spec.Ref.Owner)
		if err != nil {
			return err
		}
		g.group = made
	}
	for _, rule := range d.wantedRules(spec) {
		if !g.group.has(rule) {
			if err := d.addRule(ctx, g.group.ID, rule); err != nil {
				return err
			}
		}
	}
	missing, _ := g.guarded(addresses)
	for _, p := range missing {
		if err := d.setGroups(ctx, p, append(slices.Clone(p.Groups), g.group.ID)); err != nil {
			return err
		}
	}
	return nil
}

// narrow takes the group from ports that are not among the addresses, and rules that are not
// wanted from it: also the two that Neutron gives every new group.
func (d *Driver) narrow(ctx context.Context, g guard, spec cloud.Spec, addresses []string) error {
	if g.group == nil {
		return nil
	}
	_, extra := g.guarded(addresses)
	for _, p := range extra {
		if err := d.setGroups(ctx, p, without(p.Groups, g.group.ID)); err != nil {
			return err
		}
	}
	wanted := d.wantedRules(spec)
	for _, rule := range g.group.Rules {
		if !slices.ContainsFunc(wanted, func(w groupRule) bool { return w.String() == rule.String() }) {
			if err := remove(ctx, d.network, "security-group-rules", rule.ID); err != nil {
				return fmt.Errorf("deleting rule %s of security group %s: %w", rule.ID, g.group.ID, err)
			}
		}
	}
	return nil
}

// dissolve takes the group from all ports and deletes it.
func (d *Driver) dissolve(ctx context.Context, g guard) error {
	if g.group == nil {
		return nil
	}
	ports, err := d.ports(ctx, url.Values{"security_groups": {g.group.ID}})
	if err != nil {
		return fmt.Errorf("listing the ports of security group %s: %w", g.group.ID, err)
	}
	for _, p := range ports {
		if err := d.setGroups(ctx, p, without(p.Groups, g.group.ID)); err != nil {
			return err
		}
	}
	if err := remove(ctx, d.network, "security-groups", g.group.ID); err != nil {
		return fmt.Errorf("deleting security group %s: %w", g.group.ID, err)
	}
	return nil
}

func (g *securityGroup) has(rule groupRule) bool {
	return slices.ContainsFunc(g.Rules, func(r groupRule) bool { return r.String() == rule.String() })
}

func (d *Driver) makeGroup(ctx context.Context, o cloud.Owner) (*securityGroup, error) {
	body := map[string]any{"security_group": map[string]string{"name": groupName(o), "description": d.groupDescription(o)}}
	var answer struct {
		Group securityGroup `json:"security_group"`
	}
	_, err := d.network.Post(ctx, d.network.ServiceURL("security-groups"), body, &answer, nil)
	if err == nil && answer.Group.ID == "" {
		err = errUnreadable
	}
	if err != nil {
		return nil, fmt.Errorf("creating security group %s: %w", groupName(o), err)
	}
	return &answer.Group, nil
}

func (d *Driver) addRule(ctx context.Context, group string, rule groupRule) error {
	body := map[string]any{"security_group_rule": map[string]string{
		"security_group_id": group, "direction": rule.Direction, "ethertype": rule.Ethertype, "protocol": rule.Protocol,
		"port_range_min": strconv.Itoa(rule.From), "port_range_max": strconv.Itoa(rule.To), "remote_ip_prefix": rule.Source,
	}}
	_, err := d.network.Post(ctx, d.network.ServiceURL("security-group-rules"), body, nil, nil)
	if err != nil && d.Classify(err).Class != cloud.FailureConflict { // it is there already
		return fmt.Errorf("adding rule %q to security group %s: %w", rule, group, err)
	}
	return nil
}

// setGroups writes the groups of a port, unless it was changed since it was read.
func (d *Driver) setGroups(ctx context.Context, p port, groups []string) error {
	body := map[string]any{"port": map[string]any{"security_groups": groups}}
	if err := put(ctx, d.network, d.network.ServiceURL("ports", p.ID), body, p.Revision); err != nil && !d.isNotFound(err) {
		return fmt.Errorf("changing the security groups of port %s: %w", p.ID, err)
	}
	return nil
}

func without(list []string, item string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == item })
}
