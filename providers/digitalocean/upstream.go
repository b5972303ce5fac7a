package digitalocean

import (
	"net/netip"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Upstream says what is otherwise here than in DigitalOcean's own controller manager.
func Upstream() cloud.Upstream {
	return cloud.Upstream{
		Name:  "digitalocean-cloud-controller-manager",
		Guide: "docs/how-to/migrate-digitalocean.md",
		Differences: []cloud.Difference{
			{
				ID: "digitalocean-type", Anchor: "the-annotation-of-the-type", Service: otherType,
				Text: "its annotation asks for another type than its load balancer has: upstream overwrites the annotation, here it is left and said to have no effect",
			},
			{
				ID: "digitalocean-certificate-name", Anchor: "certificates-by-name", Service: certificateByName,
				Text: "its certificate is named: after a renewal upstream adds the annotation certificate-id, here the name stays the only one",
			},
			{
				ID: "digitalocean-dual-stack", Anchor: "nodes-behind-two-address-families", Service: dualStackNetwork,
				Text: "its load balancer has both address families and passes packets through: a Node without a public IPv6 address is left out, and said",
			},
			{
				ID: "digitalocean-client-networks", Anchor: "clients-and-the-firewall", Service: restrictedNetwork,
				Text: "with a managed firewall its ports are open on the nodes for its client networks only; upstream opens them to everyone",
			},
			{
				ID: "digitalocean-node-named-by-address", Anchor: "nodes-that-upstream-does-not-find", Node: namedByAddress,
				Text: "its name is an address: upstream never finds its droplet, here it is looked for among all addresses",
			},
			{
				ID: "digitalocean-no-private-address", Anchor: "nodes-that-upstream-does-not-find", Node: withoutPrivateAddress,
				Text: "its droplet has no private IPv4 address: upstream has an error for it, here it is a Node like others",
			},
		},
	}
}

func otherType(spec cloud.Spec, b cloud.Observed) bool {
	asked := option.Type.In(spec.Options)
	return b.Found && asked != "" && asked != b.Balancer.ProviderFields[object.FieldType]
}

func certificateByName(spec cloud.Spec, b cloud.Observed) bool {
	return b.Found && option.CertificateName.In(spec.Options) != "" && option.CertificateID.In(spec.Options) == "" && b.Balancer.ProviderFields[object.FieldType] == config.TypeRegional
}

func dualStackNetwork(_ cloud.Spec, b cloud.Observed) bool {
	return b.Found && b.Balancer.DualStack && b.Balancer.ProviderFields[object.FieldType] == config.TypeNetwork
}

func restrictedNetwork(_ cloud.Spec, b cloud.Observed) bool {
	return b.Found && b.Balancer.ProviderFields[object.FieldType] == config.TypeNetwork && b.Balancer.Scope == cloud.ScopeExternal && len(b.Balancer.Allow) > 0
}

func namedByAddress(name, providerID string, _ cloud.Instance) bool {
	_, err := netip.ParseAddr(name)
	return err == nil && providerID == ""
}

func withoutPrivateAddress(_, _ string, machine cloud.Instance) bool {
	private, _ := machine.Target("").Families(cloud.AddressInternalIP)
	return machine.ID != "" && !private
}
