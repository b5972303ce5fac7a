package loadbalancer

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// bulkListAge is how old a bulk list may be. It is also how long one is waited for, and how
	// long none is tried after one that failed.
	bulkListAge = 2 * time.Second
	// manyServices is how many Services looked at within bulkListAge are worth a bulk list.
	manyServices = 3
)

// bulkLists share one reading of all balancers among runs that come close together, as after
// a restart or while many balancers are being created.
//
//	Services in the last 2 s  an observation reads
//	fewer than 3              the balancer it is about
//	3 or more                 all balancers, once for everybody
//
// They only save requests: where one fails or is slow, each Service reads for itself.
type bulkLists struct {
	// reader is nil where the cloud has no bulk lists.
	reader cloud.BulkLister
	turn   chan struct{} // held while a bulk list is read

	mu     sync.Mutex
	recent map[types.UID]time.Time // when each Service was last looked at
	latest cloud.BulkList
	began  time.Time // of latest
	failed time.Time // when the last one failed
	// outdated is when a balancer was last deleted or taken over: older bulk lists show it to
	// the wrong Service.
	outdated time.Time
}

func newBulkLists(reader cloud.BulkLister) *bulkLists {
	return &bulkLists{reader: reader, turn: make(chan struct{}, 1), recent: map[types.UID]time.Time{}}
}

// get returns a bulk list that began no earlier than after, nil when it is not worth one.
func (s *bulkLists) get(ctx context.Context, service types.UID, after time.Time) cloud.BulkList {
	if s.reader == nil || !s.manyAtOnce(service, time.Now()) {
		return nil
	}
	patience := time.NewTimer(bulkListAge)
	defer patience.Stop()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-patience.C:
		return nil
	case <-ctx.Done():
		return nil
	}
	now := time.Now()
	if list, settled := s.known(now, after); settled {
		return list
	}
	latest, err := s.reader.ListBalancers(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed = time.Now()
		return nil
	}
	s.latest, s.began = latest, now
	return latest
}

// manyAtOnce notes that the Service is looked at and reports whether enough others are.
func (s *bulkLists) manyAtOnce(service types.UID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent[service] = now
	maps.DeleteFunc(s.recent, func(_ types.UID, at time.Time) bool { return now.Sub(at) >= bulkListAge })
	if now.Sub(s.began) >= bulkListAge {
		s.latest = nil // it may be large
	}
	return len(s.recent) >= manyServices
}

// known returns what there is to know without another bulk list, and whether that is enough: the
// latest bulk list, or nothing when one has just failed.
func (s *bulkLists) known(now, after time.Time) (list cloud.BulkList, settled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.failed.IsZero() && now.Sub(s.failed) < bulkListAge {
		return nil, true
	}
	fresh := s.latest != nil && now.Sub(s.began) < bulkListAge && !s.began.Before(after) && s.began.After(s.outdated)
	return s.latest, fresh
}

// expire makes what has been read so far useless.
func (s *bulkLists) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outdated = time.Now()
}

// observe reads the balancer of the Spec, from a bulk list where that is enough:
//
//	the Service      a bulk list may have begun  and proves that the balancer
//	has a balancer   after our last change        is there, never that it is gone
//	has none so far  during this run              is there, or is not
func (p *pipeline) observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	after := p.began
	if p.expected() {
		after = p.state.wrote
	}
	if spec.BulkList = p.manager.lists.get(ctx, p.service.UID, after); spec.BulkList != nil {
		observed, err := p.watch(ctx, spec)
		if err != nil || observed.Found || !p.expected() {
			p.fromList = true
			return observed, err
		}
	}
	return p.read(ctx, spec)
}

// read reads the balancer of the Spec itself.
func (p *pipeline) read(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	spec.BulkList, p.fromList = nil, false
	return p.watch(ctx, spec)
}

// watch observes with what was observed before at hand.
func (p *pipeline) watch(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	spec.Last = p.state.last
	observed, err := p.manager.cloud.Balancers.Observe(ctx, spec)
	if p.state.last = nil; err == nil && observed.Found {
		p.state.last = &observed
	}
	return observed, err
}
