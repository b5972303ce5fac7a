// Package state has what this process remembers of each Service between two runs.
package state

import (
	"errors"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/operation"
)

// Service is what this process remembers of a Service. Losing it costs reads, an event, and where
// the cloud does not store what it is told at most one more replacement.
type Service struct {
	// Created is the id of the balancer we created, "" when we did not.
	Created string
	// confirmed is the one of those that a list has shown.
	confirmed string
	// Told is the id of the balancer whose address a run has told.
	Told string
	// Creation is the last creation that the cloud answered.
	Creation creation.Record
	// Creating is the id of the balancer that the last change made, "" where it made none.
	Creating string
	// Unlisted says that lists do not show yet what was made.
	Unlisted bool
	// Duplicates are second balancers that were seen, nil when there are none. Before are those that a former process saw.
	Duplicates, Before *Duplicates
	// Wrote is when we last changed the balancer, or may have.
	Wrote time.Time
	// Deleted says that this change deleted a balancer.
	Deleted bool
	// Removed says that the cloud has acknowledged the deletion of the balancer of a Service that gives
	// it up, and that nobody has looked since whether anything is left.
	Removed bool
	// Running are the operations of the last change, nil when it ended with its answer.
	Running *operation.Group
	// Removal are those of the deletion of the balancer of a Service that gives it up, nil when none was begun.
	Removal *operation.Group
	// Rest is what is left of a change that goes on, nil where the balancer has to be looked at first.
	Rest *Rest
	// notReplaced is why the cloud does not have a part of the balancer as the Service asks for it, nil where it has all.
	notReplaced *notReplaced
	// Late are the operations of the last change, nil unless one of them failed.
	Late *operation.Group
	// PendingSince is when the balancer was first seen pending, zero when it is not.
	PendingSince time.Time
	// Last is what was last observed, nil when nothing was found.
	Last           *cloud.Observed
	LastApplied    LastApplied
	Repeated       Repetition
	FailedCreation FailedCreation
	// Successor is the id of the balancer we made beside the one that serves, and refusals is how
	// often a creation failed in a row.
	Successor string
	refusals  int
	// brought is the id of the balancer whose targets this process has brought to the nodes once,
	// and kept what it kept then for want of proof, nil for nothing.
	brought string
	kept    *keptTargets
	// Retargeted are the machines to which the targets were brought of a balancer whose Service asks for something impossible, ""
	// for none.
	Retargeted string
	// Refusal is why the Service was last refused that has no balancer, nil for nothing.
	Refusal *Refusal
	refused *refusedTargets
}

// keptTargets are targets that were kept, and the request that was made then.
type keptTargets struct {
	targets []cloud.InstanceID
	request string
}

// notReplaced is a part that was put back as it was before, and the request that was made then.
type notReplaced struct {
	why     *cloud.NotReplaced
	request string
}

// NoteNotReplaced remembers that a part of the balancer was put back as it was before, where an error of a request says so.
func (m *Service) NoteNotReplaced(err error, request string) {
	if why, refused := errors.AsType[*cloud.NotReplaced](err); refused {
		m.notReplaced = &notReplaced{why, request}
	}
}

// NotReplaced returns which part stays as it is for a request, nil for none.
func (m *Service) NotReplaced(request string) *cloud.NotReplaced {
	if m.notReplaced == nil || m.notReplaced.request != request {
		return nil
	}
	return m.notReplaced.why
}

// Made notes the balancer that was made.
func (m *Service) Made(id string) { m.Created, m.refusals = id, 0 }

// KnownTargets returns what is known of the targets of a balancer: whether they were brought to the nodes
// once, and which were kept for the same request.
func (m *Service) KnownTargets(id, request string) (brought bool, kept []cloud.InstanceID) {
	if m.kept != nil && m.kept.request == request {
		kept = m.kept.targets
	}
	return m.brought == id || m.Created == id, kept
}

// Bring remembers that a balancer has the targets that a change gave it.
func (m *Service) Bring(change cloud.Change) {
	if change.After != nil && change.Before.Found {
		m.brought = change.Before.ID
	}
}

// Keep remembers the targets that are kept for a request.
func (m *Service) Keep(targets []cloud.InstanceID, request string) {
	m.kept = nil
	if len(targets) > 0 {
		m.kept = &keptTargets{targets, request}
	}
}

// PendingFor notes whether the balancer is pending, and returns for how long it has been.
func (m *Service) PendingFor(pending bool) time.Duration {
	switch {
	case !pending:
		m.PendingSince = time.Time{}
		return 0
	case m.PendingSince.IsZero():
		m.PendingSince = time.Now()
	}
	return time.Since(m.PendingSince)
}

// Unconfirmed returns the id of the balancer that this process made and that no list has shown it, "" when there is none.
func (m *Service) Unconfirmed() string {
	if m.confirmed == m.Created {
		return ""
	}
	return m.Created
}

// Confirm notes which of several balancers that a list shows is the Service's: all processes come to the same one.
func (m *Service) Confirm(observed cloud.Observed) {
	m.Unlisted = false
	if m.Created == "" {
		return
	}
	if slices.Contains(observed.Duplicates, m.Created) {
		m.Created = observed.ID
	}
	m.confirmed = m.Created
}

// Refuses reports whether the failure of a creation means that the same request will fail again.
//
//	class                                           is a refusal
//	invalid, quota, not found, unauthorized         at once
//	conflict, unknown                               when it comes again and again
//	throttled, transient                            never
func (m *Service) Refuses(err error) bool {
	switch class := cloud.FailureOf(err).Class; {
	case class.Final():
		return true
	case class == cloud.FailureConflict, class == cloud.FailureUnknown:
		m.refusals++
		return m.refusals > mostRefusals
	}
	return false
}

// mostRefusals is how many creations in a row may fail for reasons that may pass.
const mostRefusals = 5

// Rest is what is left of a change that takes several operations, one after the other.
type Rest struct {
	// Change is that of the Service's Request, and Seen when the balancer was looked at before it.
	Change  cloud.Change
	Request string
	Seen    time.Time
	// Steps are those that are left, see cloud.Progress.
	Steps any
}

// Known returns what is kept of an observation where the driver recalls the balancer. The targets of
// listeners are mostly those of the balancer, of which one list is enough.
func Known(o cloud.Observed) *cloud.Observed {
	b := o.Balancer
	b.Listeners = slices.Clone(b.Listeners)
	for i, l := range b.Listeners {
		if l.Targets != nil && slices.Equal(l.Targets, b.Targets) {
			b.Listeners[i].Targets = b.Targets
		}
	}
	return &cloud.Observed{Found: true, ID: o.ID, Balancer: b}
}

// Recall keeps what a balancer is after a change that was carried out whole, as it was told. Which of its
// targets each listener has follows from the request.
func (m *Service) Recall(told *cloud.Observed) {
	if told == nil || told.State != cloud.BalancerActive {
		return
	}
	m.Last = Known(*told)
	for i := range m.Last.Balancer.Listeners {
		m.Last.Balancer.Listeners[i].Targets = nil
	}
}
