package state

import (
	"slices"
	"time"
)

// Duplicates are second balancers of a Service, as two processes make them that work at once for
// a moment.
type Duplicates struct {
	IDs []string
	// Since is when they were first seen beside the balancer that is kept.
	Since time.Time
}

// DuplicateWait is how long a second balancer is left, so that no other process works any more and
// the Service in the cache is the present one. A lease lasts a fraction of it.
const DuplicateWait = time.Minute

// Wait returns how long nothing may be deleted yet, 0 or less when it may.
func (d *Duplicates) Wait() time.Duration { return DuplicateWait - time.Since(d.Since) }

// Note adds what was seen beside the balancer that is kept, and returns all second balancers, nil
// when there are none.
func (m *Service) Note(seen []string, kept string) *Duplicates {
	for _, id := range seen {
		if id == kept || m.Duplicates != nil && slices.Contains(m.Duplicates.IDs, id) {
			continue
		}
		if m.Duplicates == nil {
			m.Duplicates = &Duplicates{}
		}
		m.Duplicates.IDs, m.Duplicates.Since = append(m.Duplicates.IDs, id), time.Now()
	}
	return m.Duplicates
}
