package loadbalancer

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// check returns the decision, or another one where the cloud would refuse the balancer. It only
// reads, and only where a balancer is to be made, or would be if nothing else were wrong.
func (p *pipeline) check(ctx context.Context, d decide.Decision) (decide.Decision, error) {
	checker := p.manager.cloud.Checker
	if checker == nil || d.Question == nil {
		return d, nil
	}
	err := checker.Check(ctx, d.Question.Input, d.Question.Before)
	switch {
	case err == nil:
		return d, nil
	case !isRefusal(err) && d.Err != nil: // what is known is said
		d.Unanswered = true
		return d, nil
	case !isRefusal(err):
		return d, err // nothing is known
	}
	return d.Question.Refused(p.Respell(problem.Unjoin(err))), nil
}

// compareResources returns the decision with the differences of single resources, where the portable
// view shows none: such as a rule of a security group that somebody has deleted. Only clouds whose
// load balancers consist of several resources have any.
func (p *pipeline) compareResources(ctx context.Context, d decide.Decision) (decide.Decision, error) {
	planner, before := p.manager.cloud.Planner, d.Change.Before
	equal := d.Whole && !d.OwnershipTagsWait && !d.TargetsWait && before.Found && d.Change.After != nil && len(d.Change.Operations) == 0
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

// candidates makes the machines behind the nodes the candidates.
func (p *pipeline) candidates(ctx context.Context, nodes []*corev1.Node) target.Candidates {
	c := p.manager.nodes.Candidates(ctx, nodes, p.Selector)
	p.Input.Candidates, p.recheckMachines, p.machines = c.Targets, c.Again, machines(c)
	// The Nodes that are offered are not new ones when only their readiness has changed.
	p.unready = slices.ContainsFunc(slices.Concat(nodes, p.manager.nodes.Nodes()), func(node *corev1.Node) bool { return !instance.Ready(node) })
	return c
}

// proven decides, and looks for proof where targets would stay for want of it, which the candidates
// keeps.
func (p *pipeline) proven(ctx context.Context, c *target.Candidates, choose func(target.Candidates) decide.Decision) decide.Decision {
	d := choose(*c)
	if len(d.Held) == 0 {
		return d
	}
	*c = p.manager.nodes.Prove(ctx, *c, d.Held)
	return choose(*c)
}
