package digitalocean

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/droplet"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/firewall"
)

// Descriptor returns the static facts of the provider. The limits are the published ones
// of the public API, per token.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name:              "digitalocean",
		Title:             "DigitalOcean",
		Status:            cloud.StatusAlpha,
		ProviderIDSchemes: []string{droplet.Scheme},
		ProviderIDForm:    droplet.Scheme + "://<droplet id>",
		Capabilities: cloud.Capabilities{
			Balancers:    true,
			Firewalls:    true,
			Protocols:    []cloud.Protocol{cloud.ProtocolTCP, cloud.ProtocolUDP},
			SourceRanges: true,
			// The answer 204 comes when it is gone.
			DeletesAtOnce: true,
			// Three of a firewall's rules let everything out.
			FirewallRules:   firewall.MaxFirewallRules - len(firewall.Outbound()),
			FirewallSources: firewall.MaxFirewallSources,
			Fields:          desired.Fields(),
			Immutable:       append([]string{cloud.FieldScope, cloud.FieldDualStack}, object.Immutable()...),
		},
		Limits: cloud.Limits{
			PageSize:          api.MaxPage,
			GetBatch:          1,
			RequestsPerHour:   5000,
			RequestsPerMinute: 250,
			QPSSetting:        config.EnvQPS,
		},
		Settings:     config.Declared(),
		Secret:       "digitalocean",
		IDAnnotation: option.IDAnnotation,
	}
}
