package aws

import (
	"context"
	"maps"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws"
)

// network is the driver for Services that ask for a network load balancer.
type network struct{ *aws.Driver }

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

func (n *network) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return n.Driver.Observe(ctx, asking(in))
}

func (n *network) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	return n.Driver.Normalize(asking(in))
}

func (n *network) Resources(ctx context.Context, change cloud.Change) (cloud.Resources, error) {
	change.Input = asking(change.Input)
	return n.Driver.Resources(ctx, change)
}
