package aws

import (
	"context"
	"maps"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// network is what writes balancers, of Services that ask for a network load balancer.
type network struct{ cloud.Composite }

func asking(in cloud.Input) cloud.Input {
	if _, said := in.Options[prefix+"type"]; !said {
		in.Options = maps.Clone(in.Options)
		if in.Options == nil {
			in.Options = map[string]string{}
		}
		in.Options[prefix+"type"] = "nlb"
	}
	return in
}

func (n network) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return n.Composite.Observe(ctx, asking(in))
}

func (n network) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	return n.Composite.Normalize(asking(in))
}

func (n network) Resources(ctx context.Context, change cloud.Change) (cloud.Resources, error) {
	change.Input = asking(change.Input)
	return n.Composite.Resources(ctx, change)
}
