package digitalocean

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// scheme is the scheme of provider-IDs.
const scheme = "digitalocean"

// idAnnotation records the id of a Service's balancer, as the upstream CCM did.
const idAnnotation = "kubernetes.digitalocean.com/load-balancer-id"

// Fields only this cloud's balancers have, beside the portable ones.
const (
	fieldType             = "type"
	fieldVPC              = "vpc"
	fieldSubnet           = "subnet"
	fieldIP               = "ip"
	fieldSize             = "size"
	fieldTargetTag        = "targetTag"
	fieldProxyProtocol    = "proxyProtocol"
	fieldBackendKeepalive = "backendKeepalive"
	fieldRedirect         = "redirectHTTPToHTTPS"
	fieldNoDNSRecords     = "disableLetsEncryptDNSRecords"
	fieldIdleTimeout      = "idleTimeout"
	fieldSticky           = "stickySessions"
)

// Fields only this cloud's listeners and health checks have.
const (
	fieldCertificate = "certificate"
	fieldPassthrough = "passthrough"
	fieldHealthProxy = "proxyProtocol"
)

// Descriptor returns the static facts of the provider. The limits are the published ones
// of the public API, per token.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name:              "digitalocean",
		Title:             "DigitalOcean",
		Status:            cloud.StatusAlpha,
		ProviderIDSchemes: []string{scheme},
		ProviderIDForm:    scheme + "://<droplet id>",
		Capabilities: cloud.Capabilities{
			Balancers:    true,
			Firewalls:    true,
			Protocols:    []cloud.Protocol{cloud.ProtocolTCP, cloud.ProtocolUDP},
			SourceRanges: true,
			// Three of a firewall's rules let everything out.
			FirewallRules:   maxFirewallRules - len(outbound()),
			FirewallSources: maxFirewallSources,
			Immutable: []string{
				fieldType, cloud.FieldScope, cloud.FieldDualStack, fieldVPC, fieldSubnet, fieldIP,
			},
		},
		Limits: cloud.Limits{
			PageSize:          maxPage,
			GetBatch:          1,
			RequestsPerHour:   5000,
			RequestsPerMinute: 250,
			QPSSetting:        envQPS,
		},
		Settings:     declaredSettings(),
		Secret:       "digitalocean",
		IDAnnotation: idAnnotation,
	}
}
