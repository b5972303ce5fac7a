package loadbalancer

import (
	"context"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// trust says whether what was read comes from the right account. Credentials can become the right ones between the reading and the
// check of them:
//
//	the check                        what was read before it
//	fails                            proves nothing
//	succeeds for the first time      proves nothing
//	 after it has failed
//	succeeds                         is believed, where it was read after that time
type trust struct {
	check func(context.Context) error

	mu     sync.Mutex
	failed bool
	// since is when the check succeeded again, zero where it never failed.
	since time.Time
}

// certain returns why what was read from that time on proves nothing, nil where it does.
func (t *trust) certain(ctx context.Context, read time.Time) error {
	err := t.check(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		t.failed = true
		return err
	case t.failed:
		t.failed, t.since = false, time.Now()
	}
	if !t.since.IsZero() && !read.After(t.since) {
		return &Pending{After: problem.PollFirst, Reason: "the credentials are the right ones again, and the cloud is asked once more"}
	}
	return nil
}
