package loadbalancer

import (
	"cmp"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// restAge is for how long what was seen of a balancer serves the steps of its change. Then it is looked at again, in the
// midst of the change.
const restAge = time.Minute

// restOf returns what is left of a change that goes on, nil where the balancer has to be looked at first:
//
//	change                                          the next step needs a look
//	of a replacement, or beside another balancer    yes: it depends on both
//	takes a balancer over                           yes: somebody else may do so too
//	leaves out what the Service asks for            yes
//	any other                                       where the answers to it do not say enough, see cloud.Progress
func (p *pipeline) restOf(d decide.Decision, progress cloud.Progress) *state.Rest {
	second := p.Replacing != nil || d.Replaces || d.Change.Replaced || d.Change.Spec.Beside != nil
	takesOver := d.Adopts() && d.Change.Before.Found && !d.Change.Before.Shared
	if progress.Rest == nil && progress.Told == nil || second || takesOver || d.Err != nil {
		return nil
	}
	return &state.Rest{Change: d.Change, Request: p.Fingerprint, Seen: p.seen, Steps: progress.Rest, Told: progress.Told}
}

// takeRest returns what is left of the last change, nil where the Service asks for something else, or what was seen is too old.
// Nobody else changes a balancer that was made a moment ago, or is gone.
func (p *pipeline) takeRest() *state.Rest {
	rest := p.state.Rest
	p.state.Rest = nil
	if rest == nil || rest.Request != p.Fingerprint {
		return nil
	}
	before := rest.Change.Before
	other := p.Recorded != "" && p.Recorded != cmp.Or(before.ID, p.state.Created)
	gone := rest.Told != nil && !rest.Told.Found
	if other || before.Found && !gone && time.Since(rest.Seen) > restAge {
		return nil
	}
	return rest
}

// goOn makes the next step of a change when the operations of the last one have ended well, without another look at the
// balancer. It returns nil where something else is wanted by now, and where nothing is left: then the balancer is looked at,
// unless the answers told what it is.
func (p *pipeline) goOn(ctx context.Context, nodes []*corev1.Node) error {
	rest := p.takeRest()
	if rest == nil || rest.Change.After == nil || p.manager.owners.Gone(p.Service) {
		return nil
	}
	c := p.candidates(ctx, nodes)
	d := p.proven(ctx, &c, func(c target.Candidates) decide.Decision {
		return p.policy.Decide(decide.Finding{Observed: rest.Change.Before}, c)
	})
	if d.Err != nil || d.Change.After == nil || len(difference.Of(*rest.Change.After, *d.Change.After)) > 0 {
		return nil
	}
	if rest.Told != nil {
		p.told = rest.Told
		return nil
	}
	d.Change.Rest, p.seen = rest.Steps, rest.Seen
	progress, err := p.execute(ctx, d)
	p.seen = p.began
	switch told := progress.Observed; {
	case err != nil:
		return p.failed(ctx, err)
	case progress.Pending:
		return p.waitFor(progress, waiting)
	case told != nil && told.State == cloud.BalancerActive:
		p.told = told
	}
	return nil
}
