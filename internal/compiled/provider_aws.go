//go:build !slim || aws

package compiled

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws"
)

func init() {
	registry.Register(registry.Provider{
		Descriptor: aws.Descriptor(), New: aws.New, Check: aws.Check, Annotations: aws.Annotations(), ReadOnly: aws.ReadOnly,
		Throttled: aws.Throttled, API: aws.API, Upstream: aws.Upstream(), SourceRanges: aws.SourceRanges(),
	})
}
