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
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// wayOf says how a balancer of the Service takes the place of the observed one: beside it, or after its
// deletion and why.
func (p Policy) wayOf(in cloud.Input, observed cloud.Observed) (beside bool, why string) {
	replacer := p.Cloud.Replacer
	if replacer == nil || p.Cloud.Descriptor.IDAnnotation == "" {
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
func (p Policy) replace(s desired, f Finding, c target.Candidates) Decision {
	observed := f.Observed.Resolve(c.Targets)
	if p.Begun() && p.Replacing.Of != observed.ID {
		d := p.adjust(s, observed, c)
		d.Warnings = append(d.Warnings, p.triedBefore())
		return d
	}
	in := p.Complete(observed, c.Targets)
	beside, why := p.wayOf(in, observed)
	after, _, warnings := p.selectTargets(s.wanted, cloud.Observed{}, c)
	if len(after.Targets) == 0 {
		return p.adjust(s, observed, c)
	}
	if f.Successor != nil {
		return p.succeed(s, f, c)
	}
	operations := []cloud.Operation{p.replacedRemoval(s, observed, why), difference.Creation(after)}
	if beside {
		operations = besideOperations(s, observed, after)
	}
	d := p.Decision(in, observed, nil, operations)
	d.Change.Operations, d.Change.Replaced = d.Change.Operations[:1], true
	d.Replaces, d.Warnings = true, warnings
	d.Question = &question{Input: in, Before: observed, Refused: func(problems []problem.Warning) Decision {
		return p.kept(s, observed, c, problems)
	}}
	switch {
	case !p.Begun():
		begun := replacement.Record{Request: p.Fingerprint, Of: observed.ID, Was: preserved(observed.Balancer, p.Cloud.Descriptor.Capabilities.Immutable)}
		d.Begins = begun.Annotation()
	case beside:
		d.FindsSuccessor = true
	}
	if beside {
		d.Question.Before = cloud.Observed{}
	}
	return d
}

func (p Policy) replacedRemoval(s desired, observed cloud.Observed, why string) cloud.Operation {
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

func besideOperations(s desired, observed cloud.Observed, after cloud.Balancer) []cloud.Operation {
	made := difference.Creation(after)
	for _, op := range s.blocked {
		made.Reason += fmt.Sprintf("%s can only change from %q to %q on a new balancer; ", op.Field, op.Before, op.After)
	}
	made.Reason += annotation.AllowReplacement.Name + " is set; the present balancer serves until the new one does"
	return []cloud.Operation{made, difference.Removal(observed, "once the new balancer serves")}
}

// triedBefore says why the same request does not replace another balancer.
func (p Policy) triedBefore() problem.Warning {
	if p.Replacing.Refused == "" {
		return problem.Warn(event.NotConverging, "the balancer was replaced for this request already, and the new one differs again")
	}
	return problem.Warn(event.ReplacementRefused, fmt.Sprintf(
		"the cloud refused the new balancer, so the one before was made again: %s; remove the annotation %s to have it tried again",
		p.Replacing.Refused, annotation.Replacement.Name))
}

// kept leaves the balancer as it is, because the new one cannot be made.
func (p Policy) kept(s desired, observed cloud.Observed, c target.Candidates, problems []problem.Warning) Decision {
	d := p.adjust(s, observed, c)
	d.Err = problem.Combine(problems)
	d.Warnings = append([]problem.Warning{problem.Warn(event.ReplacementRefused, "the balancer stays as it is, because the new one cannot be made: "+d.Err.Error())}, d.Warnings...)
	return d
}

// Restore makes the balancer again as it was, after the cloud refused the one in its place.
func (p Policy) Restore(c target.Candidates, before cloud.Observed, refused error) Decision {
	in := p.Complete(before, c.Targets)
	in.Preserved = p.Replacing.Was
	was, notes, err := p.Cloud.Balancers.Normalize(in)
	if err != nil {
		return Decision{Plan: p.Plan(nil), Change: cloud.Change{Before: before}, Err: refused}
	}
	after, _, warnings := p.selectTargets(was, cloud.Observed{}, c)
	operation := difference.Creation(after)
	operation.Reason = "the cloud refused the new balancer, so the one before is made again"
	d := p.Decision(in, before, &after, []cloud.Operation{operation})
	begun := *p.Replacing
	begun.Refused = refused.Error()
	d.Begins, d.Warnings = begun.Annotation(), append(problem.OfDriver(notes), warnings...)
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
func (p Policy) succeed(s desired, f Finding, c target.Candidates) Decision {
	next := f.Successor.Resolve(c.Targets)
	in := p.Complete(next, c.Targets)
	in.Beside = &f.Observed
	ns, err := desiredOf(p.Cloud.Balancers, in, next, p.Cloud.Descriptor.Capabilities.Immutable)
	if err != nil {
		return p.kept(s, f.Observed, c, p.Respell(problem.Unjoin(err)))
	}
	after, _, warnings := p.selectTargets(ns.possible, next, c)
	var d Decision
	switch {
	case !next.Found:
		d = p.Decision(in, next, &after, besideOperations(s, f.Observed, after))
		d.Change.Operations = d.Change.Operations[:1]
		d.Question = &question{Input: in, Refused: func(problems []problem.Warning) Decision {
			return p.kept(s, f.Observed, c, problems)
		}}
	case next.State == cloud.BalancerFailed, len(ns.blocked) > 0:
		d = p.Removal(in, next, "it cannot take the place of the present balancer; another one is made")
		d.Change.Replaced = true
	default:
		d = p.Decision(in, next, &after, difference.Order(difference.Of(next.Balancer, after)))
		d.Whole = true
	}
	d.Warnings, d.Err, d.Succeeds = warnings, c.Err, true
	present := p.adjust(s, f.Observed, c)
	d.Meanwhile, d.Held = &present, present.Held
	return d
}

// failedOnCreate reports whether the balancer is to be deleted because it never was of any use:
//
//	state   ours by tag   Service has an address or id  failed for  failedOnCreate
//	failed  yes           no                            long        yes
//	failed  yes           no                            –           yes, if its deletion has begun
//	any     any           any                           any         no: what serves, or did, is for people to mend
//
// The id that was recorded with the creation says no more than the creation itself.
func (p Policy) failedOnCreate(observed cloud.Observed) bool {
	ours := ownership.IsTagged(observed.Owner, p.Input.Owner)
	named := p.Recorded != "" && (p.Creation == nil || p.Creation.ID != p.Recorded)
	served := len(p.Service.Status.LoadBalancer.Ingress) > 0 || named || p.Adopt != ""
	if observed.State != cloud.BalancerFailed || !ours || served {
		p.State.FailedCreation.Passed()
		return false
	}
	return p.State.FailedCreation.Due(observed.ID)
}

// recreate deletes a balancer that failed on creation.
func (p Policy) recreate(observed cloud.Observed, c target.Candidates) Decision {
	d := p.Removal(p.Complete(observed, c.Targets), observed, "it failed before it ever served; the next run makes another one")
	d.Recreates, d.Replaces = true, true
	return d
}
