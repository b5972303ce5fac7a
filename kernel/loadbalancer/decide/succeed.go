package decide

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// succeed leads to the new balancer while the present one serves:
//
//	new balancer                       decision
//	not there                          make it
//	failed, or differs for good        delete it
//	differs                            differences
//	as it was asked for, and serves    the Service is told
func (p Policy) succeed(s desired, f Finding, c target.Candidates) Decision {
	next := f.Successor.Resolve(c.Targets)
	spec := p.Complete(next, c)
	spec.Beside = &f.Observed
	ns, err := desiredOf(p.Cloud.Balancers, spec, next, p.Cloud.Descriptor.Capabilities.Immutable)
	if err != nil {
		return p.kept(s, f.Observed, c, p.Respell(problem.Unjoin(err)))
	}
	after, _, warnings := p.selectTargets(ns.possible, next, c)
	var d Decision
	switch {
	case !next.Found:
		d = p.Decision(spec, next, &after, besideOperations(s, f.Observed, after))
		d.Change.Operations = d.Change.Operations[:1]
		d.Question = &question{Spec: spec, Refused: func(problems []problem.Problem) Decision {
			return p.kept(s, f.Observed, c, problems)
		}}
	case next.State == cloud.BalancerFailed, len(ns.blocked) > 0:
		d = p.Decision(spec, next, nil, []cloud.Operation{difference.Removal(next, "it cannot take the place of the present balancer; another one is made")})
		d.Change.Replaced = true
	default:
		d = p.Decision(spec, next, &after, difference.Order(difference.Of(next.Balancer, after)))
		d.Whole = true
	}
	d.Warnings, d.Err, d.Succeeds = warnings, c.Err, true
	present := p.adjust(s, f.Observed, c)
	d.Meanwhile, d.Held = &present, present.Held
	return d
}
