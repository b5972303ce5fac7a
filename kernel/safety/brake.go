package safety

import (
	"cmp"
	"fmt"
	"sync"
	"time"
)

// BrakeOptions bound deletions. Zero fields have the value of DefaultBrake.
type BrakeOptions struct {
	// Max is how many deletions a Window may hold however small the cluster is.
	Max int
	// Fraction of all nodes that a Window may hold where that is more.
	Fraction float64
	// Window is how long a deletion counts.
	Window time.Duration
}

// Brake bounds how many nodes are deleted in a while, whatever the evidence: a mistake
// that gets past every other check costs at most max(Max, Fraction·nodes) of them per
// Window. It is safe for concurrent use.
type Brake struct {
	options BrakeOptions

	mu sync.Mutex
	// allowed holds when each key was let through.
	allowed map[string]time.Time
	// heldUntil is when the oldest deletion leaves the window that was full when the
	// brake last refused.
	heldUntil time.Time
}

// BrakeError is the refusal of a Brake.
type BrakeError struct {
	// Limit is how many deletions the window may hold.
	Limit  int
	Window time.Duration
	// Until is when the oldest deletion leaves the window.
	Until time.Time
}

func (e *BrakeError) Error() string {
	return fmt.Sprintf("deletion brake: no more than %d nodes may be deleted in %v; the next one at %s",
		e.Limit, e.Window, e.Until.UTC().Format(time.RFC3339))
}

// DefaultBrake returns the bounds everybody should use.
func DefaultBrake() BrakeOptions {
	return BrakeOptions{Max: 5, Fraction: 0.10, Window: 10 * time.Minute}
}

// NewBrake returns a brake that holds nothing yet.
func NewBrake(o BrakeOptions) *Brake {
	d := DefaultBrake()
	o.Max, o.Fraction, o.Window = cmp.Or(o.Max, d.Max), cmp.Or(o.Fraction, d.Fraction), cmp.Or(o.Window, d.Window)
	return &Brake{options: o, allowed: map[string]time.Time{}}
}

// Max returns how many deletions a window may hold however small the cluster is.
func (b *Brake) Max() int { return b.options.Max }

// Allow returns nil when the node with that key (its UID) may be deleted, and counts it;
// a key is counted once per window. total is the number of nodes there are. A refusal is
// a *BrakeError and engages the brake.
func (b *Brake) Allow(key string, total int) error { return b.decide(key, total, true) }

// Check says what Allow would say, without counting the key.
func (b *Brake) Check(key string, total int) error { return b.decide(key, total, false) }

// Engaged reports whether the brake holds something back: it refused, and its window has
// been full ever since.
func (b *Brake) Engaged() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Before(b.heldUntil)
}

// Release forgets the deletions so far, so that as many again are possible. It is the
// operator's way to say that they were meant.
func (b *Brake) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.allowed)
	b.heldUntil = time.Time{}
}

func (b *Brake) decide(key string, total int, count bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	oldest := b.expire(now)
	if _, counted := b.allowed[key]; counted {
		return nil
	}
	limit := max(b.options.Max, int(b.options.Fraction*float64(total)))
	if len(b.allowed) >= limit {
		b.heldUntil = oldest.Add(b.options.Window)
		return &BrakeError{Limit: limit, Window: b.options.Window, Until: b.heldUntil}
	}
	if count {
		b.allowed[key] = now
	}
	return nil
}

// expire drops what has left the window and returns the time of the oldest that remains.
func (b *Brake) expire(now time.Time) (oldest time.Time) {
	oldest = now
	for key, at := range b.allowed {
		if now.Sub(at) >= b.options.Window {
			delete(b.allowed, key)
		} else if at.Before(oldest) {
			oldest = at
		}
	}
	return oldest
}
