package instance

import (
	"cmp"
	"time"
)

// Policy holds the times and bounds of an Inventory. Zero fields have the default.
type Policy struct {
	// MaxAge is how old a list may be to answer for metadata. It is stretched where the
	// cloud's limits ask for fewer lists.
	MaxAge time.Duration
	// StateMaxAge is how old an answer may be to say that a machine exists or is shut
	// down. It is stretched like MaxAge.
	StateMaxAge time.Duration
	// StaleMaxAge is how old an answer may be to stand in for one that failed. Only
	// presence is answered so, and never a verdict.
	StaleMaxAge time.Duration
	// MinRefresh is the least time between the starts of two lists.
	MinRefresh time.Duration
	// Coalesce is how long an unknown machine waits for others to be read with it.
	Coalesce time.Duration
	// Patience is how long a question waits for a list. A list that hangs longer fails
	// the questions that need it, at once.
	Patience time.Duration
	// Grace is the age below which a Node is never judged gone: clouds show new machines
	// late.
	Grace time.Duration
	// ConfirmGap is the least time between the two not-founds that a verdict needs.
	ConfirmGap time.Duration
	// CanaryMaxAge is how old the proof may be that the credentials see our machines.
	CanaryMaxAge time.Duration
	// ShrinkFraction and ShrinkMin say how many machines of our Nodes may be missing from
	// a list that is believed: max(ShrinkFraction·previous, ShrinkMin).
	ShrinkFraction float64
	ShrinkMin      int
	// MassWait is how long more machines than the brake's limit must be missing before that
	// is believed without an operator.
	MassWait time.Duration
}

// DefaultPolicy returns the values everybody should use.
func DefaultPolicy() Policy {
	return Policy{
		MaxAge:         time.Minute,
		StateMaxAge:    10 * time.Second,
		StaleMaxAge:    10 * time.Minute,
		MinRefresh:     5 * time.Second,
		Coalesce:       100 * time.Millisecond,
		Patience:       15 * time.Second,
		Grace:          2 * time.Minute,
		ConfirmGap:     10 * time.Second,
		CanaryMaxAge:   time.Minute,
		ShrinkFraction: 0.10,
		ShrinkMin:      5,
		MassWait:       30 * time.Minute,
	}
}

func (p Policy) withDefaults() Policy {
	d := DefaultPolicy()
	return Policy{
		MaxAge:         cmp.Or(p.MaxAge, d.MaxAge),
		StateMaxAge:    cmp.Or(p.StateMaxAge, d.StateMaxAge),
		StaleMaxAge:    cmp.Or(p.StaleMaxAge, d.StaleMaxAge),
		MinRefresh:     cmp.Or(p.MinRefresh, d.MinRefresh),
		Coalesce:       cmp.Or(p.Coalesce, d.Coalesce),
		Patience:       cmp.Or(p.Patience, d.Patience),
		Grace:          cmp.Or(p.Grace, d.Grace),
		ConfirmGap:     cmp.Or(p.ConfirmGap, d.ConfirmGap),
		CanaryMaxAge:   cmp.Or(p.CanaryMaxAge, d.CanaryMaxAge),
		ShrinkFraction: cmp.Or(p.ShrinkFraction, d.ShrinkFraction),
		ShrinkMin:      cmp.Or(p.ShrinkMin, d.ShrinkMin),
		MassWait:       cmp.Or(p.MassWait, d.MassWait),
	}
}
