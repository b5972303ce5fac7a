package instance

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// guard knows whether the credentials can be trusted to see our machines: whose account
// they see, and when they last saw a machine that must be there (the canary).
type guard struct {
	driver cloud.Driver
	// spend pays for requests.
	spend func(requests int)
	// retry is how long a failed check answers for the next ones.
	retry   time.Duration
	flights singleflight.Group

	mu sync.Mutex
	// account is what was seen first, since then.
	account *cloud.Identity
	since   time.Time
	// same and canary are when the latest checks started that found the account unchanged
	// and a canary.
	same, canary time.Time
	failure      *refusal
	failedAt     time.Time
	turn         int
}

func newGuard(driver cloud.Driver, spend func(requests int), retry time.Duration) *guard {
	return &guard{driver: driver, spend: spend, retry: retry}
}

// learn reads the account once, at start.
func (g *guard) learn(ctx context.Context) {
	g.mu.Lock()
	known := g.account != nil
	g.mu.Unlock()
	if !known {
		_ = g.share(ctx, "identity", g.readIdentity)
	}
}

// identity returns the account that was seen first.
func (g *guard) identity() (cloud.Identity, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.account == nil {
		return cloud.Identity{}, false
	}
	return *g.account, true
}

// forget drops an account that was learned before a time, and reports whether there was one.
// It is for the first sight of our machines: a process that was started with the credentials
// of another account must not take the right ones for wrong.
func (g *guard) forget(before time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.account == nil || !g.since.Before(before) {
		return false
	}
	g.account, g.same = nil, time.Time{}
	return true
}

// unchanged returns nil when the account, read at since or later, is the one it was before.
func (g *guard) unchanged(ctx context.Context, since time.Time) error {
	for {
		g.mu.Lock()
		same, known := g.same, g.since
		g.mu.Unlock()
		if !same.Before(since) {
			if known.After(since) {
				return refuse(verdictIdentityUnknown, "which account the credentials see was not known before")
			}
			return nil
		}
		if err := g.share(ctx, "identity", g.readIdentity); err != nil {
			return err
		}
	}
}

// accountChanged reads the account and returns a refusal when it is certainly another one.
func (g *guard) accountChanged(ctx context.Context) *refusal {
	r, ok := errors.AsType[*refusal](g.share(ctx, "identity", g.readIdentity))
	if !ok || r.verdict != verdictIdentityChanged {
		return nil
	}
	return r
}

func (g *guard) readIdentity(ctx context.Context) error {
	started := time.Now()
	g.spend(1)
	identity, err := bounded(ctx, "identity", g.driver.Identity)
	if err != nil {
		return refuse(verdictCloudFailure, "reading which account the credentials see: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.account == nil {
		g.account, g.since = &identity, time.Now()
	}
	if *g.account != identity {
		return refuse(verdictIdentityChanged, "the credentials see account %q, before they saw %q", identity.Account, g.account.Account)
	}
	g.same = started
	return nil
}

// sang reports whether a canary was seen at since or later and not longer ago than age.
func (g *guard) sang(since time.Time, age time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.canary.Before(since) && time.Since(g.canary) <= age
}

func (g *guard) heard(at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.After(g.canary) {
		g.canary = at
	}
}

// nextTurn counts checks.
func (g *guard) nextTurn() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn++
	return g.turn
}

// failing returns the check that failed a moment ago, so that machines which seem gone are
// not read for nothing meanwhile.
func (g *guard) failing() *refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failure != nil && time.Since(g.failedAt) < g.retry {
		return g.failure
	}
	return nil
}

func (g *guard) fail(r *refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failure, g.failedAt = r, time.Now()
}

// share runs a check once for all who need it now. It outlives the one who asked first.
func (g *guard) share(ctx context.Context, check string, f func(context.Context) error) error {
	result := g.flights.DoChan(check, func() (any, error) { return nil, f(detached(ctx)) })
	select {
	case r := <-result:
		return r.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}
