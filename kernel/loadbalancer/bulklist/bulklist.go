// Package bulklist shares one reading of all load balancers among Services that are looked at together.
package bulklist

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// maxAge is how old a bulk list may be. It is also how long one is waited for, and how
	// long none is tried after one that failed.
	maxAge = 2 * time.Second
	// many is how many Services looked at within maxAge are worth a bulk list.
	many = 3
)

// Lists share one reading of all balancers among runs that come close together, as after
// a restart or while many balancers are being created.
//
//	Services in the last 2 s  an observation reads
//	fewer than 3              the balancer it is about
//	3 or more                 all balancers, once for everybody
//
// They only save requests: where one fails or is slow, each Service reads for itself.
type Lists struct {
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

// New returns Lists that are read by the reader, nil for none.
func New(reader cloud.BulkLister) *Lists {
	return &Lists{reader: reader, turn: make(chan struct{}, 1), recent: map[types.UID]time.Time{}}
}

// Get returns a bulk list that began no earlier than after, nil when it is not worth one.
func (s *Lists) Get(ctx context.Context, service types.UID, after time.Time) cloud.BulkList {
	if s.reader == nil || !s.manyAtOnce(service, time.Now()) {
		return nil
	}
	patience := time.NewTimer(maxAge)
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
func (s *Lists) manyAtOnce(service types.UID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent[service] = now
	maps.DeleteFunc(s.recent, func(_ types.UID, at time.Time) bool { return now.Sub(at) >= maxAge })
	if now.Sub(s.began) >= maxAge {
		s.latest = nil // it may be large
	}
	return len(s.recent) >= many
}

// known returns what there is to know without another bulk list, and whether that is enough: the
// latest bulk list, or nothing when one has just failed.
func (s *Lists) known(now, after time.Time) (list cloud.BulkList, settled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.failed.IsZero() && now.Sub(s.failed) < maxAge {
		return nil, true
	}
	fresh := s.latest != nil && now.Sub(s.began) < maxAge && !s.began.Before(after) && s.began.After(s.outdated)
	return s.latest, fresh
}

// Expire makes what has been read so far useless.
func (s *Lists) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outdated = time.Now()
}
