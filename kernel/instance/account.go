package instance

import (
	"context"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// The account in which a list showed machines of our Nodes is remembered beside the brake's
// record. A process that starts with the credentials of another account, while no Node is
// Ready, can't tell by anything else that it sees the wrong one.

func accountHash(identity cloud.Identity) string {
	return safety.AccountHash(identity.Account + " " + identity.Region)
}

// keepAccount remembers the account in which our machines were just seen.
func (i *Inventory) keepAccount(ctx context.Context) {
	if identity, known := i.guard.identity(); known && i.brake.Account() == accountHash(identity) {
		return
	}
	go func() {
		i.guard.learn(ctx)
		identity, known := i.guard.identity()
		if !known || i.brake.Refresh(ctx) != nil || i.brake.Account() == accountHash(identity) {
			return
		}
		_ = i.brake.Remember(ctx, accountHash(identity)) // the next list tries again
	}()
}

// sameAccount returns nil when the credentials certainly see, at since or later, the account
// they saw before. Where they may not ask for the account, the machine of a Ready Node proves
// the same: no other account has it. Without one an operator's release of the Node, if any, stands in.
func (i *Inventory) sameAccount(ctx context.Context, uid string, since time.Time) error {
	err := i.guard.unchanged(ctx, since)
	if !cloud.IsClass(err, cloud.FailureUnauthorized) {
		return err
	}
	if len(i.canaries()) == 0 {
		if i.brake.Released(uid) {
			return nil
		}
		return refuse(verdictIdentityUnknown, "no node is Ready, and the credentials may not ask which account they see: %w; %s", err, safety.ReleaseHint)
	}
	return i.canary(ctx, nil, "", since)
}

// remembered returns nil when the credentials see the account that had our machines before,
// in whichever process. unknown says whether not knowing one will do.
func (i *Inventory) remembered(ctx context.Context, unknown bool) error {
	if err := i.brake.Refresh(ctx); err != nil {
		return refuse(verdictBrakeRecord, "%w", err)
	}
	identity, known := i.guard.identity()
	switch account := i.brake.Account(); {
	case account == "" && unknown:
		return nil
	case account == "" || !known:
		return refuse(verdictIdentityUnknown, "no node is Ready, and it is not known which account had this cluster's machines")
	case account != accountHash(identity):
		return refuse(verdictIdentityChanged, "the credentials see account %q, which is not the one that had this cluster's machines; %s",
			identity.Account, safety.ReleaseHint)
	}
	return nil
}
