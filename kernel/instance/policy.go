package instance

import (
	"cmp"
	"time"
)

// Policy holds the times and bounds of an Inventory. Zero fields have the default.
type Policy struct {
	// MaxAge is how old a list may be to answer for metadata, StateMaxAge how old an answer to say that a
	// machine exists or is shut down. Both are stretched where the cloud's limits ask for fewer reads.
	MaxAge, StateMaxAge time.Duration
	// StaleMaxAge is how old an answer may be to stand in for one that failed. Only
	// presence is answered so, never a proof of absence.
	StaleMaxAge time.Duration
	// MinRefresh is the least time between the starts of two lists.
	MinRefresh time.Duration
	// Coalesce is how long an unknown machine waits for others to be read with it.
	Coalesce time.Duration
	// Patience is how long a question waits for a list, before it fails.
	Patience time.Duration
	// Grace is the age below which a Node is never judged gone: clouds show new machines late.
	Grace time.Duration
	// ConfirmGap is the least time between the two not-founds that a proof needs.
	ConfirmGap time.Duration
	// ProbeMaxAge is how old the proof may be that the credentials see our machines.
	ProbeMaxAge time.Duration
	// ShrinkFraction and ShrinkMin say how many machines of our Nodes may be missing from
	// a list that is believed: max(ShrinkFraction·previous, ShrinkMin).
	ShrinkFraction float64
	ShrinkMin      int
	// MassWait is how long more machines than the brake's limit must be missing before that
	// is believed without an operator.
	MassWait time.Duration
}

// DefaultPolicy returns the values everybody should use.
func DefaultPolicy() Policy { return Policy{}.withDefaults() }

func (p Policy) withDefaults() Policy {
	return Policy{
		MaxAge:         cmp.Or(p.MaxAge, time.Minute),
		StateMaxAge:    cmp.Or(p.StateMaxAge, 10*time.Second),
		StaleMaxAge:    cmp.Or(p.StaleMaxAge, 10*time.Minute),
		MinRefresh:     cmp.Or(p.MinRefresh, 5*time.Second),
		Coalesce:       cmp.Or(p.Coalesce, 100*time.Millisecond),
		Patience:       cmp.Or(p.Patience, 15*time.Second),
		Grace:          cmp.Or(p.Grace, 2*time.Minute),
		ConfirmGap:     cmp.Or(p.ConfirmGap, 10*time.Second),
		ProbeMaxAge:    cmp.Or(p.ProbeMaxAge, time.Minute),
		ShrinkFraction: cmp.Or(p.ShrinkFraction, 0.10),
		ShrinkMin:      cmp.Or(p.ShrinkMin, 5),
		MassWait:       cmp.Or(p.MassWait, 30*time.Minute),
	}
}
