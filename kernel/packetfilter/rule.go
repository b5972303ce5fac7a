// Package packetfilter compares the rules that packet filters have, such as security groups, with those that they have to have. It
// does no I/O.
package packetfilter

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Rule lets packets through. Two are equal where they let the same through, however the cloud spells that: what a rule says is
// its key.
type Rule struct {
	// Egress is the direction: packets to the peer, and not from it.
	Egress bool
	// PortRange is -1 to -1 where any port is meant. With ICMP it is type and code.
	cloud.PortRange
	Peer Peer
	// Family is the ethertype, "" where the peer says it or the cloud does not distinguish.
	Family string
	// Copy counts the rules of a group that let the same through, in other spellings. The first one is 0.
	Copy int
}

var nativeRule cloud.NativeOf[Rule]

// Peer is who is at the other end of a rule: one of the three.
type Peer struct {
	// Network is a CIDR, see Network.
	Network string
	// Group is the id of a security group, or OwnGroup.
	Group string
	// List is the id of a list of networks.
	List string
}

// OwnGroup stands for the security group of the balancer itself, which may have to be made.
const OwnGroup = "own"

// Network returns the peer with a CIDR in its shortest form, without bits of a host. What is no CIDR stays as it is, and equals only itself.
func Network(text string) Peer {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		text = prefix.Masked().String()
	}
	return Peer{Network: text}
}

// IsIPv6 reports whether the peer is a network of IPv6.
func (p Peer) IsIPv6() bool { return strings.Contains(p.Network, ":") }

func (p Peer) String() string { return cmp.Or(p.Network, p.Group, p.List) }

// protocols are the numbers and further names of protocols.
var protocols = map[string]cloud.Protocol{
	"-1": cloud.ProtocolAll, "any": cloud.ProtocolAll, "1": cloud.ProtocolICMP, "6": cloud.ProtocolTCP, "17": cloud.ProtocolUDP,
	"58": cloud.ProtocolICMPv6, "ipv6-icmp": cloud.ProtocolICMPv6, "132": cloud.ProtocolSCTP,
}

// Protocol returns the protocol that an API spells in any case or as its number.
func Protocol(text string) cloud.Protocol {
	return cmp.Or(protocols[strings.ToLower(text)], cloud.ProtocolOf(text))
}

// All lets in everything from a peer.
func All(peer Peer) Rule { return Rule{PortRange: cloud.AllPorts(cloud.ProtocolAll), Peer: peer} }

// Port lets in what comes from a peer to a port.
func Port(protocol cloud.Protocol, port int, peer Peer) Rule {
	return Rule{PortRange: cloud.PortRange{Protocol: protocol, From: port, To: port}, Peer: peer}
}

// Fragmentation lets in what routers say of packets that are too large (RFC 1191, RFC 8201).
func Fragmentation(peer Peer) Rule {
	if peer.IsIPv6() {
		return Rule{PortRange: cloud.PortRange{Protocol: cloud.ProtocolICMPv6, From: 2, To: 0}, Peer: peer}
	}
	return Rule{PortRange: cloud.PortRange{Protocol: cloud.ProtocolICMP, From: 3, To: 4}, Peer: peer}
}

// String returns the rule for people: "tcp/80 from 0.0.0.0/0".
func (r Rule) String() string {
	words, preposition := []string{r.PortRange.String()}, "from"
	if r.Egress {
		words, preposition = []string{"egress", r.PortRange.String()}, "to"
	}
	if r.Family != "" {
		words = append(words, r.Family)
	}
	words = append(words, preposition, r.Peer.String())
	if r.Copy > 0 {
		words = append(words, fmt.Sprintf("(copy %d)", r.Copy))
	}
	return strings.Join(words, " ")
}
