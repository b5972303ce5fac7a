package state

import (
	"maps"
)

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
