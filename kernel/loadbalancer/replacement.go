package loadbalancer

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// replacement is what the annotation Replacement of a Service says. It is written before anything
// is deleted or made, and a condition of the Service before it, so that it survives a crash:
//
//	the new balancer is made first       annotation  id   in the cloud  status  the next run
//	                                     -           old  old           old     writes the annotation
//	                                     yes         old  old           old     makes the new one beside
//	                                     yes         old  both          old     waits for it, then records its id
//	                                     yes         new  both          old     writes the status
//	                                     yes         new  both          new     deletes the old one
//	                                     yes         new  new           new     removes the annotation
//
//	the old balancer is deleted first    annotation  id   in the cloud  status  the next run
//	                                     yes         old  old           old     deletes the old one
//	                                     yes         old  -             old     makes the new one, or the old one again
//	                                     yes         old  new           old     records its id
//	                                     yes         new  new           new     removes the annotation
type replacement struct {
	// Request is the fingerprint of the request that it was begun for.
	Request string `json:"request"`
	// Of is the id of the balancer to be replaced.
	Of string `json:"of"`
	// Was are its immutable fields.
	Was map[string]string `json:"was,omitempty"`
	// Refused is why the cloud did not make the new one, so that the old one was made again.
	Refused string `json:"refused,omitempty"`
}

// readReplacement returns the replacement that has begun, nil when there is none. A text that is
// not ours counts as none: whoever edits the Service writes annotations, and only controllers
// its status.
func (r *request) readReplacement() *replacement {
	begun, condition := readReplacement(r.service.Annotations)
	if condition == nil || !slices.ContainsFunc(r.service.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == condition.Type && c.Status == condition.Status && c.Message == condition.Message
	}) {
		return nil
	}
	return begun
}

// conditionType is the type of the condition that goes with the annotation Replacement.
const conditionType = annotation.Prefix + "Replacement"

// ReplacementCondition returns the condition of the Service that has to be written before these
// annotations, nil when none has. It says all of the replacement that stays the same until its end.
// Where the annotation is removed it is False, so that the old text does not count when somebody
// writes it again.
func ReplacementCondition(annotations map[string]string) *metav1.Condition {
	if text, ok := annotations[annotation.Replacement.Name]; ok && text == "" {
		return &metav1.Condition{Type: conditionType, Status: metav1.ConditionFalse, Reason: "Ended", LastTransitionTime: metav1.Now()}
	}
	_, condition := readReplacement(annotations)
	return condition
}

func readReplacement(annotations map[string]string) (*replacement, *metav1.Condition) {
	begun := &replacement{}
	if json.Unmarshal([]byte(annotations[annotation.Replacement.Name]), begun) != nil || begun.Of == "" {
		return nil, nil
	}
	message := replacement{Request: begun.Request, Of: begun.Of, Was: begun.Was}.note()[annotation.Replacement.Name]
	return begun, &metav1.Condition{
		Type: conditionType, Status: metav1.ConditionTrue, Reason: "Begun", Message: message, LastTransitionTime: metav1.Now(),
	}
}

// note returns the annotation to write.
func (r replacement) note() map[string]string {
	text, err := json.Marshal(r)
	if err != nil {
		panic("a replacement cannot be encoded: " + err.Error())
	}
	return map[string]string{annotation.Replacement.Name: string(text)}
}

// begun reports whether this request has replaced a balancer already, or tried to.
func (p *pipeline) begun() bool { return p.replacing != nil && p.replacing.Request == p.fingerprint }

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
	if p.begun() && p.replacing.Of != observed.ID {
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
	operations := []cloud.Operation{p.replacedRemoval(s, observed, why), creation(after)}
	if beside {
		operations = besideOperations(s, observed, after)
	}
	d := p.decision(spec, observed, nil, operations)
	d.change.Operations, d.change.Replaced = d.change.Operations[:1], true
	d.replaces, d.warnings = true, warnings
	d.question = &question{spec: spec, before: observed, refused: func(problems []problem) decision {
		return p.kept(s, observed, c, problems)
	}}
	switch {
	case !p.begun():
		begun := replacement{Request: p.fingerprint, Of: observed.ID, Was: preserved(observed.Balancer, p.manager.cloud.Descriptor.Capabilities.Immutable)}
		d.begins = begun.note()
	case beside:
		d.seeks = true
	}
	if beside {
		d.question.before = cloud.Observed{}
	}
	return d
}

func (p *pipeline) replacedRemoval(s desired, observed cloud.Observed, why string) cloud.Operation {
	deletion := removal(observed, "")
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
	made := creation(after)
	for _, op := range s.blocked {
		made.Reason += fmt.Sprintf("%s can only change from %q to %q on a new balancer; ", op.Field, op.Before, op.After)
	}
	made.Reason += annotation.AllowReplacement.Name + " is set; the present balancer serves until the new one does"
	return []cloud.Operation{made, removal(observed, "once the new balancer serves")}
}

// triedBefore says why the same request does not replace another balancer.
func (p *pipeline) triedBefore() warning {
	if p.replacing.Refused == "" {
		return warning{event.NotConverging, "the balancer was replaced for this request already, and the new one differs again"}
	}
	return warning{event.ReplacementRefused, fmt.Sprintf(
		"the cloud refused the new balancer, so the one before was made again: %s; remove the annotation %s to have it tried again",
		p.replacing.Refused, annotation.Replacement.Name)}
}

// kept leaves the balancer as it is, because the new one cannot be made.
func (p *pipeline) kept(s desired, observed cloud.Observed, c candidates, problems []problem) decision {
	d := p.adjust(s, observed, c)
	d.err = combine(problems)
	d.warnings = append([]warning{{event.ReplacementRefused, "the balancer stays as it is, because the new one cannot be made: " + d.err.Error()}}, d.warnings...)
	return d
}

// restore makes the balancer again as it was, after the cloud refused the one in its place.
func (p *pipeline) restore(c candidates, before cloud.Observed, refused error) decision {
	spec := p.complete(before, c)
	spec.Preserved = p.replacing.Was
	was, notes, err := p.manager.cloud.Balancers.Normalize(spec)
	if err != nil {
		return decision{plan: p.plan(nil), change: cloud.Change{Before: before}, err: refused}
	}
	after, warnings := p.selectTargets(was, cloud.Observed{}, c)
	operation := creation(after)
	operation.Reason = "the cloud refused the new balancer, so the one before is made again"
	d := p.decision(spec, before, &after, []cloud.Operation{operation})
	begun := *p.replacing
	begun.Refused = refused.Error()
	d.begins, d.warnings = begun.note(), append(ofDriver(notes), warnings...)
	d.warnings = append(d.warnings, warning{event.ReplacementRefused, operation.Reason + ": " + begun.Refused})
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
