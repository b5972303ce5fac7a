package safety

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Store keeps the record of a Brake where the next process finds it.
type Store interface {
	// Update reads what is stored and stores what change makes of it, unless that is the
	// same. When another process stored something in between it starts again, so that
	// nobody's record is overwritten. An error of change stores nothing.
	Update(ctx context.Context, change func(Stored) (record string, err error)) error
}

// Stored is what a Store holds.
type Stored struct {
	// Record is "" when there is none yet.
	Record string
	// ReleasedBy and ReleasedAt are the operator's latest release, as it was written.
	ReleasedBy, ReleasedAt string
	// Now is the store's time, zero when it does not say it.
	Now time.Time
}

// The annotations of the leader's lease.
const (
	// AnnotationNodes and AnnotationRoutes hold the records of the two brakes; the cloud's name
	// follows, since controller managers of several clouds may have one lease.
	AnnotationNodes  = "multicloud-ccm.io/node-deletions."
	AnnotationRoutes = "multicloud-ccm.io/route-deletions."
	// AnnotationReleasedAt releases the brakes, AnnotationReleasedBy says who did that.
	AnnotationReleasedBy = "multicloud-ccm.io/brake-released-by"
	AnnotationReleasedAt = "multicloud-ccm.io/brake-released-at"
)

// storeTimeout bounds one update.
const storeTimeout = 10 * time.Second

// turn waits until no other update runs, for as long as one may take.
func (b *Brake) turn(ctx context.Context) (context.Context, func(), error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	select {
	case b.writing <- struct{}{}:
		return ctx, func() { <-b.writing; cancel() }, nil
	case <-ctx.Done():
		cancel()
		return nil, nil, &StoreError{ctx.Err()}
	}
}

func (b *Brake) update(ctx context.Context, change func(s *state, now time.Time)) error {
	ctx, done, err := b.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	return b.write(ctx, change)
}

// write changes the state in the store, and in memory once it is stored. A store without a record,
// because somebody deleted the object, gets what is in memory. Times are the store's, so that no
// process takes what another one wrote a moment ago for long ago.
func (b *Brake) write(ctx context.Context, change func(s *state, now time.Time)) error {
	b.mu.Lock()
	known := b.state.clone()
	b.mu.Unlock()
	var next state
	var release *Release
	var ahead time.Duration
	err := b.store.Update(ctx, func(stored Stored) (string, error) {
		if !stored.Now.IsZero() {
			ahead = time.Until(stored.Now)
		}
		now := time.Now().Add(ahead)
		next = load(stored.Record, known, now.Add(b.options.Window))
		next.expire(now, b.options.Window)
		release = b.release(&next, stored, now)
		change(&next, now)
		return next.encode()
	})
	b.mu.Lock()
	b.read, b.failure = time.Now(), nil
	tell := false
	if err != nil {
		b.failure = &StoreError{err}
	} else {
		b.state, b.ahead = next, ahead
		if release != nil && release.Err == nil {
			b.heldUntil = time.Time{}
		}
		if tell = release != nil && (release.Err == nil || release.At != b.invalid); tell {
			b.invalid = release.At
		}
	}
	err = b.failure
	b.mu.Unlock()
	if tell && b.released != nil {
		release.Time = release.Time.Add(-ahead)
		b.released(*release)
	}
	return err
}

// release carries out an operator's release that was not carried out yet: what was deleted until
// the time it was given is not counted any more, and what seemed gone then may go. While that is not
// known it waits.
func (b *Brake) release(s *state, stored Stored, now time.Time) *Release {
	if stored.ReleasedAt == "" || stored.ReleasedAt == s.ReleasedAt {
		return nil
	}
	r := &Release{By: cmp.Or(stored.ReleasedBy, "unknown"), At: stored.ReleasedAt}
	if r.Time, r.Err = b.releaseTime(stored.ReleasedAt, now); r.Err != nil {
		return r
	}
	var keys []string
	if b.missing != nil {
		var known bool
		if keys, known = b.missing(r.Time); !known {
			return nil
		}
	}
	s.ReleasedAt, s.Account, s.HeldUntil = stored.ReleasedAt, "", 0
	s.forget(r.Time)
	s.permit(keys, now)
	r.Keys = len(keys)
	return r
}

// releaseTime returns when a release was given. One that is older than a window is not about what
// seems gone now.
func (b *Brake) releaseTime(text string, now time.Time) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	switch age := now.Sub(at); {
	case err != nil:
		return at, fmt.Errorf("%s: %q is not a time: want RFC 3339, such as 2026-01-31T12:00:00Z", AnnotationReleasedAt, text)
	case age >= b.options.Window:
		return at, fmt.Errorf("%s: %s is %v ago by the clock of the API server, at which it is %s; a release holds for %v: compare your clock, and release again",
			AnnotationReleasedAt, text, age.Round(time.Second), now.UTC().Format(time.RFC3339), b.options.Window)
	case age < 0:
		return now, nil // the operator's clock is fast
	}
	return at, nil
}

// memory is the store of a brake without one. The state is in the brake already.
type memory struct{ record string }

func (m *memory) Update(_ context.Context, change func(Stored) (string, error)) error {
	record, err := change(Stored{Record: m.record})
	if err == nil {
		m.record = record
	}
	return err
}
