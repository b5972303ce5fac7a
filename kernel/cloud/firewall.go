package cloud

import (
	"cmp"
	"fmt"
)

// Protocols only rules of packet filters have.
const (
	ProtocolICMP   Protocol = "ICMP"
	ProtocolICMPv6 Protocol = "ICMPV6"
	ProtocolAll    Protocol = "ALL"
)

// PortRange are ports of a protocol that a packet filter lets through: the first and the last.
type PortRange struct {
	Protocol Protocol
	From, To int
}

// AllPorts are any ports of a protocol.
func AllPorts(protocol Protocol) PortRange { return PortRange{protocol, -1, -1} }

// String returns the ports for people: "tcp/443", "udp/30000-30005", "icmp/3-any", "tcp", "all".
func (r PortRange) String() string {
	protocol := r.Protocol.Lower()
	switch {
	case r.From < 0:
		return protocol
	case r.From == r.To:
		return fmt.Sprintf("%s/%d", protocol, r.From)
	case r.To < 0:
		return fmt.Sprintf("%s/%d-any", protocol, r.From)
	}
	return fmt.Sprintf("%s/%d-%d", protocol, r.From, r.To)
}

// Compare orders by protocol and port.
func (r PortRange) Compare(o PortRange) int {
	return cmp.Or(cmp.Compare(r.Protocol, o.Protocol), cmp.Compare(r.From, o.From), cmp.Compare(r.To, o.To))
}

// Opening lets traffic in to the nodes.
type Opening struct {
	PortRange
	// Sources are CIDRs, sorted; with Balancers also empty.
	Sources []string
	// Balancers are ids of load balancers whose traffic is let in, sorted.
	Balancers []string
}

// ObservedFirewall is what the cloud says about the managed firewall.
type ObservedFirewall struct {
	Found    bool
	ID       string
	Openings []Opening
	// Drifted says that something besides the openings differs from what is managed.
	Drifted bool
	Native  Native
}
