package loadbalancer

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// candidates makes the machines behind the nodes the candidates.
func (p *pipeline) candidates(ctx context.Context, nodes []*corev1.Node) target.Candidates {
	c := p.manager.nodes.Candidates(ctx, nodes, p.Selector)
	p.Spec.Candidates = c.Targets
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
