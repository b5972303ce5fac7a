package state

import (
	"time"
)

// FailedCreation counts the balancers of a Service that failed before they ever served.
type FailedCreation struct {
	// seen is when the present one was first seen failed, zero when it has not.
	seen time.Time
	// id is the last one that was deleted to be made anew, and deleted how many were.
	id      string
	deleted int
}

// How long a balancer that failed before it served is left before it is deleted, so that the next
// run makes another one. The wait doubles: what failed for want of room or rights will fail again.
const (
	recreateFirst = 10 * time.Second
	recreateLast  = 5 * time.Minute
)

// Saw notes whether the balancer is seen failed.
func (s *FailedCreation) Saw(failed bool) {
	switch {
	case !failed:
		s.seen = time.Time{}
	case s.seen.IsZero():
		s.seen = time.Now()
	}
}

// Due reports whether the balancer, which is seen failed, is to be deleted now.
func (s *FailedCreation) Due(id string) bool {
	return s.id == id || !s.seen.IsZero() && time.Since(s.seen) >= s.Wait()
}

// Wait returns how long a balancer that failed is left.
func (s *FailedCreation) Wait() time.Duration {
	return min(recreateFirst<<min(s.deleted, 8), recreateLast)
}

// Count notes that a balancer is being deleted, which can take several runs.
func (s *FailedCreation) Count(id string) {
	if s.id != id {
		s.id, s.deleted = id, s.deleted+1
	}
	s.seen = time.Time{}
}
