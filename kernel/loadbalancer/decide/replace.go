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

// wayOf says how a balancer of the Service takes the place of the observed one: beside it, or after its
// deletion and why.
func (c Case) wayOf(in cloud.Input, observed cloud.Observed) (beside bool, why string) {
	replacer := c.Cloud.Replacer
	if replacer == nil || c.Cloud.Descriptor.IDAnnotation == "" {
		return false, "this cloud cannot have both"
	}
	why = replacer.Coexist(in, observed)
	return why == "", why
}

// wayText says in words what a replacement would do.
func wayText(beside bool, why string) string {
	if beside {
		return "a new balancer is made first, and the present one is deleted once the new one serves; its address may change"
	}
	return fmt.Sprintf("the present balancer has to be deleted first, because %s: there is no service until the new one is made, and the address may change", why)
}

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
	if r.Begun() && r.Replacing.Of != observed.ID {
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
	operations := []cloud.Operation{c.replacedRemoval(s, observed, why), difference.Creation(after)}
	if beside {
		operations = besideOperations(s, observed, after)
	}
	a := Replace{beside: beside}
	d := Decision{Warnings: warnings, question: &Look{Fact: FactAnswer, Input: in}}
	a.Change, d.Plan = c.change(in, observed, nil, operations)
	a.Operations, a.Replaced = a.Operations[:1], true
	if !r.Begun() {
		begun := replacement.Record{Request: r.Fingerprint, Of: observed.ID, Was: preserved(observed.Balancer, c.Cloud.Descriptor.Capabilities.Immutable)}
		a.Begins = begun.Annotation()
	}
	if !beside {
		d.question.Before = observed
	}
	d.Action = a
	return d
}

func (c Case) replacedRemoval(s desired, observed cloud.Observed, why string) cloud.Operation {
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
func (c Case) triedBefore() problem.Warning {
	if c.Asked.Replacing.Refused == "" {
		return problem.Warn(event.NotConverging, "the balancer was replaced for this request already, and the new one differs again")
	}
	return problem.Warn(event.ReplacementRefused, fmt.Sprintf(
		"the cloud refused the new balancer, so the one before was made again: %s; remove the annotation %s to have it tried again",
		c.Asked.Replacing.Refused, annotation.Replacement.Name))
}

// kept leaves the balancer as it is, because the new one cannot be made.
func (c Case) kept(s desired, observed cloud.Observed, problems []problem.Warning) Decision {
	d := c.adjust(s, observed)
	d.Err = problem.Combine(problems)
	d.Warnings = append([]problem.Warning{problem.Warn(event.ReplacementRefused, "the balancer stays as it is, because the new one cannot be made: "+d.Err.Error())}, d.Warnings...)
	return d
}

// ReplacesDeleted reports whether a balancer is made in the place of one that was deleted.
func (c Case) ReplacesDeleted() bool { return c.Asked.Begun() && !c.Facts.Balancer.Found }

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
