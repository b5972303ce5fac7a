package gce

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

var firewallRules = []Rule{
	{ID: "firewall/action", Where: "firewalls.insert firewalls.update firewalls.patch", Text: "there are allowed or denied entries, not both", Source: fromVendor},
	{ID: "firewall/protocol", Where: "firewalls.insert firewalls.update firewalls.patch", Text: "an entry has a protocol: tcp, udp, icmp, esp, ah, ipip, sctp, all or a number", Source: fromDocument},
	{ID: "firewall/ports", Where: "firewalls.insert firewalls.update firewalls.patch", Text: "ports are numbers or ranges from 0 to 65535, of tcp, udp and sctp only", Source: fromDocument},
	{ID: "firewall/port-entries", Where: "firewalls.insert firewalls.update firewalls.patch", Text: "a rule has at most 100 entries of ports", Source: fromUpstream},
	{ID: "firewall/range", Where: "firewalls.insert firewalls.update firewalls.patch", Text: "ranges are CIDRs of IPv4 or IPv6, not both in one rule", Source: fromDocument},
	{ID: "firewall/direction", Where: "firewalls.insert firewalls.update firewalls.patch", Text: "EGRESS has no sources but sourceRanges", Source: fromDocument},
	{ID: "firewall/accounts", Where: "firewalls.insert firewalls.update firewalls.patch", Text: "service accounts and tags are not in one rule", Source: fromDocument},
	{ID: "firewall/priority", Where: "firewalls.insert firewalls.update firewalls.patch", Text: "priority is 0 to 65535", Source: fromDocument},
	{ID: "firewall/tags", Where: "firewalls.insert firewalls.update firewalls.patch", Text: "tags are names of RFC 1035", Source: fromDocument},
}

var firewalls = &kind{
	name: "firewalls", schema: "Firewall", metric: "FIREWALLS",
	references: []reference{{field: "network", kinds: []string{"networks"}}},
	fixed:      []string{"network", "direction"},
	check:      checkFirewall,
}

func checkFirewall(c *call, wanted, _ fields) error {
	preset(wanted, "network", c.store.link("projects/"+c.project.id+"/global/networks/default"))
	preset(wanted, "direction", "INGRESS")
	preset(wanted, "priority", 1000)
	preset(wanted, "disabled", false)
	preset(wanted, "logConfig", fields{"enable": false})
	if priority := number(wanted, "priority"); priority < 0 || priority > 65535 {
		return broken("firewall/priority", "Invalid value for field 'resource.priority': '%d'.", priority)
	}
	if err := checkEntries(wanted); err != nil {
		return err
	}
	accounts := wanted["sourceServiceAccounts"] != nil || wanted["targetServiceAccounts"] != nil
	if accounts && (wanted["sourceTags"] != nil || wanted["targetTags"] != nil) {
		return broken("firewall/accounts", "Tags and service accounts cannot be specified in the same firewall.")
	}
	if text(wanted, "direction") == "EGRESS" && (wanted["sourceTags"] != nil || wanted["sourceServiceAccounts"] != nil) {
		return broken("firewall/direction", "EGRESS firewalls cannot have sources but ranges.")
	}
	for _, field := range []string{"sourceTags", "targetTags"} {
		for _, tag := range texts(wanted, field) {
			if !namePattern.MatchString(tag) {
				return broken("firewall/tags", "Invalid value for field 'resource.%s': '%s'.", field, tag)
			}
		}
	}
	families := map[bool]bool{}
	for _, field := range []string{"sourceRanges", "destinationRanges"} {
		for _, cidr := range texts(wanted, field) {
			prefix, err := parseRange(cidr)
			if err != nil {
				return broken("firewall/range", "Invalid value for field 'resource.%s': '%s'. Must be a valid CIDR address range.", field, cidr)
			}
			families[prefix.Addr().Is4()] = true
		}
	}
	if len(families) > 1 {
		return broken("firewall/range", "IPv4 and IPv6 ranges cannot be in one firewall.")
	}
	if text(wanted, "direction") == "INGRESS" && wanted["sourceRanges"] == nil && wanted["sourceTags"] == nil && wanted["sourceServiceAccounts"] == nil {
		wanted["sourceRanges"] = []any{"0.0.0.0/0"}
	}
	return nil
}

// parseRange reads a CIDR; an address alone is one.
func parseRange(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return netip.Prefix{}, err
		}
		return addr.Prefix(addr.BitLen())
	}
	return netip.ParsePrefix(text)
}

var firewallProtocol = regexp.MustCompile(`^(?:tcp|udp|icmp|esp|ah|ipip|sctp|all|[0-9]{1,3})$`)

func checkEntries(wanted fields) error {
	allowed, denied := objects(wanted, "allowed"), objects(wanted, "denied")
	if (len(allowed) == 0) == (len(denied) == 0) {
		return broken("firewall/action", "Either 'allowed' or 'denied' must be specified, and not both.")
	}
	entries := 0
	for _, entry := range append(allowed, denied...) {
		protocol := strings.ToLower(text(entry, "IPProtocol"))
		if !firewallProtocol.MatchString(protocol) {
			return broken("firewall/protocol", "Invalid value for field 'resource.allowed.IPProtocol': '%s'.", protocol)
		}
		entry["IPProtocol"] = protocol
		ports := texts(entry, "ports")
		entries += len(ports)
		for _, port := range ports {
			if _, _, ok := portRange(port, 0); !ok || (protocol != "tcp" && protocol != "udp" && protocol != "sctp") {
				return broken("firewall/ports", "Invalid value for field 'resource.allowed.ports': '%s'.", port)
			}
		}
	}
	if entries > 100 {
		return broken("firewall/port-entries", "Too many ports: %d, at most 100.", entries)
	}
	return nil
}

// portRange reads "80" and "80-90".
func portRange(text string, lowest int) (low, high int, ok bool) {
	first, last, isRange := strings.Cut(text, "-")
	low, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0, false
	}
	high = low
	if isRange {
		if high, err = strconv.Atoi(last); err != nil {
			return 0, 0, false
		}
	}
	return low, high, low >= lowest && low <= high && high <= 65535
}
