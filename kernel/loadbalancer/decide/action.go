package decide

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Decision is what comes next, and what has to be said.
type Decision struct {
	Action Action
	// Plan shows what is done, and what is not done and why.
	Plan     plan.Plan
	Warnings []problem.Warning
	// Held are targets that stay for want of proof.
	Held []cloud.InstanceID
	// Err is what is still wrong once that was done.
	Err error
	// question is what the cloud is asked before, nil for nothing.
	question *Look
}

// Action is one of those below, and no other.
//
//sumtype:decl
type Action interface {
	// change is nil where nothing is known yet of what is changed.
	change() *Change
}

// Look says that a fact is missing.
type Look struct {
	Fact Fact
	// Targets are those that would stay for want of FactProof.
	Targets []cloud.InstanceID
	// Change is the one whose FactSteps are missing.
	Change cloud.Change
	// Input and Before are what FactAnswer is about. Before is the load balancer that is deleted first; where there is none, what was
	// observed in its place.
	Input  cloud.Input
	Before cloud.Observed
	// Known says that something is wrong in any case, so that the fact may stay unknown.
	Known bool
}

// Fact is what is looked for.
type Fact int

// Facts, see the fields of Facts.
const (
	FactBalancer Fact = iota
	// FactWhole is FactBalancer, read by itself and not from a list.
	FactWhole
	FactProof
	FactSteps
	FactSuccessor
	FactAnswer
)

type (
	// Wait says that the cloud works on the load balancer.
	Wait struct{ Pending *problem.Pending }
	// Record says that the Service has to have annotations before anything is changed, and why it waits for them.
	Record struct {
		Annotations map[string]string
		Pending     *problem.Pending
	}
	// Refuse makes no load balancer where there is none.
	Refuse struct{ Before cloud.Observed }
	// Keep leaves the load balancer as it is, because the cloud does not keep what it is told.
	Keep struct{ Before cloud.Observed }
	// Create makes the load balancer.
	Create struct{ Change }
	// Adjust changes what differs.
	Adjust struct {
		Change
		// TagsWait says that ownership tags are missing, which the next change writes.
		TagsWait bool
		// TargetsWait says that targets are missing, which follow as soon as the Service was told where its balancer is reached.
		TargetsWait bool
	}
	// Retarget changes targets alone.
	Retarget struct{ Change }
	// MakeAnew deletes the load balancer because it failed before it ever served; the next run makes another one.
	MakeAnew struct{ Change }
	// Replace deletes the load balancer, so that the next run makes another one in its place. Begins are annotations to write
	// before, nil when they are there.
	Replace struct {
		Change
		Begins map[string]string
		// beside says that the new one is made first, beside this one.
		beside bool
	}
	// Restore makes the load balancer as it was before it was deleted for one that the cloud refuses. Begins are annotations that
	// say so.
	Restore struct {
		Change
		Begins map[string]string
	}
	// Beside changes the load balancer that takes the place of the present one; Present is what that one needs meanwhile.
	Beside struct {
		Change
		Present Decision
	}
	// Continue makes the next step of a change that was begun.
	Continue struct{ Change }
	// Remove deletes the load balancer of a Service that gives it up, or a second one.
	Remove struct{ Change }
	// Release leaves the load balancer of a Service that gives it up, without our ownership tags.
	Release struct{ Change }
)

// Change is a change of a load balancer.
type Change struct{ cloud.Change }

func (a Create) change() *Change   { return &a.Change }
func (a Adjust) change() *Change   { return &a.Change }
func (a Retarget) change() *Change { return &a.Change }
func (a MakeAnew) change() *Change { return &a.Change }
func (a Replace) change() *Change  { return &a.Change }
func (a Restore) change() *Change  { return &a.Change }
func (a Beside) change() *Change   { return &a.Change }
func (a Continue) change() *Change { return &a.Change }
func (a Remove) change() *Change   { return &a.Change }
func (a Release) change() *Change  { return &a.Change }
func (Look) change() *Change       { return nil }
func (Wait) change() *Change       { return nil }
func (Record) change() *Change     { return nil }
func (r Refuse) change() *Change   { return &Change{cloud.Change{Before: r.Before}} }
func (k Keep) change() *Change     { return &Change{cloud.Change{Before: k.Before}} }

// Change returns the change of the decision, nil where it has none.
func (d Decision) Change() *Change { return d.Action.change() }

// Waits returns what is waited for before anything is done, nil where nothing is.
func (d Decision) Waits() error {
	switch a := d.Action.(type) {
	case Wait:
		return a.Pending
	case Record:
		return a.Pending
	default:
		return nil
	}
}

// After returns the load balancer that the decision leads to, nil where it leads to none.
func (d Decision) After() *cloud.Balancer {
	if change := d.Change(); change != nil {
		return change.After
	}
	return nil
}

// IsWhole reports whether the change leads to all that was asked for, not only its targets.
func (d Decision) IsWhole() bool {
	switch a := d.Action.(type) {
	case Create, Adjust:
		return true
	case Beside:
		return a.After != nil && a.Before.Found
	default:
		return false
	}
}

// Rewrites reports whether more than the targets of an existing balancer change.
func (c *Change) Rewrites() bool {
	return c.Before.Found && slices.ContainsFunc(c.Operations, func(op cloud.Operation) bool { return op.Kind != cloud.KindTarget })
}

// Creates reports whether a change is about a balancer that is not there yet.
func (c *Change) Creates() bool { return c.After != nil && !c.Before.Found }

// Adopts reports whether the change puts our ownership tags on a balancer that did not have them.
func (c *Change) Adopts() bool {
	return c.After != nil && !ownership.IsTagged(c.Before.Owner, c.Input.Owner) &&
		slices.ContainsFunc(c.Operations, func(op cloud.Operation) bool { return op.Field == cloud.FieldOwnershipTags })
}

// KeepsImmutable reports whether a field that was asked for stays because this cloud cannot change it.
func (d Decision) KeepsImmutable() bool {
	return slices.ContainsFunc(d.Plan.Operations, func(op cloud.Operation) bool { return op.Blocked == immutableBlock })
}
