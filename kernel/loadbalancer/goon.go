package loadbalancer

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// restAge is for how long what was seen of a balancer serves the steps of a change of its targets. Then it is
// looked at again, in the midst of the change.
const restAge = 30 * time.Second

// restOf returns what is left of a change that goes on, nil where the next step needs another look at the
// balancer. Only the steps of targets need none: they depend on nothing but each other.
func restOf(d decide.Decision, request string, p cloud.Progress) *state.Rest {
	if p.Rest == nil || !d.Change.Before.Found || d.Change.After == nil || d.Rewrites() || d.Err != nil {
		return nil
	}
	return &state.Rest{Before: d.Change.Before, Seen: time.Now(), After: *d.Change.After, Request: request, Steps: p.Rest}
}

// goOn makes the next step of a change of targets when the operations of the last one have ended well, without
// another look at the balancer. It returns nil where nothing is left, or something else is wanted by now: then the
// balancer is looked at.
func (p *pipeline) goOn(ctx context.Context, nodes []*corev1.Node) error {
	rest := p.state.Rest
	p.state.Rest = nil
	if rest == nil || rest.Request != p.Fingerprint || time.Since(rest.Seen) > restAge || p.manager.owners.Gone(p.Service) {
		return nil
	}
	c := p.candidates(ctx, nodes)
	d := p.proven(ctx, &c, func(c target.Candidates) decide.Decision { return p.policy.Retarget(rest.Before.Resolve(c.Targets), c) })
	if d.Err != nil || len(difference.Of(rest.After, *d.Change.After)) > 0 {
		return nil
	}
	d.Change.Rest = rest.Steps
	progress, err := p.execute(ctx, d)
	if next := p.state.Rest; next != nil {
		next.Seen = rest.Seen
	}
	switch {
	case err != nil:
		return p.failed(ctx, err)
	case progress.Pending:
		return waitFor(progress, waiting)
	}
	return nil
}
