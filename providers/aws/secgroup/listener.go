package secgroup

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// ForListeners are the rules of a balancer's own security group: whoever may connect reaches its listeners.
func ForListeners(b cloud.Balancer) packetfilter.Rules {
	rules := packetfilter.Rules{}
	for _, source := range b.Allow {
		peer := Peer(source)
		rules.Add(packetfilter.Fragmentation(peer), "")
		for _, l := range b.Listeners {
			for _, transport := range Transports(l.Protocol) {
				rules.Add(packetfilter.Port(transport, l.Port, peer), "")
			}
		}
	}
	return rules
}

// Peer returns who a text means: a security group, a prefix list or a network. It is the inverse of packetfilter.Peer.String.
func Peer(text string) packetfilter.Peer {
	switch {
	case strings.HasPrefix(text, "sg-"):
		return packetfilter.Peer{Group: text}
	case strings.HasPrefix(text, "pl-"):
		return packetfilter.Peer{List: text}
	}
	return packetfilter.Network(text)
}

// Transports are the protocols of packets that a listener or target takes.
func Transports(p cloud.Protocol) []cloud.Protocol {
	switch p {
	case cloud.ProtocolUDP:
		return []cloud.Protocol{cloud.ProtocolUDP}
	case option.ProtocolBoth:
		return []cloud.Protocol{cloud.ProtocolTCP, cloud.ProtocolUDP}
	}
	return []cloud.Protocol{cloud.ProtocolTCP}
}
