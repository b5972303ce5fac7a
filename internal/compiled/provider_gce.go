//go:build !slim || gce

package compiled

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/providers/gce"
)

func init() {
	registry.Register(registry.Provider{
		Descriptor: gce.Descriptor(), New: gce.New, Check: gce.Check, ReadOnly: gce.ReadOnly, Throttled: gce.Throttled,
		API: gce.API, Upstream: gce.Upstream(),
	})
}
