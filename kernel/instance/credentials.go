package instance

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/batch"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// credentials knows whether the credentials can be trusted to see our machines: whose account
// they see, and when they last saw a machine that must be there (see probe).
//
// The account in which a list showed machines of our Nodes is remembered beside the brake's
// record. A process that starts with the credentials of another account, while no Node is
// Ready, can't tell by anything else that it sees the wrong one.
type credentials struct {
	*state
	// identities are the checks of the account, which all who need one at the same time share.
	identities *batch.Batcher[struct{}, struct{}]
	// trusts are the questions of Trust. Those that come close together, as when many balancers are gone, share a check.
	trusts *batch.Batcher[struct{}, struct{}]

	mu sync.Mutex
	// parts is what is known of each of the credentials, see cloud.Partition.
	parts map[string]*part
	// account is what was seen first, since then; known says that it was.
	account cloud.Identity
	known   bool
	since   time.Time
	// unchanged is when the latest check started that found the account unchanged.
	unchanged time.Time
	denial    *absence.Denial
	deniedAt  time.Time
}

// part is what is known of the credentials that see a part of the machines.
type part struct {
	// probes are the checks, which all who need one at the same time share, and turn counts them.
	probes *batch.Batcher[struct{}, struct{}]
	turn   int
	// probed is when the latest check started that found a machine that must be there.
	probed time.Time
}

// part returns what is known of the credentials of that name.
func (c *credentials) part(name string) *part {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts[name] == nil {
		c.parts[name] = &part{probes: batch.Shared(func(ctx context.Context) error { return c.readProbe(forProofs(ctx), name) })}
	}
	return c.parts[name]
}

func newCredentials(s *state) *credentials {
	c := &credentials{state: s, parts: map[string]*part{}}
	c.identities = batch.Shared(func(ctx context.Context) error { return c.readIdentity(forProofs(ctx)) })
	c.trusts = batch.Shared(func(ctx context.Context) error { return c.distrust(c.check(ctx)) })
	c.trusts.Wait, c.trusts.Rejoin = trustWait, false // it has to begin after the question
	return c
}

// forProofs is the context of a call that all share who need to know which account the credentials see: proofs are among them,
// whoever asked first.
func forProofs(ctx context.Context) context.Context {
	return cloud.WithTenant(cloud.WithAtLeast(ctx, cloud.PriorityExistence), "")
}

// trustWait is how long questions of Trust are collected.
const trustWait = 250 * time.Millisecond

// Trust returns nil when the credentials certainly see what they saw before: the same account,
// also before a restart, and, while a Node of ours is Ready, one of their machines. Whoever is told that something of
// ours is gone asks this before believing it: with other credentials everything seems gone.
func (i *Inventory) Trust(ctx context.Context) error {
	_, err := i.credentials.trusts.Ask(ctx, struct{}{})
	return err
}

func (c *credentials) check(ctx context.Context) error {
	c.learn(ctx)
	asked := time.Now()
	if err := c.sameAccount(ctx, "", "", asked); err != nil {
		return err
	}
	if len(c.candidates("")) == 0 {
		return c.remembered(ctx, true)
	}
	return c.probe(ctx, nil, "", asked)
}

// distrust draws the consequences of a failed check of the credentials, and returns it. If
// they are wrong, everything that was read before is void.
func (c *credentials) distrust(err error) error {
	d, ok := errors.AsType[*absence.Denial](err)
	if !ok {
		return err
	}
	switch d.Decision {
	case absence.IdentityChanged, absence.NoProbe:
		c.absences.Void()
		c.fail(d)
	case absence.CloudFailure:
		c.fail(d)
	}
	return err
}

// fail keeps a failed check, for failed.
func (c *credentials) fail(d *absence.Denial) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.denial, c.deniedAt = d, time.Now()
}

// failed returns the check that failed a moment ago, so that machines which seem gone are
// not read for nothing meanwhile.
func (c *credentials) failed() *absence.Denial {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.denial != nil && time.Since(c.deniedAt) < c.policy.ConfirmGap {
		return c.denial
	}
	return nil
}

// learn reads the account once, at start.
func (c *credentials) learn(ctx context.Context) {
	if _, known := c.identity(); !known {
		_, _ = c.identities.Ask(ctx, struct{}{})
	}
}

// identity returns the account that was seen first.
func (c *credentials) identity() (cloud.Identity, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.account, c.known
}

// forget drops an account that was learned before a time, and reports whether there was one.
// It is for the first sight of our machines: a process that was started with the credentials
// of another account must not take the right ones for wrong.
func (c *credentials) forget(before time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known || !c.since.Before(before) {
		return false
	}
	c.known, c.unchanged = false, time.Time{}
	return true
}

// errNoAccount is cloud.Identity.Unknown.
var errNoAccount = errors.New("nothing that they can read tells one account of this cloud from another")

// sameAccount returns nil when the credentials certainly see, at since or later, the account
// they saw before. Where they may not ask for the account, or it has no name, the machine of a Ready Node proves
// the same: no other account has it. Without one an operator's release of the Node, if any, stands in.
// It is about the credentials that see the machine with the id, "" for those of the account: the account
// says nothing about others.
func (c *credentials) sameAccount(ctx context.Context, uid string, id cloud.InstanceID, since time.Time) error {
	err := c.checkAccount(ctx, since)
	if err == nil && c.partOf(id) != "" {
		err = errNoAccount
	}
	if !cloud.IsClass(err, cloud.FailureUnauthorized) && !errors.Is(err, errNoAccount) {
		return err
	}
	if len(c.candidates(c.partOf(id))) == 0 {
		if c.brake.Released(uid) {
			return nil
		}
		return absence.Deny(absence.IdentityUnknown, "no node is Ready, and which account the credentials see cannot be asked: %w; %s", err, safety.ReleaseHint)
	}
	return c.probe(ctx, nil, id, since)
}

// checkAccount returns nil when the account, read at since or later, is the one it was before.
func (c *credentials) checkAccount(ctx context.Context, since time.Time) error {
	for {
		c.mu.Lock()
		unchanged, known := c.unchanged, c.since
		c.mu.Unlock()
		if !unchanged.Before(since) {
			if known.After(since) {
				return absence.Deny(absence.Unconfirmed, "it is being checked which account the credentials see: this read began before that was known, the next one counts")
			}
			return nil
		}
		if _, err := c.identities.Ask(ctx, struct{}{}); err != nil {
			return err
		}
	}
}

// accountChanged reads the account and returns a denial when it is certainly another one.
func (c *credentials) accountChanged(ctx context.Context) *absence.Denial {
	_, err := c.identities.Ask(ctx, struct{}{})
	d, ok := errors.AsType[*absence.Denial](err)
	if !ok || d.Decision != absence.IdentityChanged {
		return nil
	}
	return d
}

func (c *credentials) readIdentity(ctx context.Context) error {
	started := time.Now()
	c.budget.spend(1)
	identity, err := within(ctx, cloud.CallTimeout, "identity", c.identify)
	if err != nil {
		return absence.Deny(absence.CloudFailure, "reading which account the credentials see: %w", err)
	}
	if identity.Unknown {
		return errNoAccount
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		c.account, c.known, c.since = identity, true, time.Now()
	}
	if c.account != identity {
		return absence.Deny(absence.IdentityChanged, "the credentials see account %q, before they saw %q", identity.Account, c.account.Account)
	}
	c.unchanged = started
	return nil
}

func accountHash(identity cloud.Identity) string {
	return safety.AccountHash(identity.Account + " " + identity.Region)
}

// keepAccount remembers the account in which our machines were just seen.
func (c *credentials) keepAccount(ctx context.Context) {
	if identity, known := c.identity(); known && c.brake.Account() == accountHash(identity) {
		return
	}
	go func() {
		c.learn(ctx)
		identity, known := c.identity()
		if !known || c.brake.Refresh(ctx) != nil || c.brake.Account() == accountHash(identity) {
			return
		}
		_ = c.brake.Remember(ctx, accountHash(identity)) // the next list tries again
	}()
}

// remembered returns nil when the credentials see the account that had our machines before,
// in whichever process. unknown says whether not knowing one will do.
func (c *credentials) remembered(ctx context.Context, unknown bool) error {
	if err := c.brake.Refresh(ctx); err != nil {
		return absence.Deny(absence.BrakeRecord, "%w", err)
	}
	identity, known := c.identity()
	switch account := c.brake.Account(); {
	case account == "" && unknown:
		return nil
	case account == "" || !known:
		return absence.Deny(absence.IdentityUnknown, "no node is Ready, and it is not known which account had this cluster's machines")
	case account != accountHash(identity):
		return absence.Deny(absence.IdentityChanged, "the credentials see account %q, which is not the one that had this cluster's machines; %s",
			identity.Account, safety.ReleaseHint)
	}
	return nil
}
