package digitalocean

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/firewall"
)

// SourceRanges says who enforces source ranges. They are allow rules of each balancer. What passes packets through needs the nodes to be
// open, and a managed firewall opens them for the same networks.
func SourceRanges() []cloud.Enforcement {
	var all []cloud.Enforcement
	for _, kind := range []string{config.TypeRegional, config.TypeNetwork} {
		b := cloud.Balancer{
			Scope: cloud.ScopeExternal, DualStack: true, ProviderFields: map[string]string{object.FieldType: kind},
			Listeners: []cloud.Listener{{Protocol: cloud.ProtocolTCP, Port: 80, TargetPort: 80}},
		}
		clients, _ := desired.Rules{}.Families(cloud.Input{}, b)
		all = append(all, cloud.Enforcement{Balancer: kind, By: cloud.EnforcedByBalancer, Clients: clients})
		if len((&firewall.Firewalls{}).BalancerOpenings(b, "")) > 0 {
			all = append(all, cloud.Enforcement{Balancer: kind + ", `" + config.EnvFirewallName + "`", By: cloud.EnforcedByFirewall, Clients: clients})
		}
	}
	return all
}
