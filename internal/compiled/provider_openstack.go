//go:build !slim || openstack

package compiled

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack"
)

func init() {
	registry.Register(registry.Provider{
		Descriptor: openstack.Descriptor(), New: openstack.New, Check: openstack.Check, Annotations: openstack.Annotations(), ReadOnly: openstack.ReadOnly,
		Upstream: openstack.Upstream(), SourceRanges: openstack.SourceRanges(),
	})
}
