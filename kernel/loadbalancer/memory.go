package loadbalancer

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/keymutex"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// store keeps what is remembered of each Service, by UID. An entry is open for one run
// at a time, so that what a run observed is still true when it writes. The zero store is empty.
type store struct {
	turns keymutex.Mutex

	mu    sync.Mutex
	known map[types.UID]state.Service
}

// entry is what is remembered of one Service, for the run that has it open.
type entry struct {
	State state.Service
	close func()
}

// open waits until no other run has the entry of the Service open.
func (s *store) open(ctx context.Context, uid types.UID) (*entry, error) {
	unlock, err := s.turns.Lock(ctx, string(uid))
	if err != nil {
		return nil, fmt.Errorf("waiting for another run for the same Service: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &entry{State: s.known[uid], close: unlock}, nil
}

// close ends the run that has the entry open. One that says nothing is dropped.
func (s *store) close(uid types.UID, e *entry) {
	defer e.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.State == (state.Service{}) {
		delete(s.known, uid)
		return
	}
	if s.known == nil {
		s.known = map[types.UID]state.Service{}
	}
	s.known[uid] = e.State
}
