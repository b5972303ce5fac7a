package loadbalancer

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
)

// compareResources returns the decision with the differences of single resources, where the portable
// view shows none: such as a rule of a security group that somebody has deleted. Only clouds whose
// load balancers consist of several resources have any.
func (p *pipeline) compareResources(ctx context.Context, d decide.Decision) (decide.Decision, error) {
	planner, before := p.manager.cloud.Planner, d.Change.Before
	equal := d.Whole && !d.MarksWait && before.Found && d.Change.After != nil && len(d.Change.Operations) == 0
	if planner == nil || !equal || before.State == cloud.BalancerFailed {
		return d, nil
	}
	steps, err := planner.Steps(ctx, d.Change)
	if err != nil || len(steps) == 0 {
		return d, err
	}
	d.Plan.Operations = append(d.Plan.Operations, steps...)
	d.Change.Operations = steps
	return p.policy.Restrain(d), nil
}
