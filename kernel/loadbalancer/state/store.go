package state

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Store keeps what is remembered of each Service, by UID. An entry is open for one run
// at a time, so that what a run observed is still true when it writes. The zero Store is empty.
type Store struct {
	mu      sync.Mutex
	entries map[types.UID]*Entry
}

// Entry is what is remembered of one Service.
type Entry struct {
	// turn holds something while the entry is open.
	turn chan struct{}
	// users are the runs that have the entry open or wait for it.
	users int
	// State is only for the run that has the entry open.
	State Service
}

// Open waits until no other run has the entry of the Service open.
func (b *Store) Open(ctx context.Context, uid types.UID) (*Entry, error) {
	p := b.enter(uid)
	select {
	case p.turn <- struct{}{}:
		return p, nil
	case <-ctx.Done():
		b.leave(uid, p)
		return nil, fmt.Errorf("waiting for another run for the same Service: %w", context.Cause(ctx))
	}
}

// Close ends the run that has the entry open.
func (b *Store) Close(uid types.UID, p *Entry) {
	<-p.turn
	b.leave(uid, p)
}

func (b *Store) enter(uid types.UID) *Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.entries == nil {
		b.entries = map[types.UID]*Entry{}
	}
	p := b.entries[uid]
	if p == nil {
		p = &Entry{turn: make(chan struct{}, 1)}
		b.entries[uid] = p
	}
	p.users++
	return p
}

// leave drops an entry that nobody uses and that says nothing.
func (b *Store) leave(uid types.UID, p *Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.users--; p.users == 0 && p.State == (Service{}) {
		delete(b.entries, uid)
	}
}
