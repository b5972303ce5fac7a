package nlb

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// Descriptions of the rules for network balancers on the security groups of nodes, as upstream
// writes them; the first two end with the balancer's name.
const (
	ruleClient = "kubernetes.io/rule/nlb/client="
	ruleHealth = "kubernetes.io/rule/nlb/health="
	ruleMTU    = "kubernetes.io/rule/nlb/mtu"
)

// nodeNeeds are the rules of the nodes' security groups for a network balancer of that name and
// shape. Ranges are the networks of its subnets.
//
//	packets               come from              rule
//	of clients, kept      the clients (Allow)    ruleClient, and ruleMTU for each of these
//	of clients, replaced  the balancer's subnets ruleHealth
//	of health checks      the balancer's subnets ruleHealth, unless everyone may connect there
func nodeNeeds(name string, b cloud.Balancer, ranges, groups []string) packetfilter.Needs {
	n := packetfilter.Needs{Groups: groups, Rules: packetfilter.Rules{}, Optional: packetfilter.Rules{}}
	client, health := ruleClient+name, ruleHealth+name
	for _, l := range b.Listeners {
		for _, transport := range secgroup.Transports(l.TargetProtocol) {
			if l.ProviderFields[balancer.FieldPreserve] != "true" {
				open(n.Rules, transport, l.TargetPort, ranges, health)
				continue
			}
			open(n.Rules, transport, l.TargetPort, b.Allow, client)
			if b.DualStack { // the balancer stands in for IPv6 clients
				open(n.Rules, transport, l.TargetPort, ranges, health)
			}
			for _, source := range b.Allow {
				n.Rules.Add(packetfilter.Fragmentation(secgroup.Peer(source)), ruleMTU)
			}
		}
	}
	for _, l := range b.Listeners {
		port := l.TargetPort
		if l.Health != nil && l.Health.Port != 0 {
			port = l.Health.Port
		}
		rules := n.Rules
		if _, everyone := rules[packetfilter.Port(cloud.ProtocolTCP, port, packetfilter.Network(balancer.Everyone))]; everyone {
			rules = n.Optional
		}
		open(rules, cloud.ProtocolTCP, port, ranges, health)
	}
	n.Mine = func(all packetfilter.Rules, r packetfilter.Rule, description string) bool {
		return description == client || description == health || description == ruleMTU && onlyOf(client, all, r.Peer)
	}
	return n
}

// open adds rules that are not there yet.
func open(rules packetfilter.Rules, transport cloud.Protocol, port int, sources []string, description string) {
	for _, source := range sources {
		rules.Add(packetfilter.Port(transport, port, secgroup.Peer(source)), description)
	}
}

// onlyOf reports whether of all network balancers this one alone lets clients of a source in.
func onlyOf(client string, all packetfilter.Rules, source packetfilter.Peer) bool {
	var ours, others bool
	for other, attributes := range all {
		words := attributes.Description
		ours = ours || other.Peer == source && words == client
		others = others || other.Peer == source && words != client && strings.HasPrefix(words, ruleClient)
	}
	return ours && !others
}
