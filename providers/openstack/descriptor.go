package openstack

import (
	"net/http"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// scheme is the scheme of provider-IDs.
const scheme = "openstack"

// idAnnotation records the id of a Service's balancer, as the upstream CCM does.
const idAnnotation = "loadbalancer.openstack.org/load-balancer-id"

// Descriptor returns the static facts of the provider.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name:              "openstack",
		Title:             "OpenStack",
		Status:            cloud.StatusAlpha,
		ProviderIDSchemes: []string{scheme},
		ProviderIDForm:    scheme + ":///<server id>",
		Capabilities: cloud.Capabilities{
			Balancers:    true,
			Routes:       true,
			Protocols:    []cloud.Protocol{cloud.ProtocolTCP, cloud.ProtocolUDP, cloud.ProtocolSCTP},
			SourceRanges: true,
			Immutable: []string{
				fieldProvider, fieldFlavor, fieldZone, fieldSubnet, fieldNetwork, fieldPort, fieldAddress, fieldFloatingIP, cloud.FieldDualStack,
			},
		},
		Limits:   cloud.Limits{PageSize: 1000, GetBatch: 1},
		Settings: declaredSettings(),
		Secret:   "cloud-config",
		ConfigFile: &cloud.ConfigFile{
			Value: "cloudConf", Key: "cloud.conf", Required: true,
			Doc:  "The cloud.conf of the upstream CCM, unchanged.",
			Keys: configKeys(),
		},
		IDAnnotation: idAnnotation,
	}
}

// ReadOnly says which requests only read: logging in does, though its method is POST.
func ReadOnly(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead ||
		r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/auth/tokens")
}
