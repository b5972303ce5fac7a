package run

import (
	"context"
	"sync"
)

// keyedMutex is a mutex per key. A key takes memory only while somebody holds it or waits.
type keyedMutex struct {
	mu      sync.Mutex
	entries map[string]*keyedEntry
}

type keyedEntry struct {
	held  chan struct{} // capacity 1; full while held
	users int           // holder and waiters
}

// lock waits for the key or for the end of ctx. On success unlock must be called once.
func (k *keyedMutex) lock(ctx context.Context, key string) (unlock func(), err error) {
	entry := k.enter(key)
	select {
	case entry.held <- struct{}{}:
		return func() { <-entry.held; k.leave(key, entry) }, nil
	case <-ctx.Done():
		k.leave(key, entry)
		return nil, context.Cause(ctx)
	}
}

func (k *keyedMutex) enter(key string) *keyedEntry {
	k.mu.Lock()
	defer k.mu.Unlock()
	entry, ok := k.entries[key]
	if !ok {
		entry = &keyedEntry{held: make(chan struct{}, 1)}
		if k.entries == nil {
			k.entries = map[string]*keyedEntry{}
		}
		k.entries[key] = entry
	}
	entry.users++
	return entry
}

func (k *keyedMutex) leave(key string, entry *keyedEntry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if entry.users--; entry.users == 0 {
		delete(k.entries, key)
	}
}
