package decide

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Decision is what has to be done and what has to be said.
type Decision struct {
	Plan   plan.Plan
	Change cloud.Change
	// Whole says that the change leads to all that was asked for, not only its targets.
	Whole bool
	// MarksWait says that ownership tags are missing, which the next change writes.
	MarksWait bool
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
	// Seeks says that the new balancer may be there already, and has to be looked for.
	Seeks bool
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
	Spec cloud.Spec
	// Before is the balancer that is deleted first; where there is none, what was observed in its place.
	Before cloud.Observed
	// Refused is the decision when the cloud would refuse.
	Refused func([]problem.Warning) Decision
}

// Adopts reports whether the change puts our marks on a balancer that did not have them.
func (d Decision) Adopts() bool {
	return d.Change.After != nil && d.Change.Before.Owner.UID != d.Change.Spec.Ref.Owner.UID &&
		slices.ContainsFunc(d.Change.Operations, func(op cloud.Operation) bool { return op.Field == cloud.FieldOwnershipTags })
}

// Finding is what was found of a Service's balancer.
type Finding struct {
	// Observed is our balancer; Found is false when there is none.
	Observed cloud.Observed
	// Conflicts are what the Service asked for and may not have.
	Conflicts []problem.Warning
	// Successor is the new balancer beside it, nil when it was not looked for.
	Successor *cloud.Observed
}
