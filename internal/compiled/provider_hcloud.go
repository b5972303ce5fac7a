//go:build !slim || hcloud

package compiled

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
)

func init() {
	registry.Register(registry.Provider{
		Descriptor: hcloud.Descriptor(), New: hcloud.New, Check: hcloud.Check, Annotations: hcloud.Annotations(), Throttled: hcloud.Throttled, API: hcloud.API,
		Upstream: hcloud.Upstream(),
	})
}
