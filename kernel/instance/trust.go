package instance

import (
	"context"
	"time"
)

// Trust returns nil when the credentials certainly see what they saw before: the same account,
// also before a restart, and, while a Node of ours is Ready, one of their machines. Whoever is told that something of
// ours is gone asks this before believing it: with other credentials everything seems gone.
func (i *Inventory) Trust(ctx context.Context) error {
	i.guard.learn(ctx)
	asked := time.Now()
	if err := i.sameAccount(ctx, "", asked); err != nil {
		return i.distrust(err)
	}
	if len(i.canaries()) == 0 {
		return i.distrust(i.remembered(ctx, true))
	}
	return i.distrust(i.canary(ctx, nil, "", asked))
}
