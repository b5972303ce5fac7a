package loadbalancer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// book keeps a page for each Service, by UID. A page is open for one run at a time, so that
// what a run observed is still true when it writes. The zero book is empty.
type book struct {
	mu    sync.Mutex
	pages map[types.UID]*page
}

// page is what is remembered of one Service.
type page struct {
	// turn holds something while the page is open.
	turn chan struct{}
	// readers are the runs that have the page open or wait for it.
	readers int
	memory  memory
}

// memory is what this process remembers of a Service. Losing it costs reads, an event, and where
// the cloud does not store what it is told at most one more replacement.
type memory struct {
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
	last       *cloud.Observed
	settled    settled
	repeated   repetition
	stillbirth stillbirth
	// successor is the id of the balancer we made beside the one that serves, and refusals is how
	// often a creation failed in a row.
	successor string
	refusals  int
	// brought is the id of the balancer whose targets this process has brought to the nodes once,
	// and kept what it kept then for want of proof, nil for nothing.
	brought string
	kept    *keeping
}

// open waits until no other run has the page of the Service open.
func (b *book) open(ctx context.Context, uid types.UID) (*page, error) {
	p := b.enter(uid)
	select {
	case p.turn <- struct{}{}:
		return p, nil
	case <-ctx.Done():
		b.leave(uid, p)
		return nil, fmt.Errorf("waiting for another run for the same Service: %w", context.Cause(ctx))
	}
}

func (b *book) close(uid types.UID, p *page) {
	<-p.turn
	b.leave(uid, p)
}

func (b *book) enter(uid types.UID) *page {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pages == nil {
		b.pages = map[types.UID]*page{}
	}
	p := b.pages[uid]
	if p == nil {
		p = &page{turn: make(chan struct{}, 1)}
		b.pages[uid] = p
	}
	p.readers++
	return p
}

// leave tears out a page that nobody reads and that says nothing.
func (b *book) leave(uid types.UID, p *page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.readers--; p.readers == 0 && p.memory == (memory{}) {
		delete(b.pages, uid)
	}
}
