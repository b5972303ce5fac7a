package secgroup

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// ForListeners are the rules of a balancer's own security group: whoever may connect reaches its listeners.
func ForListeners(b cloud.Balancer) Rules {
	rules := Rules{}
	for _, source := range b.Allow {
		rules[Fragmentation(source)] = ""
		for _, l := range b.Listeners {
			for _, transport := range Transports(l.Protocol) {
				rules[Port(transport, l.Port, source)] = ""
			}
		}
	}
	return rules
}

// Transports are the protocols of packets that a listener or target takes.
func Transports(p cloud.Protocol) []string {
	switch p {
	case cloud.ProtocolUDP:
		return []string{"udp"}
	case option.ProtocolBoth:
		return []string{"tcp", "udp"}
	}
	return []string{"tcp"}
}

// Port lets in what comes from a source to a port.
func Port(protocol string, port int, source string) Rule {
	return Rule{protocol, int32(port), int32(port), source} //nolint:gosec // a port
}

// Fragmentation lets in what routers say of packets that are too large (RFC 1191, RFC 8201).
func Fragmentation(source string) Rule {
	if isIPv6(source) {
		return Rule{"icmpv6", 2, 0, source}
	}
	return Rule{"icmp", 3, 4, source}
}

// isIPv6 reports whether a network or address is one of IPv6.
func isIPv6(source string) bool { return strings.Contains(source, ":") }
