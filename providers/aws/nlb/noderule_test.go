package nlb

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
)

// Where nodes do not see clients, the ports of nodes are opened to the balancer's subnets and not to the clients: at a switch
// upstream's rules for clients go.
func TestRulesOfNodesThatDoNotSeeClients(t *testing.T) {
	for preserve, want := range map[string]map[string]string{
		"true":  {"203.0.113.0/24": ruleClient + "web"},
		"false": {"10.0.0.0/24": ruleHealth + "web"},
	} {
		b := cloud.Balancer{Allow: []string{"203.0.113.0/24"}, Listeners: []cloud.Listener{{
			Protocol: cloud.ProtocolTCP, TargetProtocol: cloud.ProtocolTCP, Port: 80, TargetPort: 30080,
			Health:         &cloud.Health{Port: 10256},
			ProviderFields: map[string]string{balancer.FieldPreserve: preserve},
		}}}
		needs := nodeNeeds("web", b, []string{"10.0.0.0/24"}, nil)
		got := map[string]string{}
		for rule, attributes := range needs.Rules {
			if rule.From == 30080 {
				got[rule.Peer.Network] = attributes.Description
			}
		}
		for network, description := range want {
			if got[network] != description || len(got) != len(want) {
				t.Errorf("preserve_client_ip.enabled=%s: %v, want %v", preserve, got, want)
			}
		}
	}
}
