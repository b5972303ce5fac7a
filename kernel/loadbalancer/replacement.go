package loadbalancer

import (
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/replacement"
)

// wayOf says how a balancer of the spec takes the place of the observed one: beside it, or after its
// deletion and why.
func (p *pipeline) wayOf(spec cloud.Spec, observed cloud.Observed) (beside bool, why string) {
	replacer := p.manager.cloud.Replacer
	if replacer == nil || p.manager.cloud.Descriptor.IDAnnotation == "" {
		return false, "this cloud cannot have both"
	}
	why = replacer.Coexist(spec, observed)
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
func (p *pipeline) replace(s desired, f finding, c candidates) decision {
	observed := f.observed.Resolve(c.targets)
	if p.Begun() && p.Replacing.Of != observed.ID {
		d := p.adjust(s, observed, c)
		d.warnings = append(d.warnings, p.triedBefore())
		return d
	}
	spec := p.complete(observed, c)
	beside, why := p.wayOf(spec, observed)
	after, warnings := p.selectTargets(s.wanted, cloud.Observed{}, c)
	if len(after.Targets) == 0 {
		return p.adjust(s, observed, c)
	}
	if f.successor != nil {
		return p.succeed(s, f, c)
	}
	operations := []cloud.Operation{p.replacedRemoval(s, observed, why), difference.Creation(after)}
	if beside {
		operations = besideOperations(s, observed, after)
	}
	d := p.decision(spec, observed, nil, operations)
	d.change.Operations, d.change.Replaced = d.change.Operations[:1], true
	d.replaces, d.warnings = true, warnings
	d.question = &question{spec: spec, before: observed, refused: func(problems []problem.Problem) decision {
		return p.kept(s, observed, c, problems)
	}}
	switch {
	case !p.Begun():
		begun := replacement.Record{Request: p.Fingerprint, Of: observed.ID, Was: preserved(observed.Balancer, p.manager.cloud.Descriptor.Capabilities.Immutable)}
		d.begins = begun.Annotation()
	case beside:
		d.seeks = true
	}
	if beside {
		d.question.before = cloud.Observed{}
	}
	return d
}

func (p *pipeline) replacedRemoval(s desired, observed cloud.Observed, why string) cloud.Operation {
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
func (p *pipeline) triedBefore() problem.Warning {
	if p.Replacing.Refused == "" {
		return problem.Warn(event.NotConverging, "the balancer was replaced for this request already, and the new one differs again")
	}
	return problem.Warn(event.ReplacementRefused, fmt.Sprintf(
		"the cloud refused the new balancer, so the one before was made again: %s; remove the annotation %s to have it tried again",
		p.Replacing.Refused, annotation.Replacement.Name))
}

// kept leaves the balancer as it is, because the new one cannot be made.
func (p *pipeline) kept(s desired, observed cloud.Observed, c candidates, problems []problem.Problem) decision {
	d := p.adjust(s, observed, c)
	d.err = problem.Combine(problems)
	d.warnings = append([]problem.Warning{problem.Warn(event.ReplacementRefused, "the balancer stays as it is, because the new one cannot be made: "+d.err.Error())}, d.warnings...)
	return d
}

// restore makes the balancer again as it was, after the cloud refused the one in its place.
func (p *pipeline) restore(c candidates, before cloud.Observed, refused error) decision {
	spec := p.complete(before, c)
	spec.Preserved = p.Replacing.Was
	was, notes, err := p.manager.cloud.Balancers.Normalize(spec)
	if err != nil {
		return decision{plan: p.plan(nil), change: cloud.Change{Before: before}, err: refused}
	}
	after, warnings := p.selectTargets(was, cloud.Observed{}, c)
	operation := difference.Creation(after)
	operation.Reason = "the cloud refused the new balancer, so the one before is made again"
	d := p.decision(spec, before, &after, []cloud.Operation{operation})
	begun := *p.Replacing
	begun.Refused = refused.Error()
	d.begins, d.warnings = begun.Annotation(), append(problem.OfDriver(notes), warnings...)
	d.warnings = append(d.warnings, problem.Warn(event.ReplacementRefused, operation.Reason+": "+begun.Refused))
	return d
}

// refusal reports whether the failure of a creation means that the same request will fail again.
//
//	class                                           is a refusal
//	invalid, quota, not found, unauthorized         at once
//	conflict, unknown                               when it comes again and again
//	throttled, transient                            never
func (p *pipeline) refusal(err error) bool {
	switch cloud.FailureOf(err).Class {
	case cloud.FailureInvalid, cloud.FailureQuota, cloud.FailureNotFound, cloud.FailureUnauthorized:
		return true
	case cloud.FailureConflict, cloud.FailureUnknown:
		p.state.refusals++
		return p.state.refusals > mostRefusals
	}
	return false
}

// mostRefusals is how many creations in a row may fail for reasons that may pass.
const mostRefusals = 5
