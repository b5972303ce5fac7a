package state

import (
	"maps"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
)

// LastApplied are fingerprints of the balancer as the last successful run left it. "" is
// unknown.
type LastApplied struct{ shape, targets string }

func lastApplied(b cloud.Balancer) LastApplied {
	targets := b.Targets
	b.Targets = nil
	return LastApplied{shape: difference.Fingerprint(b), targets: difference.Fingerprint(targets)}
}

// RecordApplied remembers the state that a change led to, the whole of it or its targets; before is what was
// remembered before it. A state we did not lead to is not remembered.
func (m *Service) RecordApplied(after *cloud.Balancer, whole bool, before LastApplied) {
	if after == nil {
		return
	}
	m.LastApplied = lastApplied(*after)
	if !whole {
		m.LastApplied.shape = before.shape
	}
}

// Undone returns the operations that bring back what we left: they are needed although we
// want the same as before, so somebody else changed it.
//
//	wanted then and now  operation needed  it is
//	same                 yes               drift
//	other                yes               a change of the Service or its nodes
//	unknown (restart)    yes               a change, for all we know
func (s LastApplied) Undone(change cloud.Change) []cloud.Operation {
	if change.After == nil {
		return nil
	}
	now := lastApplied(*change.After)
	var undone []cloud.Operation
	for _, op := range change.Operations {
		if op.Kind == cloud.KindTarget && now.targets == s.targets || op.Kind != cloud.KindTarget && now.shape == s.shape {
			undone = append(undone, op)
		}
	}
	return undone
}

// Repetition counts how often the same changes were made for the same request in a row. Where a
// change takes several runs, it is the most often made step of it that counts.
type Repetition struct {
	changes string
	Times   int
	steps   *stepCounts
}

// stepCounts is how often each step was made.
type stepCounts map[string]int

// Again returns the repetition that making the changes once more would be.
func (r Repetition) Again(changes string) Repetition {
	if r.changes != changes {
		return Repetition{changes: changes, Times: 1}
	}
	r.Times++
	return r
}

// With returns the repetition after a step of the change, "" where the change is one.
func (r Repetition) With(step string) Repetition {
	if step == "" {
		return r
	}
	counts := stepCounts{}
	if r.steps != nil {
		counts = maps.Clone(*r.steps)
	}
	counts[step]++
	r.steps, r.Times = &counts, 0
	for _, times := range counts {
		r.Times = max(r.Times, times)
	}
	return r
}
