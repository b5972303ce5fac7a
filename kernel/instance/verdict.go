package instance

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// verdict is a decision about a machine that seems gone, as in the metric.
type verdict string

// The verdicts.
//
//	verdict           why                                            event
//	gone              the whole proof                                – (the framework's)
//	young             the Node is younger than the grace, or not     –
//	                  initialised: not asked
//	queued            others are being asked first                   –
//	list_refused      the same, and the list is suspiciously short   NodeDeletionHeld
//	unconfirmed       the second not-found is outstanding            NodeDeletionHeld
//	no_canary         the credentials see none of our machines       NodeDeletionHeld
//	identity_unknown  the account was not known before               NodeDeletionHeld
//	identity_changed  the credentials see another account            CloudIdentityChanged
//	mass              too many machines are missing at once          DeletionBrakeEngaged
//	brake             too many deletions                             DeletionBrakeEngaged
//	brake_record      what was deleted before can't be read or       DeletionBrakeEngaged
//	                  written
//	cloud_failure     the cloud did not answer                       CloudUnavailable
//
// Two have no event: there nothing but a list says that the machine is missing.
const (
	verdictGone            verdict = "gone"
	verdictYoung           verdict = "young"
	verdictQueued          verdict = "queued"
	verdictListRefused     verdict = "list_refused"
	verdictUnconfirmed     verdict = "unconfirmed"
	verdictNoCanary        verdict = "no_canary"
	verdictIdentityUnknown verdict = "identity_unknown"
	verdictIdentityChanged verdict = "identity_changed"
	verdictMass            verdict = "mass"
	verdictBrake           verdict = "brake"
	verdictBrakeRecord     verdict = "brake_record"
	verdictCloudFailure    verdict = "cloud_failure"
)

var heldEvents = map[verdict]event.Reason{
	verdictListRefused:     event.DeletionHeld,
	verdictUnconfirmed:     event.DeletionHeld,
	verdictNoCanary:        event.DeletionHeld,
	verdictIdentityUnknown: event.DeletionHeld,
	verdictIdentityChanged: event.IdentityChanged,
	verdictMass:            event.BrakeEngaged,
	verdictBrake:           event.BrakeEngaged,
	verdictBrakeRecord:     event.BrakeEngaged,
	verdictCloudFailure:    event.CloudUnavailable,
}

// HeldError says why a Node is kept although its machine seems gone.
type HeldError struct {
	Node string
	ID   cloud.InstanceID
	// Verdict is a label of the verdicts metric.
	Verdict string
	Err     error
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("machine %s of node %s seems gone, but the node is kept: %v", e.ID, e.Node, e.Err)
}

func (e *HeldError) Unwrap() error { return e.Err }

// refusal is a verdict other than gone.
type refusal struct {
	verdict verdict
	err     error
}

func refuse(v verdict, format string, args ...any) *refusal {
	return &refusal{verdict: v, err: fmt.Errorf(format, args...)}
}

func (r *refusal) Error() string { return r.err.Error() }

func (r *refusal) Unwrap() error { return r.err }

// hold reports a refusal and returns it as the error for the framework, which asks again.
func (i *Inventory) hold(node *corev1.Node, id cloud.InstanceID, r *refusal) error {
	i.report.verdict(r.verdict)
	err := &HeldError{Node: node.Name, ID: id, Verdict: string(r.verdict), Err: r.err}
	if reason, ok := heldEvents[r.verdict]; ok {
		i.report.tell(node, string(r.verdict), reason, err)
	}
	return err
}
