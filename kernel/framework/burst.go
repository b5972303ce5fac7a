package framework

import (
	"sync"
	"time"
)

// burst joins what happens within a window into one call, at the window's end. What
// happens during the call opens the next window, so nothing is lost.
type burst struct {
	window time.Duration
	fire   func()

	mu   sync.Mutex
	open bool
}

// note says that something happened.
func (b *burst) note() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		return
	}
	b.open = true
	time.AfterFunc(b.window, b.end)
}

func (b *burst) end() {
	b.mu.Lock()
	b.open = false
	b.mu.Unlock()
	b.fire()
}
