package openstack

import (
	"net/http"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/nova"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Descriptor returns the static facts of the provider.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name:              "openstack",
		Title:             "OpenStack",
		Status:            cloud.StatusAlpha,
		ProviderIDSchemes: []string{nova.Scheme},
		ProviderIDForm:    nova.Scheme + ":///<server id>",
		Capabilities: cloud.Capabilities{
			Balancers:     true,
			Routes:        true,
			Hostnames:     true,
			Protocols:     []cloud.Protocol{cloud.ProtocolTCP, cloud.ProtocolUDP, cloud.ProtocolSCTP},
			SourceRanges:  true,
			Immutable:     octavia.Immutable(),
			Fields:        serviceFields(),
			VersionStamps: true,
		},
		Limits:   cloud.Limits{PageSize: 1000, GetBatch: 1},
		Settings: config.Declared(),
		Secret:   "cloud-config",
		ConfigFile: &cloud.ConfigFile{
			Value: "cloudConf", Key: "cloud.conf", Required: true,
			Doc:  "The cloud.conf of the upstream CCM, unchanged.",
			Keys: config.Keys(),
		},
		IDAnnotation: option.IDAnnotation,
	}
}

// ReadOnly says which requests only read: logging in does, though its method is POST.
func ReadOnly(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead ||
		r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/auth/tokens")
}

// Annotations returns the provider's annotations.
func Annotations() annotation.Set { return option.All() }
