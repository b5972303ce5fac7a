package loadbalancer

import (
	"cmp"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// restAge is for how long what was seen of a balancer serves the steps of its change. Then it is looked at again, in
// the midst of the change.
const restAge = time.Minute

// madeAge is the same for a balancer that was just made. A virtual machine that serves as one can take minutes to start, and nobody
// else knows of it before.
const madeAge = 15 * time.Minute

// restOf returns what is left of a change that goes on, nil where the next step needs another look at the balancer:
//
//	change                                 the next step needs a look
//	leaves out what the Service asks for   yes
//	is about targets alone                 no: they depend on nothing but each other
//	makes the balancer                     unless it settles, and the answer said what the step needs
//	belongs to a replacement               yes: it depends on two balancers
//	takes a balancer over                  yes: somebody else may do so too
//	any other                              unless the balancer settles, see cloud.ResourceKind
func (p *pipeline) restOf(d decide.Decision, progress cloud.Progress) *state.Rest {
	change := d.Change
	targets := change.After != nil && change.Before.Found && !d.Rewrites()
	replaces := p.Replacing != nil || d.Replaces || change.Replaced || change.Input.Beside != nil
	takesOver := d.Adopts() && !change.Before.Shared
	settles := progress.Settles && !replaces && !takesOver
	if progress.Rest == nil || d.Err != nil || !targets && !settles {
		return nil
	}
	return &state.Rest{Change: change, Request: p.Fingerprint, Seen: time.Now(), Steps: progress.Rest}
}

// takeRest returns what is left of the last change, nil where the balancer has to be looked at first: the Service asks for
// something else or names another balancer, or what was seen is too old.
func (p *pipeline) takeRest() *state.Rest {
	rest := p.state.Rest
	p.state.Rest = nil
	if rest == nil || rest.Request != p.Fingerprint {
		return nil
	}
	age := restAge
	if !rest.Change.Before.Found {
		age = madeAge
	}
	if time.Since(rest.Seen) > age {
		return nil
	}
	if p.Recorded != "" && p.Recorded != cmp.Or(rest.Change.Before.ID, p.state.Created) {
		return nil
	}
	return rest
}

// goOn makes the next step of a change when the operations of the last one have ended well, without another look at
// the balancer. It returns nil where nothing is left, or something else is wanted by now: then the balancer is looked at.
func (p *pipeline) goOn(ctx context.Context, nodes []*corev1.Node) error {
	rest := p.takeRest()
	if rest == nil || rest.Change.After == nil || p.manager.owners.Gone(p.Service) {
		return nil
	}
	c, before := p.candidates(ctx, nodes), rest.Change.Before
	rewrites := decide.Decision{Change: rest.Change}.Rewrites()
	d := p.proven(ctx, &c, func(c target.Candidates) decide.Decision {
		if before.Found && !rewrites {
			return p.policy.Retarget(before.Resolve(c.Targets), c)
		}
		return p.policy.Choose(decide.Finding{Observed: before}, c)
	})
	if d.Err != nil || d.Change.After == nil || len(difference.Of(*rest.Change.After, *d.Change.After)) > 0 {
		return nil
	}
	progress, err := p.step(ctx, rest)
	if err != nil {
		if again := p.refusedTargets(rest.Change, err); again != nil {
			return again
		}
	}
	switch {
	case cloud.IsClass(err, cloud.FailureConflict), !before.Found && isRefusal(err): // what is refused of a new balancer is said after a look
		return nil
	case err != nil:
		return p.partly(ctx, progress, err)
	case progress.Pending:
		return waitFor(progress, waiting)
	}
	return nil
}

// isRefusal reports whether the cloud will say the same to the same request.
func isRefusal(err error) bool {
	class := cloud.FailureOf(err).Class
	return class == cloud.FailureInvalid || class == cloud.FailureQuota || class == cloud.FailureNotFound
}

// step makes the next step of what is left of a change. A conflict says that somebody else has changed something since.
func (p *pipeline) step(ctx context.Context, rest *state.Rest) (cloud.Progress, error) {
	change := rest.Change
	d := p.policy.Decision(change.Input, change.Before, change.After, change.Operations)
	d.Change.Rest = rest.Steps
	progress, err := p.execute(ctx, d)
	p.say(problem.OfDriver(progress.Warnings)...)
	if left := p.state.Rest; left != nil {
		left.Seen = rest.Seen
	}
	return progress, err
}
