package loadbalancer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// serviceStates keeps what is remembered of each Service, by UID. An entry is open for one run
// at a time, so that what a run observed is still true when it writes. The zero serviceStates is empty.
type serviceStates struct {
	mu      sync.Mutex
	entries map[types.UID]*serviceEntry
}

// serviceEntry is what is remembered of one Service.
type serviceEntry struct {
	// turn holds something while the entry is open.
	turn chan struct{}
	// users are the runs that have the entry open or wait for it.
	users int
	state serviceState
}

// serviceState is what this process remembers of a Service. Losing it costs reads, an event, and where
// the cloud does not store what it is told at most one more replacement.
type serviceState struct {
	// created is the id of the balancer we created, "" when we did not.
	created string
	// confirmed is the one of those that was looked for without its id.
	confirmed string
	// duplicates are second balancers that were seen, nil when there are none.
	duplicates *duplicates
	// wrote is when we last changed the balancer, or may have.
	wrote time.Time
	// pendingSince is when the balancer was first seen pending, zero when it is not.
	pendingSince time.Time
	// last is what was last observed, nil when nothing was found.
	last           *cloud.Observed
	settled        settled
	repeated       repetition
	failedCreation failedCreation
	// successor is the id of the balancer we made beside the one that serves, and refusals is how
	// often a creation failed in a row.
	successor string
	refusals  int
	// brought is the id of the balancer whose targets this process has brought to the nodes once,
	// and kept what it kept then for want of proof, nil for nothing.
	brought string
	kept    *keptTargets
}

// open waits until no other run has the entry of the Service open.
func (b *serviceStates) open(ctx context.Context, uid types.UID) (*serviceEntry, error) {
	p := b.enter(uid)
	select {
	case p.turn <- struct{}{}:
		return p, nil
	case <-ctx.Done():
		b.leave(uid, p)
		return nil, fmt.Errorf("waiting for another run for the same Service: %w", context.Cause(ctx))
	}
}

func (b *serviceStates) close(uid types.UID, p *serviceEntry) {
	<-p.turn
	b.leave(uid, p)
}

func (b *serviceStates) enter(uid types.UID) *serviceEntry {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.entries == nil {
		b.entries = map[types.UID]*serviceEntry{}
	}
	p := b.entries[uid]
	if p == nil {
		p = &serviceEntry{turn: make(chan struct{}, 1)}
		b.entries[uid] = p
	}
	p.users++
	return p
}

// leave drops an entry that nobody uses and that says nothing.
func (b *serviceStates) leave(uid types.UID, p *serviceEntry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.users--; p.users == 0 && p.state == (serviceState{}) {
		delete(b.entries, uid)
	}
}
