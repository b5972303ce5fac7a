package digitalocean

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Published limits of one firewall.
const (
	maxFirewallRules   = 50 // inbound and outbound together
	maxFirewallSources = 1000
	maxFirewallTags    = 5
)

// FirewallEnabled implements cloud.Firewalls.
func (d *Driver) FirewallEnabled() bool { return d.settings.firewallName != "" }

// ObserveFirewall implements cloud.Firewalls: it looks for the configured name.
func (d *Driver) ObserveFirewall(ctx context.Context) (cloud.ObservedFirewall, error) {
	all, err := pages(func(o *godo.ListOptions) ([]godo.Firewall, *godo.Response, error) {
		return d.api.Firewalls.List(ctx, o)
	})
	if err == nil && !all.complete {
		err = errUnreadable
	}
	if err != nil {
		return cloud.ObservedFirewall{}, fmt.Errorf("listing firewalls: %w", err)
	}
	for i, f := range all.items {
		if f.Name != d.settings.firewallName {
			continue
		}
		openings, known := observedOpenings(f.InboundRules)
		return cloud.ObservedFirewall{
			Found: true, ID: f.ID, Openings: openings, Native: &all.items[i],
			Drifted: !known || !sameTags(f.Tags, d.settings.firewallTags) || !opensOutbound(f.OutboundRules),
		}, nil
	}
	return cloud.ObservedFirewall{}, nil
}

// NormalizeFirewall implements cloud.Firewalls. The kernel has merged the openings, and keeps
// them within the limits.
func (d *Driver) NormalizeFirewall(openings []cloud.Opening) ([]cloud.Opening, error) {
	list := slices.Clone(openings)
	sortOpenings(list)
	return list, nil
}

// ApplyFirewall implements cloud.Firewalls. Droplets that somebody put under the firewall by
// hand stay there.
func (d *Driver) ApplyFirewall(ctx context.Context, before cloud.ObservedFirewall, openings []cloud.Opening) error {
	request := &godo.FirewallRequest{
		Name:          d.settings.firewallName,
		InboundRules:  inboundRules(openings),
		OutboundRules: outbound(),
		Tags:          d.settings.firewallTags,
	}
	if !before.Found {
		if _, _, err := d.api.Firewalls.Create(ctx, request); err != nil {
			return fmt.Errorf("creating firewall %s: %w", request.Name, err)
		}
		return nil
	}
	if present, ok := before.Native.(*godo.Firewall); ok {
		request.DropletIDs = present.DropletIDs
	}
	if _, _, err := d.api.Firewalls.Update(ctx, before.ID, request); err != nil {
		return fmt.Errorf("updating firewall %s: %w", request.Name, err)
	}
	return nil
}

// BalancerOpenings implements cloud.Firewalls.
//
//	balancer                    openings
//	REGIONAL                    none: it connects over the VPC, which the firewall lets through
//	internal                    none: likewise
//	REGIONAL_NETWORK, external  each port from the clients that may connect, because their
//	                            packets arrive unchanged; the health check from the balancer
func (d *Driver) BalancerOpenings(b cloud.Balancer, id string) []cloud.Opening {
	if b.ProviderFields[fieldType] != typeNetwork || b.Scope == cloud.ScopeInternal {
		return nil
	}
	clients := clientNetworks(b.Allow)
	var list []cloud.Opening
	for _, l := range b.Listeners {
		list = append(list, cloud.Opening{Protocol: l.Protocol, From: l.TargetPort, To: l.TargetPort, Sources: clients})
	}
	if b.Health != nil && id != "" {
		list = append(list, cloud.Opening{
			Protocol: cloud.ProtocolTCP, From: b.Health.Port, To: b.Health.Port, Balancers: []string{id},
		})
	}
	sortOpenings(list)
	return list
}

// clientNetworks turns allow rules into networks; none means everyone.
func clientNetworks(allow []string) []string {
	if len(allow) == 0 {
		return []string{"0.0.0.0/0", "::/0"}
	}
	var networks []string
	for _, rule := range allow {
		kind, value, _ := strings.Cut(rule, ":")
		if kind == "ip" && strings.Contains(value, ":") {
			value += "/128"
		} else if kind == "ip" {
			value += "/32"
		}
		networks = append(networks, value)
	}
	slices.Sort(networks)
	return networks
}

// observedOpenings decodes inbound rules. known is false when one of them says what an
// Opening can't.
func observedOpenings(rules []godo.InboundRule) (list []cloud.Opening, known bool) {
	known = true
	for _, r := range rules {
		o := cloud.Opening{Protocol: cloud.ProtocolOf(r.Protocol)}
		var ok bool
		o.From, o.To, ok = parsePorts(r.PortRange)
		s := r.Sources
		if !ok || s == nil || r.Protocol == "icmp" || r.Action == godo.FirewallRuleActionDeny ||
			len(s.Tags)+len(s.DropletIDs)+len(s.KubernetesIDs) > 0 {
			known = false
			continue
		}
		o.Sources, o.Balancers = slices.Sorted(slices.Values(s.Addresses)), slices.Sorted(slices.Values(s.LoadBalancerUIDs))
		list = append(list, o)
	}
	sortOpenings(list)
	return list, known
}

func inboundRules(openings []cloud.Opening) []godo.InboundRule {
	rules := []godo.InboundRule{}
	for _, o := range openings {
		rules = append(rules, godo.InboundRule{
			Protocol:  o.Protocol.Lower(),
			PortRange: formatPorts(o.From, o.To),
			Sources:   &godo.Sources{Addresses: o.Sources, LoadBalancerUIDs: o.Balancers},
		})
	}
	return rules
}

// parsePorts reads "80", "80-90" and the API's spellings of all ports.
func parsePorts(text string) (from, to int, ok bool) {
	if text == "" || text == "0" || text == "all" {
		return 1, 65535, true
	}
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	from, errLow := strconv.Atoi(low)
	to, errHigh := strconv.Atoi(high)
	return from, to, errLow == nil && errHigh == nil && 1 <= from && from <= to && to <= 65535
}

func formatPorts(from, to int) string {
	switch {
	case from == to:
		return strconv.Itoa(from)
	case from <= 1 && to >= 65535:
		return "all"
	}
	return strconv.Itoa(from) + "-" + strconv.Itoa(to)
}

// outbound lets everything out, as upstream does.
func outbound() []godo.OutboundRule {
	everywhere := &godo.Destinations{Addresses: []string{"0.0.0.0/0", "::/0"}}
	return []godo.OutboundRule{
		{Protocol: "tcp", PortRange: "all", Destinations: everywhere},
		{Protocol: "udp", PortRange: "all", Destinations: everywhere},
		{Protocol: "icmp", Destinations: everywhere},
	}
}

// opensOutbound reports whether rules are those of outbound, in any order.
func opensOutbound(rules []godo.OutboundRule) bool {
	open := map[string]bool{}
	for _, r := range rules {
		from, to, ok := parsePorts(r.PortRange)
		if ok && from == 1 && to == 65535 && r.Action != godo.FirewallRuleActionDeny && r.Destinations != nil &&
			len(without([]string{"0.0.0.0/0", "::/0"}, r.Destinations.Addresses)) == 0 {
			open[r.Protocol] = true
		}
	}
	return len(rules) == 3 && open["tcp"] && open["udp"] && open["icmp"]
}

func sameTags(a, b []string) bool {
	lower := func(tags []string) []string {
		var list []string
		for _, tag := range tags {
			list = append(list, strings.ToLower(tag))
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	return slices.Equal(lower(a), lower(b))
}

func sortOpenings(list []cloud.Opening) {
	slices.SortFunc(list, func(a, b cloud.Opening) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
}
