package loadbalancer

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// compareResources returns the decision with the differences of single resources, where the portable
// view shows none: such as a rule of a security group that somebody has deleted. Only clouds whose
// load balancers consist of several resources have any.
func (p *pipeline) compareResources(ctx context.Context, d decision) (decision, error) {
	planner, before := p.manager.cloud.Planner, d.change.Before
	equal := d.whole && !d.marksWait && before.Found && d.change.After != nil && len(d.change.Operations) == 0
	if planner == nil || !equal || before.State == cloud.BalancerFailed {
		return d, nil
	}
	steps, err := planner.Steps(ctx, d.change)
	if err != nil || len(steps) == 0 {
		return d, err
	}
	d.plan.Operations = append(d.plan.Operations, steps...)
	d.change.Operations = steps
	return p.restrain(d), nil
}
