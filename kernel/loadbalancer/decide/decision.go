package decide

import (
	"errors"
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Decision is what has to be done and what has to be said.
type Decision struct {
	Plan   plan.Plan
	Change cloud.Change
	// Whole says that the change leads to all that was asked for, not only its targets.
	Whole bool
	// OwnershipTagsWait says that ownership tags are missing, which the next change writes.
	OwnershipTagsWait bool
	// TargetsWait says that targets are missing, which follow as soon as the Service was told where its balancer is reached.
	TargetsWait bool
	// Replaces says that the balancer is deleted so that the next run creates it anew.
	Replaces bool
	// Recreates says that this is because it failed before it ever served.
	Recreates bool
	// Begins are annotations to write before the change is made, nil when there are none.
	Begins map[string]string
	// Held are targets that stay for want of proof.
	Held []cloud.InstanceID
	// Question is what the cloud is asked before the change is made, nil when nothing is.
	Question *question
	// Unanswered says that the cloud did not say whether it would refuse the balancer.
	Unanswered bool
	// FindsSuccessor says that the new balancer may be there already, and has to be looked for.
	FindsSuccessor bool
	// Succeeds says that the change is one of the new balancer while the present one serves;
	// Meanwhile is what the present one needs.
	Succeeds  bool
	Meanwhile *Decision
	Warnings  []problem.Warning
	// Err is what is still wrong once the change has been made.
	Err error
}

// Rewrites reports whether more than the targets of an existing balancer change.
func (d Decision) Rewrites() bool {
	return d.Change.Before.Found && slices.ContainsFunc(d.Change.Operations, func(op cloud.Operation) bool {
		return op.Kind != cloud.KindTarget
	})
}

// KeepsImmutable reports whether a field that was asked for stays because this cloud cannot change it.
func (d Decision) KeepsImmutable() bool {
	return slices.ContainsFunc(d.Plan.Operations, func(op cloud.Operation) bool { return op.Blocked == immutableBlock })
}

// question is what has to be asked of the cloud before a decision is carried out.
type question struct {
	Input cloud.Input
	// Before is the balancer that is deleted first; where there is none, what was observed in its place.
	Before cloud.Observed
	// Refused is the decision when the cloud would refuse.
	Refused func([]problem.Warning) Decision
}

// Adopts reports whether the change puts our ownership tags on a balancer that did not have them.
func (d Decision) Adopts() bool {
	return d.Change.After != nil && !ownership.IsTagged(d.Change.Before.Owner, d.Change.Input.Owner) &&
		slices.ContainsFunc(d.Change.Operations, func(op cloud.Operation) bool { return op.Field == cloud.FieldOwnershipTags })
}

// Finding is what was found of a Service's balancer.
type Finding struct {
	// Observed is our balancer; Found is false when there is none.
	Observed cloud.Observed
	// Conflicts are what the Service asked for and may not have.
	Conflicts []problem.Warning
	// Clusters are those that ownership tags of the balancers name which were found, and passed over where they are not the
	// Service's.
	Clusters []string
	// Successor is the new balancer beside it, nil when it was not looked for.
	Successor *cloud.Observed
}

// mostRepetitions is how often the same changes may be made before we believe that the
// cloud does not store what it is told.
const mostRepetitions = 3

// Again returns the repetition that one more execution of the decision would be.
func (p Policy) Again(d Decision) state.Repetition {
	return p.State.Repeated.Again(difference.Fingerprint(p.Fingerprint, d.Change.Operations))
}

// Restrain blocks all operations of a decision that has been carried out too often already.
// A replacement may be: the old balancer can take its time to go, and a new one is not
// replaced again.
func (p Policy) Restrain(d Decision) Decision {
	if d.Plan.Empty() || d.Replaces || p.Again(d).Times <= mostRepetitions {
		return d
	}
	d.Warnings = append(d.Warnings, problem.Warn(event.NotConverging, fmt.Sprintf(
		"made %d times in a row and needed again: %s", mostRepetitions, difference.Summary(d.Change.Operations))))
	for i := range d.Plan.Operations {
		if op := &d.Plan.Operations[i]; op.Blocked == "" {
			op.Blocked = "the cloud does not keep it"
		}
	}
	d.Change.Operations, d.Change.After = nil, nil
	d.Whole = false
	if !d.Change.Before.Found {
		d.Err = errors.Join(d.Err, &cloud.Error{Op: "creating balancer", Err: errors.New("the cloud does not keep it")})
	}
	return d
}
