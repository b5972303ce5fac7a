package instance

import (
	"cmp"
	"time"
)

const (
	// maxAge is how old a list may be to answer for metadata. It is stretched where the cloud's limits ask for fewer reads.
	maxAge = time.Minute
	// staleMaxAge is how old an answer may be to stand in for one that failed. Only presence is answered so, never a proof
	// of absence.
	staleMaxAge = 10 * time.Minute
	// minRefresh is the least time between the starts of two lists.
	minRefresh = 5 * time.Second
	// probeMaxAge is how old the proof may be that the credentials see our machines.
	probeMaxAge = time.Minute
	// proofQuestions is what the framework's questions, which come every few seconds, add to the gaps of a proof.
	proofQuestions = 15 * time.Second
	// shrinkFraction and shrinkMin say how many machines of our Nodes may be missing from a list that is believed:
	// max(shrinkFraction·previous, shrinkMin).
	shrinkFraction = 0.10
	shrinkMin      = 5
)

// Policy holds the times of an Inventory that can be chosen. Zero fields have the default.
type Policy struct {
	// StateMaxAge is how old an answer may be to say that a machine exists or is shut down. It is stretched where the
	// cloud's limits ask for fewer reads.
	StateMaxAge time.Duration
	// Coalesce is how long an unknown machine waits for others to be read with it.
	Coalesce time.Duration
	// Patience is how long a question waits for a list, before it fails.
	Patience time.Duration
	// Grace is the age below which a Node is never judged gone: clouds show new machines late.
	Grace time.Duration
	// ConfirmGap is the least time between the two not-founds that a proof needs.
	ConfirmGap time.Duration
	// MassWait is how long more machines than the brake's limit must be missing before that
	// is believed without an operator.
	MassWait time.Duration
}

// DefaultPolicy returns the values everybody should use.
func DefaultPolicy() Policy { return Policy{}.withDefaults() }

func (p Policy) withDefaults() Policy {
	return Policy{
		StateMaxAge: cmp.Or(p.StateMaxAge, 10*time.Second),
		Coalesce:    cmp.Or(p.Coalesce, 100*time.Millisecond),
		Patience:    cmp.Or(p.Patience, 15*time.Second),
		Grace:       cmp.Or(p.Grace, 2*time.Minute),
		ConfirmGap:  cmp.Or(p.ConfirmGap, 10*time.Second),
		MassWait:    cmp.Or(p.MassWait, 30*time.Minute),
	}
}

// proofTime is how long a proof that a machine is gone takes at most where nothing is in its way: a not-found does not count
// while the account was not known before.
func (p Policy) proofTime() time.Duration { return 2*p.ConfirmGap + proofQuestions }
