package decide

import (
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// succeed leads to the new balancer while the present one serves:
//
//	new balancer                       decision
//	not there                          make it
//	failed, or differs for good        delete it
//	differs                            differences
//	as it was asked for, and serves    the Service is told
func (c Case) succeed(s desired, observed cloud.Observed) Decision {
	candidates := c.Facts.Candidates
	next := c.Facts.Successor.Resolve(candidates.Targets)
	in := c.Complete(next, candidates.Targets)
	in.Beside = c.Facts.Balancer
	ns, err := c.desired(in, next)
	if err != nil {
		return c.kept(s, observed, c.Asked.Respell(problem.Unjoin(err)))
	}
	after, _, warnings := c.selectTargets(ns.possible, next, candidates)
	d := Decision{Warnings: warnings, Err: candidates.Err}
	b := Beside{Present: c.adjust(s, observed)}
	switch refused := c.Facts.refused(); {
	case !next.Found && len(refused) > 0:
		return c.kept(s, observed, refused)
	case !next.Found:
		b.Change, d.Plan = c.change(in, next, &after, besideOperations(s, observed, after))
		b.Operations = b.Operations[:1]
		d.question = &Look{Fact: FactAnswer, Input: in}
	case next.State == cloud.BalancerFailed, len(ns.blocked) > 0:
		b.Change, d.Plan = c.removal(in, next, "it cannot take the place of the present balancer; another one is made")
		b.Replaced = true
	default:
		b.Change, d.Plan = c.change(in, next, &after, difference.Order(difference.Of(next.Balancer, after)))
	}
	d.Action = b
	return d
}

func besideOperations(s desired, observed cloud.Observed, after cloud.Balancer) []cloud.Operation {
	made := difference.Creation(after)
	for _, op := range s.blocked {
		made.Reason += fmt.Sprintf("%s can only change from %q to %q on a new balancer; ", op.Field, op.Before, op.After)
	}
	made.Reason += annotation.AllowReplacement.Name + " is set; the present balancer serves until the new one does"
	return []cloud.Operation{made, difference.Removal(observed, "once the new balancer serves")}
}
