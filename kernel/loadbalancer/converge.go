package loadbalancer

import (
	"errors"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// repetition counts how often the same changes were made for the same request in a row.
type repetition struct {
	changes string
	times   int
}

// mostRepetitions is how often the same changes may be made before we believe that the
// cloud does not store what it is told.
const mostRepetitions = 3

// again returns the repetition that one more execution of the decision would be.
func (p *pipeline) again(d decision) repetition {
	changes := fingerprint(p.fingerprint, d.change.Operations)
	if p.state.repeated.changes != changes {
		return repetition{changes, 1}
	}
	return repetition{changes, p.state.repeated.times + 1}
}

// restrain blocks all operations of a decision that has been carried out too often already.
// A replacement may be: the old balancer can take its time to go, and a new one is not
// replaced again.
func (p *pipeline) restrain(d decision) decision {
	if d.plan.Empty() || d.replaces || p.again(d).times <= mostRepetitions {
		return d
	}
	d.warnings = append(d.warnings, warning{event.NotConverging, fmt.Sprintf(
		"made %d times in a row and needed again: %s", mostRepetitions, summary(d.change.Operations))})
	for i := range d.plan.Operations {
		if op := &d.plan.Operations[i]; op.Blocked == "" {
			op.Blocked = "the cloud does not keep it"
		}
	}
	d.change.Operations, d.change.After = nil, nil
	d.whole = false
	if !d.change.Before.Found {
		d.err = errors.Join(d.err, &cloud.Error{Op: "creating balancer", Err: errors.New("the cloud does not keep it")})
	}
	return d
}
