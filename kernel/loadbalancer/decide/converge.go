package decide

import (
	"errors"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

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
