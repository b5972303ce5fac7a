package secgroup

import (
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
