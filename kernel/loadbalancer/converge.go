package loadbalancer

import (
	"errors"
	"fmt"
	"maps"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// repetition counts how often the same changes were made for the same request in a row. Where a
// change takes several runs, it is the most often made step of it that counts.
type repetition struct {
	changes string
	times   int
	steps   *stepCounts
}

// stepCounts is how often each step was made.
type stepCounts map[string]int

// mostRepetitions is how often the same changes may be made before we believe that the
// cloud does not store what it is told.
const mostRepetitions = 3

// again returns the repetition that one more execution of the decision would be.
func (p *pipeline) again(d decision) repetition {
	changes := difference.Fingerprint(p.Fingerprint, d.change.Operations)
	if p.state.repeated.changes != changes {
		return repetition{changes: changes, times: 1}
	}
	again := p.state.repeated
	again.times++
	return again
}

// with returns the repetition after a step of the change, "" where the change is one.
func (r repetition) with(step string) repetition {
	if step == "" {
		return r
	}
	counts := stepCounts{}
	if r.steps != nil {
		counts = maps.Clone(*r.steps)
	}
	counts[step]++
	r.steps, r.times = &counts, 0
	for _, times := range counts {
		r.times = max(r.times, times)
	}
	return r
}

// restrain blocks all operations of a decision that has been carried out too often already.
// A replacement may be: the old balancer can take its time to go, and a new one is not
// replaced again.
func (p *pipeline) restrain(d decision) decision {
	if d.plan.Empty() || d.replaces || p.again(d).times <= mostRepetitions {
		return d
	}
	d.warnings = append(d.warnings, problem.Warn(event.NotConverging, fmt.Sprintf(
		"made %d times in a row and needed again: %s", mostRepetitions, difference.Summary(d.change.Operations))))
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
