//go:build !slim || digitalocean

package compiled

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
)

func init() {
	registry.Register(registry.Provider{
		Descriptor: digitalocean.Descriptor(), New: digitalocean.New, Check: digitalocean.Check, Annotations: digitalocean.Annotations(), ReadOnly: digitalocean.ReadOnly,
		Upstream: digitalocean.Upstream(), SourceRanges: digitalocean.SourceRanges(),
	})
}
