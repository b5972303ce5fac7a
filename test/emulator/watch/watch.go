// Package watch wakes everybody who waits for a change, without polling.
package watch

import (
	"context"
	"sync"
)

// Signal announces changes to any number of waiters. The zero value is ready.
type Signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// Changed returns a channel that is closed by the next Announce. Take it before
// looking at the state, so that no change between the two is missed.
func (s *Signal) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

// Announce wakes everyone who holds a channel from Changed.
func (s *Signal) Announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

// Until returns nil as soon as holds reports true, or ctx's cause when ctx ends
// first. holds runs once at the start and once after each announcement.
func (s *Signal) Until(ctx context.Context, holds func() bool) error {
	for {
		changed := s.Changed()
		if holds() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
