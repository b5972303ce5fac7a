package view

import (
	"sync"
	"time"
)

// Burst joins what happens within a window into one call, at the window's end. What
// happens during the call opens the next window, so nothing is lost.
type Burst struct {
	Window time.Duration
	Fire   func()

	mu   sync.Mutex
	open bool
}

// Note says that something happened.
func (b *Burst) Note() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		return
	}
	b.open = true
	time.AfterFunc(b.Window, b.end)
}

func (b *Burst) end() {
	b.mu.Lock()
	b.open = false
	b.mu.Unlock()
	b.Fire()
}
