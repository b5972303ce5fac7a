package state

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/operation"
)

// Phase is how the last run left a load balancer. It is one of those below, and no other; nil says that nothing goes on.
//
//	phase        begins with                                     ends with
//	Pending      a look that shows that the cloud works on it,   the next look that does not
//	             an answer that says so
//	Running      a write whose operations go on                  the end of the operations, at the next run
//	Interrupted  operations that ended well, where steps are     the next step, or any look of a run that may take it
//	             left of their change
//	Removed      the end of a deletion that the cloud has        the next look of a Service that gives its balancer up, which
//	             acknowledged                                    confirms it, or a run for one that wants it back
//	Failed       an operation that failed                        the next action of an Ensure, or the next change of a load
//	                                                             balancer
//
//sumtype:decl
type Phase interface{ phase() }

type (
	// Pending says that the cloud works on the balancer. Since is when that was first seen.
	Pending struct{ Since time.Time }
	// Running says that operations of the last change go on, or that nobody has looked yet how they ended.
	Running struct {
		Group *operation.Group
		// Since is as in Pending, zero where nobody waits for the balancer.
		Since time.Time
		// Deletes says that the change deletes a balancer, and Removes that it is the one of a Service that gives it up.
		Deletes, Removes bool
		// Rest is what is left of the change, nil where the balancer has to be looked at first.
		Rest *Rest
	}
	// Interrupted says that steps of a change are left. Since is as in Running.
	Interrupted struct {
		Since time.Time
		Rest  *Rest
	}
	// Removed says that the cloud has acknowledged the deletion of the balancer of a Service that gives it up, and that nobody has
	// looked since whether anything is left.
	Removed struct{}
	// Failed says that an operation of the last change has failed. Since is as in Running.
	Failed struct {
		Group *operation.Group
		Since time.Time
	}
)

func (Pending) phase()     {}
func (Running) phase()     {}
func (Interrupted) phase() {}
func (Removed) phase()     {}
func (Failed) phase()      {}

// PhaseAfter returns the phase after a change: with its operations, nil for none, and what is left of it, nil for nothing. Since is when
// the balancer was first seen pending, zero where it was not.
func PhaseAfter(group *operation.Group, since time.Time, rest *Rest) Phase {
	switch {
	case group != nil:
		return Running{Group: group, Since: since, Rest: rest}
	case rest != nil:
		return Interrupted{Since: since, Rest: rest}
	case !since.IsZero():
		return Pending{since}
	}
	return nil
}

// PendingSince returns when the balancer was first seen pending, zero when it is not.
func (m *Service) PendingSince() time.Time {
	switch p := m.Phase.(type) {
	case Pending:
		return p.Since
	case Running:
		return p.Since
	case Interrupted:
		return p.Since
	case Failed:
		return p.Since
	case Removed, nil:
	}
	return time.Time{}
}

// SetPending notes since when the balancer is seen pending, zero where it is not. A failure stays, and so does a deletion
// that was not confirmed where nothing is pending: who decides asks for them.
func (m *Service) SetPending(since time.Time) {
	switch p := m.Phase.(type) {
	case Running:
		p.Since = since
		m.Phase = p
	case Interrupted:
		p.Since = since
		m.Phase = p
	case Failed:
		p.Since = since
		m.Phase = p
	case Removed:
		if !since.IsZero() {
			m.Phase = Pending{since}
		}
	case Pending, nil:
		m.Phase = PhaseAfter(nil, since, nil)
	}
}

// Rest is what is left of a change that takes several operations, one after the other.
type Rest struct {
	// Change is that of the Service's Request, and Seen when the balancer was looked at before it.
	Change  cloud.Change
	Request string
	Seen    time.Time
	// Steps are those that are left, see cloud.Progress.
	Steps any
}

// SeenWith notes that the balancer was seen when the change began of which that was left before. What is left may be nil.
func (r *Rest) SeenWith(before *Rest) {
	if r != nil {
		r.Seen = before.Seen
	}
}
