package decide

import (
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/replacement"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// replace puts another balancer in the place of this one, because an immutable field has to change.
// The same request never replaces a second balancer: it would go on for ever.
//
//	annotation             the new balancer       decision
//	this request, other id -                      differences only: it was done, or tried
//	none, other request    -                      write it
//	this request           is made after          delete the present one
//	this request           is made beside         see succeed
func (c Case) replace(s desired, observed cloud.Observed) Decision {
	r := c.Asked
	if r.Begun && r.Replacing.Of != observed.ID {
		d := c.adjust(s, observed)
		d.Warnings = append(d.Warnings, c.triedBefore())
		return d
	}
	in := c.Complete(observed, c.Facts.Candidates.Targets)
	beside, why := c.wayOf(in, observed)
	after, _, warnings := c.selectTargets(s.wanted, cloud.Observed{}, c.Facts.Candidates)
	switch refused := c.Facts.refused(); {
	case len(after.Targets) == 0:
		return c.adjust(s, observed)
	case c.Facts.Successor != nil:
		return c.succeed(s, observed)
	case len(refused) > 0:
		return c.kept(s, observed, refused)
	}
	operations := []cloud.Operation{replacedRemoval(s, observed, why), difference.Creation(after)}
	if beside {
		operations = besideOperations(s, observed, after)
	}
	a := Replace{beside: beside}
	d := Decision{Warnings: warnings, question: &Look{Fact: FactAnswer, Input: in}}
	a.Change, d.Plan = c.change(in, observed, nil, operations)
	a.Operations, a.Replaced = a.Operations[:1], true
	if !r.Begun {
		begun := replacement.Record{Request: r.Fingerprint, Of: observed.ID, Was: preserved(observed.Balancer, c.Cloud.Descriptor.Capabilities.Immutable)}
		a.Begins = begun.Annotation()
	}
	if !beside {
		d.question.Before = observed
	}
	d.Action = a
	return d
}

func replacedRemoval(s desired, observed cloud.Observed, why string) cloud.Operation {
	deletion := difference.Removal(observed, "")
	for _, op := range s.blocked {
		deletion.Reason += fmt.Sprintf("%s can only change from %q to %q on a new balancer; ", op.Field, op.Before, op.After)
	}
	deletion.Reason += annotation.AllowReplacement.Name + " is set"
	if why != "" {
		deletion.Reason += "; " + wayText(false, why)
	}
	return deletion
}

// triedBefore says why the same request does not replace another balancer.
func (s Subject) triedBefore() problem.Warning {
	if s.Asked.Replacing.Refused == "" {
		return problem.Warn(event.NotConverging, "the balancer was replaced for this request already, and the new one differs again")
	}
	return problem.Warn(event.ReplacementRefused, fmt.Sprintf(
		"the cloud refused the new balancer, so the one before was made again: %s; remove the annotation %s to have it tried again",
		s.Asked.Replacing.Refused, annotation.Replacement.Name))
}

// kept leaves the balancer as it is, because the new one cannot be made.
func (c Case) kept(s desired, observed cloud.Observed, problems []problem.Warning) Decision {
	d := c.adjust(s, observed)
	d.Err = problem.Combine(problems)
	d.Warnings = append([]problem.Warning{problem.Warn(event.ReplacementRefused, "the balancer stays as it is, because the new one cannot be made: "+d.Err.Error())}, d.Warnings...)
	return d
}

// ReplacesDeleted reports whether a balancer is made in the place of one that was deleted.
func (c Case) ReplacesDeleted() bool { return c.Asked.Begun && !c.Facts.Balancer.Found }

// restore makes the balancer again as it was, after the cloud refused the one in its place.
func (c Case) restore(candidates target.Candidates, before cloud.Observed, refused error) Decision {
	in := c.Complete(before, candidates.Targets)
	in.Preserved = c.Asked.Replacing.Was
	was, notes, err := c.Cloud.Balancers.Normalize(in)
	if err != nil {
		return Decision{Action: Refuse{before}, Plan: c.Plan(nil), Err: refused}
	}
	after, _, warnings := c.selectTargets(was, cloud.Observed{}, candidates)
	operation := difference.Creation(after)
	operation.Reason = "the cloud refused the new balancer, so the one before is made again"
	begun := *c.Asked.Replacing
	begun.Refused = refused.Error()
	change, p := c.change(in, before, &after, []cloud.Operation{operation})
	d := Decision{Action: Restore{change, begun.Annotation()}, Plan: p, Warnings: append(problem.OfDriver(notes), warnings...)}
	d.Warnings = append(d.Warnings, problem.Warn(event.ReplacementRefused, operation.Reason+": "+begun.Refused))
	return d
}

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
	b := Beside{Present: c.adjust(s, observed)}
	d := Decision{Warnings: warnings, Held: b.Present.Held, Err: candidates.Err}
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
