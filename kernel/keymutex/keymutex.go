// Package keymutex has a mutex per key whose waiting ends with a context.
package keymutex

import (
	"context"
	"sync"
)

// Mutex is a mutex per key. A key takes memory only while somebody holds it or waits. The zero Mutex is ready for use.
type Mutex struct {
	mu      sync.Mutex
	entries map[string]*entry
}

type entry struct {
	held  chan struct{} // capacity 1; full while held
	users int           // holder and waiters
}

// Lock waits for the key or for the end of ctx. On success unlock must be called once.
func (k *Mutex) Lock(ctx context.Context, key string) (unlock func(), err error) {
	e := k.enter(key)
	select {
	case e.held <- struct{}{}:
		return func() { <-e.held; k.leave(key, e) }, nil
	case <-ctx.Done():
		k.leave(key, e)
		return nil, context.Cause(ctx)
	}
}

func (k *Mutex) enter(key string) *entry {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.entries[key]
	if !ok {
		e = &entry{held: make(chan struct{}, 1)}
		if k.entries == nil {
			k.entries = map[string]*entry{}
		}
		k.entries[key] = e
	}
	e.users++
	return e
}

func (k *Mutex) leave(key string, e *entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e.users--; e.users == 0 {
		delete(k.entries, key)
	}
}
