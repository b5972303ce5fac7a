package aws

import (
	"context"
	"maps"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws"
)

// network is the driver for Services that ask for a network load balancer.
type network struct{ *aws.Driver }

func asking(spec cloud.Spec) cloud.Spec {
	if _, said := spec.Options[prefix+"type"]; !said {
		spec.Options = maps.Clone(spec.Options)
		if spec.Options == nil {
			spec.Options = map[string]string{}
		}
		spec.Options[prefix+"type"] = "nlb"
	}
	return spec
}

func (n *network) Observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	return n.Driver.Observe(ctx, asking(spec))
}

func (n *network) Normalize(spec cloud.Spec) (cloud.Balancer, []cloud.Warning, error) {
	return n.Driver.Normalize(asking(spec))
}

func (n *network) Resources(ctx context.Context, change cloud.Change) (cloud.Resources, error) {
	change.Spec = asking(change.Spec)
	return n.Driver.Resources(ctx, change)
}
