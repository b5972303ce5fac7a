package state

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/keymutex"
)

// Store keeps what is remembered of each Service, by UID. An entry is open for one run
// at a time, so that what a run observed is still true when it writes. The zero Store is empty.
type Store struct {
	turns keymutex.Mutex

	mu    sync.Mutex
	known map[types.UID]Service
}

// Entry is what is remembered of one Service, for the run that has it open.
type Entry struct {
	State Service
	close func()
}

// Open waits until no other run has the entry of the Service open.
func (s *Store) Open(ctx context.Context, uid types.UID) (*Entry, error) {
	unlock, err := s.turns.Lock(ctx, string(uid))
	if err != nil {
		return nil, fmt.Errorf("waiting for another run for the same Service: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Entry{State: s.known[uid], close: unlock}, nil
}

// Close ends the run that has the entry open. One that says nothing is dropped.
func (s *Store) Close(uid types.UID, e *Entry) {
	defer e.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.State == (Service{}) {
		delete(s.known, uid)
		return
	}
	if s.known == nil {
		s.known = map[types.UID]Service{}
	}
	s.known[uid] = e.State
}
