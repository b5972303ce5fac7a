package absence

import (
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// Decision is what was decided about a machine that seems gone, as in the metric.
type Decision string

// The decisions.
//
//	decision          why                                            event
//	gone              the whole proof                                – (the framework's)
//	young             the Node is younger than the grace, or not     –
//	                  initialised: not asked
//	queued            others are being asked first                   –
//	list_refused      the same, and the list is suspiciously short   NodeDeletionHeld, late
//	unconfirmed       the second not-found is outstanding, or the    NodeDeletionHeld, late
//	                  account was not known before the first
//	no_canary         the credentials see none of our machines       NodeDeletionHeld, late
//	identity_unknown  which account they see cannot be asked         NodeDeletionHeld, late
//	identity_changed  the credentials see another account            CloudIdentityChanged
//	mass              too many machines are missing at once          DeletionBrakeEngaged
//	brake             too many deletions                             DeletionBrakeEngaged
//	brake_record      what was deleted before can't be read or       DeletionBrakeEngaged
//	                  written
//	cloud_failure     the cloud did not answer                       CloudUnavailable
//
// Two have no event: there nothing but a list says that the machine is missing. Late is once it takes longer than a proof takes;
// until then nothing is wrong, and the event is CheckingInstance.
const (
	Gone            Decision = "gone"
	Young           Decision = "young"
	Queued          Decision = "queued"
	ListRefused     Decision = "list_refused"
	Unconfirmed     Decision = "unconfirmed"
	NoProbe         Decision = "no_canary"
	IdentityUnknown Decision = "identity_unknown"
	IdentityChanged Decision = "identity_changed"
	MassRemoval     Decision = "mass"
	Brake           Decision = "brake"
	BrakeRecord     Decision = "brake_record"
	CloudFailure    Decision = "cloud_failure"
)

var events = map[Decision]event.Reason{
	ListRefused:     event.DeletionHeld,
	Unconfirmed:     event.DeletionHeld,
	NoProbe:         event.DeletionHeld,
	IdentityUnknown: event.DeletionHeld,
	IdentityChanged: event.IdentityChanged,
	MassRemoval:     event.BrakeEngaged,
	Brake:           event.BrakeEngaged,
	BrakeRecord:     event.BrakeEngaged,
	CloudFailure:    event.CloudUnavailable,
}

// Event returns the reason of the event that tells of the decision, if any does.
func (d Decision) Event() (event.Reason, bool) {
	reason, ok := events[d]
	return reason, ok
}

// HeldError says why a Node is kept although its machine seems gone.
type HeldError struct {
	Node string
	ID   cloud.InstanceID
	*Denial
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("machine %s of node %s seems gone, but the node is kept: %v", e.ID, e.Node, e.Err)
}

// Denial is a decision other than gone, and why.
type Denial struct {
	Decision Decision
	Err      error
}

// Deny returns a Denial. Its arguments are those of fmt.Errorf.
func Deny(d Decision, format string, args ...any) *Denial {
	return &Denial{Decision: d, Err: fmt.Errorf(format, args...)}
}

func (d *Denial) Error() string { return d.Err.Error() }

func (d *Denial) Unwrap() error { return d.Err }
