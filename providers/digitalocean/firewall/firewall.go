// Package firewall is about the cloud firewall in front of the nodes.
package firewall

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Firewalls are the cloud firewalls of a team.
type Firewalls struct {
	API godo.FirewallsService
	// Name is that of the firewall, "" for none, and Tags are those of the droplets that it protects.
	Name string
	Tags []string
}

// Published limits of one firewall.
const (
	MaxFirewallRules   = 50 // inbound and outbound together
	MaxFirewallSources = 1000
)

// native is the API's object, for what stays as it is.
var native cloud.NativeOf[*godo.Firewall]

// ObserveFirewall implements cloud.Firewalls: it looks for the configured name.
func (m *Firewalls) ObserveFirewall(ctx context.Context) (cloud.ObservedFirewall, error) {
	all, err := cloud.Whole(api.Pages(func(o *godo.ListOptions) ([]godo.Firewall, *godo.Response, error) {
		return m.API.List(ctx, o)
	}))
	if err != nil {
		return cloud.ObservedFirewall{}, fmt.Errorf("listing firewalls: %w", err)
	}
	for i, f := range all {
		if f.Name != m.Name {
			continue
		}
		openings, known := ObservedOpenings(f.InboundRules)
		return cloud.ObservedFirewall{
			Found: true, ID: f.ID, Openings: openings, Native: native.Seal(&all[i]),
			Drifted: !known || !sameTags(f.Tags, m.Tags) || !OpensOutbound(f.OutboundRules),
		}, nil
	}
	return cloud.ObservedFirewall{}, nil
}

// NormalizeFirewall implements cloud.Firewalls. The kernel has merged the openings, and keeps
// them within the limits.
func (m *Firewalls) NormalizeFirewall(openings []cloud.Opening) ([]cloud.Opening, error) {
	list := slices.Clone(openings)
	sortOpenings(list)
	return list, nil
}

// ApplyFirewall implements cloud.Firewalls. Droplets that somebody put under the firewall by
// hand stay there.
func (m *Firewalls) ApplyFirewall(ctx context.Context, before cloud.ObservedFirewall, openings []cloud.Opening) error {
	request := &godo.FirewallRequest{
		Name:          m.Name,
		InboundRules:  InboundRules(openings),
		OutboundRules: Outbound(),
		Tags:          m.Tags,
	}
	if !before.Found {
		if _, _, err := m.API.Create(ctx, request); err != nil {
			return fmt.Errorf("creating firewall %s: %w", request.Name, err)
		}
		return nil
	}
	if present := native.Open(before.Native); present != nil {
		request.DropletIDs = present.DropletIDs
	}
	if _, _, err := m.API.Update(ctx, before.ID, request); err != nil {
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
func (m *Firewalls) BalancerOpenings(b cloud.Balancer, id string) []cloud.Opening {
	if b.ProviderFields[object.FieldType] != config.TypeNetwork || b.Scope == cloud.ScopeInternal {
		return nil
	}
	clients := ClientNetworks(b.Allow)
	var list []cloud.Opening
	for _, l := range b.Listeners {
		list = append(list, cloud.Opening{PortRange: cloud.PortRange{Protocol: l.Protocol, From: l.TargetPort, To: l.TargetPort}, Sources: clients})
	}
	if b.Health != nil && id != "" {
		list = append(list, cloud.Opening{
			PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: b.Health.Port, To: b.Health.Port}, Balancers: []string{id},
		})
	}
	sortOpenings(list)
	return list
}

// ClientNetworks turns allow rules into networks; none means everyone.
func ClientNetworks(allow []string) []string {
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

// ObservedOpenings decodes inbound rules. known is false when one of them says what an
// Opening can't.
func ObservedOpenings(rules []godo.InboundRule) (list []cloud.Opening, known bool) {
	known = true
	for _, r := range rules {
		o := cloud.Opening{PortRange: cloud.PortRange{Protocol: cloud.ProtocolOf(r.Protocol)}}
		var ok bool
		o.From, o.To, ok = ParsePorts(r.PortRange)
		s := r.Sources
		if !ok || s == nil || o.Protocol == cloud.ProtocolICMP || r.Action == godo.FirewallRuleActionDeny ||
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

// InboundRules are openings as rules of the API.
func InboundRules(openings []cloud.Opening) []godo.InboundRule {
	rules := []godo.InboundRule{}
	for _, o := range openings {
		rules = append(rules, godo.InboundRule{
			Protocol:  o.Protocol.Lower(),
			PortRange: FormatPorts(o.From, o.To),
			Sources:   &godo.Sources{Addresses: o.Sources, LoadBalancerUIDs: o.Balancers},
		})
	}
	return rules
}

// ParsePorts reads "80", "80-90" and the API's spellings of all ports.
func ParsePorts(text string) (from, to int, ok bool) {
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

// FormatPorts writes a range of ports as the API does.
func FormatPorts(from, to int) string {
	switch {
	case from == to:
		return strconv.Itoa(from)
	case from <= 1 && to >= 65535:
		return "all"
	}
	return strconv.Itoa(from) + "-" + strconv.Itoa(to)
}

// Outbound lets everything out, as upstream does.
func Outbound() []godo.OutboundRule {
	everywhere := &godo.Destinations{Addresses: []string{"0.0.0.0/0", "::/0"}}
	return []godo.OutboundRule{
		{Protocol: "tcp", PortRange: "all", Destinations: everywhere},
		{Protocol: "udp", PortRange: "all", Destinations: everywhere},
		{Protocol: "icmp", Destinations: everywhere},
	}
}

// OpensOutbound reports whether rules are those of outbound, in any order.
func OpensOutbound(rules []godo.OutboundRule) bool {
	open := map[string]bool{}
	for _, r := range rules {
		from, to, ok := ParsePorts(r.PortRange)
		if ok && from == 1 && to == 65535 && r.Action != godo.FirewallRuleActionDeny && r.Destinations != nil &&
			slices.Contains(r.Destinations.Addresses, "0.0.0.0/0") && slices.Contains(r.Destinations.Addresses, "::/0") {
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
	slices.SortFunc(list, func(a, b cloud.Opening) int { return a.Compare(b.PortRange) })
}
