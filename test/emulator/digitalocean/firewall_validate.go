package digitalocean

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// Published limits of one firewall.
const (
	maxFirewallRules    = 50 // inbound and outbound together
	maxFirewallDroplets = 10
	maxFirewallTags     = 5
	maxRulePeers        = 1000
)

var firewallName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9.\-]{0,254}$`)

// valid checks a request and writes ports the way answers show them.
func (fs *Firewalls) valid(q *firewallRequest) error {
	total := len(q.InboundRules) + len(q.OutboundRules)
	switch {
	case !firewallName.MatchString(q.Name):
		return unprocessable("name is invalid")
	case total == 0:
		return unprocessable("a firewall must have at least one rule")
	case total > maxFirewallRules:
		return unprocessable("a firewall can have at most %d rules", maxFirewallRules)
	case len(q.DropletIDs) > maxFirewallDroplets:
		return unprocessable("a firewall can have at most %d droplets", maxFirewallDroplets)
	case len(q.Tags) > maxFirewallTags:
		return unprocessable("a firewall can have at most %d tags", maxFirewallTags)
	}
	if err := fs.existing(&Peers{DropletIDs: q.DropletIDs, Tags: q.Tags}); err != nil {
		return err
	}
	for i := range q.InboundRules {
		r := &q.InboundRules[i]
		if err := fs.validRule(r.Protocol, &r.Ports, r.Sources, r.Action, "sources"); err != nil {
			return err
		}
	}
	for i := range q.OutboundRules {
		r := &q.OutboundRules[i]
		if err := fs.validRule(r.Protocol, &r.Ports, r.Destinations, r.Action, "destinations"); err != nil {
			return err
		}
	}
	return nil
}

func (fs *Firewalls) validRule(protocol string, ports *string, peers *Peers, action, side string) error {
	switch {
	case !oneOf(protocol, "tcp", "udp", "icmp"):
		return unprocessable("protocol %q is invalid", protocol)
	case !oneOf(action, "", "allow", "deny"):
		return unprocessable("action %q is invalid", action)
	case peers == nil:
		return unprocessable("%s is required", side)
	}
	normal, err := validPorts(protocol, *ports)
	if err != nil {
		return err
	}
	*ports = normal
	members := len(peers.Addresses) + len(peers.Tags) + len(peers.DropletIDs) + len(peers.LoadBalancerUIDs) + len(peers.KubernetesIDs)
	if members == 0 {
		return unprocessable("%s must name at least one address or resource", side)
	}
	if members > maxRulePeers {
		return unprocessable("%s can have at most %d entries", side, maxRulePeers)
	}
	return fs.existing(peers)
}

// validPorts returns the ports as answers show them: "0" for all, also for icmp
// (which must have none in a request).
func validPorts(protocol, ports string) (string, error) {
	all := oneOf(ports, "0", "all")
	switch {
	case protocol == "icmp" && (ports == "" || all):
		return "0", nil
	case protocol == "icmp":
		return "", unprocessable("ports are not supported for icmp")
	case all:
		return "0", nil
	case ports == "":
		return "", unprocessable("ports is required for %s", protocol)
	}
	low, high, isRange := strings.Cut(ports, "-")
	first, err := strconv.ParseUint(low, 10, 16)
	last := first
	if err == nil && isRange {
		last, err = strconv.ParseUint(high, 10, 16)
	}
	if err != nil || first == 0 || last < first {
		return "", unprocessable("ports %q is invalid", ports)
	}
	return ports, nil
}

// existing refuses addresses that are none and resources that don't exist.
func (fs *Firewalls) existing(p *Peers) error {
	for _, address := range p.Addresses {
		_, errIP := netip.ParseAddr(address)
		_, errNet := netip.ParsePrefix(address)
		if errIP != nil && errNet != nil {
			return unprocessable("address %q is invalid", address)
		}
	}
	for _, tag := range p.Tags {
		if !fs.account.Tags.has(tag) {
			return unprocessable("tag %q does not exist", tag)
		}
	}
	for _, id := range p.DropletIDs {
		if fs.account.Droplets.byID[id] == nil {
			return unprocessable("droplet %d does not exist", id)
		}
	}
	for _, id := range p.LoadBalancerUIDs {
		if fs.account.LoadBalancers.find(id) == nil {
			return unprocessable("load balancer %s does not exist", id)
		}
	}
	return nil
}
