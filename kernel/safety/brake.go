package safety

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// BrakeOptions bound deletions. Zero fields have the value of DefaultBrake.
type BrakeOptions struct {
	// Max is how many deletions a Window may hold in a small cluster, but never more than
	// half of it.
	Max int
	// Fraction of all nodes that a Window may hold where that is more.
	Fraction float64
	// Window is how long a deletion counts.
	Window time.Duration
}

// Brake bounds how many nodes are deleted in a while, whatever the evidence: a mistake
// that gets past every other check costs at most Limit of them per Window. What it counts is
// written to its Store before a deletion is let through, so neither a restart nor a crash
// forgets it. Without a Store it counts in memory. It is safe for concurrent use.
type Brake struct {
	options BrakeOptions
	// store and hooks are set before the first use.
	store    Store
	missing  func(at time.Time) (keys []string, known bool)
	released func(Release)

	// writing lets one update of the store after the other begin.
	writing chan struct{}

	mu    sync.Mutex
	state state
	// read is when the store was read last, failure why it could not be read or written.
	read    time.Time
	failure error
	// ahead is how much the store's clock is ahead of ours.
	ahead time.Duration
	// heldUntil is when the brake that last refused lets go.
	heldUntil time.Time
	// invalid is the last release that could not be carried out, as its time was written.
	invalid string
}

// Release is an operator's word that what seemed gone at a time was meant to go.
type Release struct {
	By string
	// At is the time as it was written, Time what it is by our own clock.
	At   string
	Time time.Time
	// Keys are what is let through.
	Keys int
	// Err says why it is not carried out.
	Err error
}

// refreshAge is how old what was read may be where something is held back: that long an
// operator waits for a release to be seen.
const refreshAge = 5 * time.Second

// failureAge is how long a failure counts that nobody asked about again.
const failureAge = time.Minute

// BrakeError is the refusal of a Brake.
type BrakeError struct {
	// Limit is how many deletions the window may hold.
	Limit  int
	Window time.Duration
	// Until is when the brake lets the next one through.
	Until time.Time
	// Unreadable says that the record of earlier deletions was lost.
	Unreadable bool
}

func (e *BrakeError) Error() string {
	until := e.Until.UTC().Format(time.RFC3339)
	if e.Unreadable {
		return fmt.Sprintf("deletion brake: its record of earlier deletions could not be read, so nothing is deleted until %s; %s", until, ReleaseHint)
	}
	return fmt.Sprintf("deletion brake: no more than %d may be deleted in %v; the next one at %s; %s", e.Limit, e.Window, until, ReleaseHint)
}

// ReleaseHint is what every refusal tells an operator.
const ReleaseHint = "if this is meant, run `cloud-controller-manager release-brake`"

// StoreError says that the record of deletions can't be read or written, so that nothing may
// be deleted.
type StoreError struct{ Err error }

func (e *StoreError) Error() string {
	return fmt.Sprintf("deletion brake: the record of deletions can't be read or written, so nothing is deleted: %v", e.Err)
}

func (e *StoreError) Unwrap() error { return e.Err }

// DefaultBrake returns the bounds everybody should use.
func DefaultBrake() BrakeOptions {
	return BrakeOptions{Max: 5, Fraction: 0.20, Window: 10 * time.Minute}
}

// NewBrake returns a brake that holds nothing yet.
func NewBrake(o BrakeOptions) *Brake {
	d := DefaultBrake()
	o.Max, o.Fraction, o.Window = cmp.Or(o.Max, d.Max), cmp.Or(o.Fraction, d.Fraction), cmp.Or(o.Window, d.Window)
	return &Brake{options: o, store: &memory{}, writing: make(chan struct{}, 1)}
}

// Keep makes the brake keep its record there. It is called before the first use.
func (b *Brake) Keep(store Store) { b.store = store }

// Watch sets what a release needs, before the first use: missing returns the keys of what seemed
// gone at that time, which a release lets through, and false while that is not known, for which a
// release waits; released is told of it. Both may be nil.
func (b *Brake) Watch(missing func(at time.Time) (keys []string, known bool), released func(Release)) {
	b.missing, b.released = missing, released
}

// Max returns how many deletions a window may hold in a small cluster.
func (b *Brake) Max() int { return b.options.Max }

// Window returns how long a deletion counts.
func (b *Brake) Window() time.Duration { return b.options.Window }

// Limit returns how many of total nodes a window may hold. At least one node may always go,
// and never more than half of them because of Max.
//
//	nodes                         1  3  5  10  20  50  100  1000
//	with the default values       1  1  2   5   5  10   20   200
func (b *Brake) Limit(total int) int {
	return max(1, int(b.options.Fraction*float64(total)), min(b.options.Max, total/2))
}

// Allow lets as many of the keys (UIDs of nodes) through as the window has room for, and
// returns them. They are counted, each once per window, before Allow returns. total is the
// number of nodes there are. The error says why the rest is refused: a *BrakeError, which
// engages the brake, or a *StoreError.
func (b *Brake) Allow(ctx context.Context, total int, keys ...string) (allowed []string, err error) {
	var refusal error
	if err := b.update(ctx, func(s *state, now time.Time) {
		allowed, refusal = nil, nil
		for _, key := range keys {
			if err := b.refuse(s, key, total, now); err != nil {
				refusal = err
				continue
			}
			s.count(key, total, now)
			allowed = append(allowed, key)
		}
	}); err != nil {
		return nil, err
	}
	b.hold(refusal)
	return allowed, refusal
}

// Check says what Allow would say, without counting the key. It may rely on what was read a
// moment ago.
func (b *Brake) Check(ctx context.Context, total int, key string) error {
	if err := b.Refresh(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	now := b.nowLocked()
	b.state.expire(now, b.options.Window)
	err := b.refuse(&b.state, key, total, now)
	b.mu.Unlock()
	b.hold(err)
	return err
}

// Refresh reads the store, and carries out a release, unless that was done a moment ago.
func (b *Brake) Refresh(ctx context.Context) error {
	if fresh, failure := b.fresh(); fresh {
		return failure
	}
	ctx, done, err := b.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	if fresh, failure := b.fresh(); fresh { // who had the turn before has read it
		return failure
	}
	return b.write(ctx, func(*state, time.Time) {})
}

// fresh reports whether the store was read a moment ago, and with which result.
func (b *Brake) fresh() (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.read.IsZero() && time.Since(b.read) < refreshAge, b.failure
}

// nowLocked is the time by the store's clock. The caller holds mu.
func (b *Brake) nowLocked() time.Time { return time.Now().Add(b.ahead) }

// Released reports whether an operator let the key through.
func (b *Brake) Released(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.released(key, b.nowLocked())
}

// Account returns the account that was remembered last, "" when there is none. A release
// forgets it.
func (b *Brake) Account() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.Account
}

// Remember keeps which account the machines of this cluster are in.
func (b *Brake) Remember(ctx context.Context, account string) error {
	return b.update(ctx, func(s *state, _ time.Time) { s.Account = account })
}

// Engaged reports whether the brake holds something back: it refused, and its window has
// been full ever since, or its record could not be read or written a moment ago.
func (b *Brake) Engaged() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failure != nil && time.Since(b.read) < failureAge || b.nowLocked().Before(b.heldUntil)
}

// refuse returns a *BrakeError unless the key may go.
func (b *Brake) refuse(s *state, key string, total int, now time.Time) error {
	limit := b.Limit(max(total, s.total()))
	until := time.Unix(s.HeldUntil, 0)
	switch {
	case s.counted(key) || s.released(key, now):
		return nil
	case now.Before(until):
		return &BrakeError{Limit: limit, Window: b.options.Window, Until: until, Unreadable: true}
	case s.size() >= limit:
		return &BrakeError{Limit: limit, Window: b.options.Window, Until: s.oldest().Add(b.options.Window)}
	default:
		return nil
	}
}

func (b *Brake) hold(err error) {
	if refused, ok := errors.AsType[*BrakeError](err); ok {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.heldUntil = refused.Until
	}
}
