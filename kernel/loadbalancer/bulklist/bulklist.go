// Package bulklist shares one reading of all load balancers among Services that are looked at together.
package bulklist

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// maxAge is how old a bulk list may be. It is also how long one is waited for at the least, and how
	// long none is tried after one that failed.
	maxAge = 2 * time.Second
	// apart is how long after the beginning of a bulk list the next one begins. Runs that end one after the
	// other, as many deletions do, share one all the same.
	apart = 250 * time.Millisecond
	// apartEach is how much longer it is for each Service beyond fewApart: lists of many balancers have many pages, and would
	// take all of the cloud's limit.
	apartEach = 10 * time.Millisecond
	fewApart  = 50
	mostApart = 5 * time.Second
	// patienceEach is how much longer a list is waited for with each Service: otherwise each of them would read for itself.
	patienceEach = time.Second
	mostPatience = time.Minute
	// many is how many Services looked at within maxAge are worth a bulk list.
	many = 3
)

// Lists share one reading of all balancers among runs that come close together, as after
// a restart or while many balancers are being created.
//
//	Services in the last 2 s     an observation reads
//	fewer than 3                 the balancer it is about
//	3 or more                    all balancers, once for everybody
//	one, Query.Alone             all balancers
//	the first one of a process,  all balancers: the others come at once
//	 of 3 or more in the cluster
//
// So do runs that delete, and those that look afterwards whether anything is left.
//
// They only save requests: where one fails or is slow, each Service reads for itself. Where the rate limit is used up nobody does:
// that would be more requests. Nor does a Service that would read the same list, see Query.InLists.
type Lists struct {
	// reader is nil where the cloud has no bulk lists.
	reader cloud.BulkLister
	// services says how many Services with a balancer the cluster has.
	services func() int
	turn     chan struct{} // held while a bulk list is read

	mu     sync.Mutex
	recent map[types.UID]time.Time // when each Service was last looked at
	latest cloud.BulkList
	began  time.Time // of latest
	drop   *time.Timer
	failed time.Time // when the last one failed
	why    error     // it did
	// waiting is how many wait for a list.
	waiting int
	// moved is when a balancer may last have got another Service, deleted when one was last deleted:
	// older bulk lists show it to the wrong Service.
	moved, deleted time.Time
}

// Query says who asks for a bulk list.
type Query struct {
	Service types.UID
	// After is the earliest time at which the list may have begun.
	After time.Time
	// Deleting says that the Service gives its balancer up. It can get none of another Service, so
	// a list from before a deletion tells it the truth.
	Deleting bool
	// Alone says that a list is worth it for this Service by itself: it replaces several reads.
	Alone bool
	// InLists says that the Service would read such a list by itself.
	InLists bool
}

// failure is what a failed list means for the one who asks, nil where he is to read for himself.
func (q Query) failure(why error) error {
	if q.InLists || cloud.IsClass(why, cloud.FailureThrottled) {
		return why
	}
	return nil
}

// New returns Lists that are read by the reader, nil for none. services says how many Services with a balancer the
// cluster has.
func New(reader cloud.BulkLister, services func() int) *Lists {
	return &Lists{reader: reader, services: services, turn: make(chan struct{}, 1), recent: map[types.UID]time.Time{}}
}

// Get returns a bulk list that began late enough, nil when it is not worth one. It fails where the rate limit is used up, and with
// Query.InLists where the list does.
func (s *Lists) Get(ctx context.Context, q Query) (cloud.BulkList, error) {
	asked := time.Now()
	if s.reader == nil || !s.manyAtOnce(q.Service, asked) && !q.Alone {
		return nil, nil
	}
	s.enter()
	defer s.leave(q.Service)
	if !s.take(ctx, asked, q) {
		return nil, s.tooSlow(ctx, asked, q)
	}
	defer func() { <-s.turn }()
	now := time.Now()
	if list, final, err := s.known(now, asked, q); final {
		return list, err
	}
	if !s.wait(ctx, now) {
		return nil, nil
	}
	return s.read(ctx, q)
}

// read reads a bulk list, for all who wait. The caller has the turn.
func (s *Lists) read(ctx context.Context, q Query) (cloud.BulkList, error) {
	began := time.Now()
	latest, err := s.reader.ListBalancers(cloud.WithTenant(cloud.WithAtLeast(ctx, cloud.PriorityBegun), ""))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.latest, s.began = latest, began
		s.keep()
		return latest, nil
	case ctx.Err() != nil: // the cloud did not fail
		return nil, nil
	}
	s.failed, s.why = time.Now(), err
	return nil, q.failure(err)
}

// tooSlow is why nobody reads for himself where a list has been waited for as long as one ever is: that would be many more requests,
// nil otherwise.
func (s *Lists) tooSlow(ctx context.Context, asked time.Time, q Query) error {
	if ctx.Err() != nil || s.patience(q) < mostPatience {
		return nil
	}
	waited := time.Since(asked).Round(time.Second)
	return &cloud.Error{
		Failure: cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: maxAge}, Op: "list balancers",
		Err: fmt.Errorf("another list of load balancers has not ended after %s", waited),
	}
}

// take waits for the turn, for as long as it is worth it to those who wait by then, and reports whether it has it.
func (s *Lists) take(ctx context.Context, asked time.Time, q Query) bool {
	for {
		left := s.patience(q) - time.Since(asked)
		if left <= 0 {
			return false
		}
		timer := time.NewTimer(left)
		select {
		case s.turn <- struct{}{}:
			timer.Stop()
			return true
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}

// enter notes that somebody waits.
func (s *Lists) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting++
}

// patience is how long a list is waited for.
func (s *Lists) patience(q Query) time.Duration {
	if q.InLists {
		return mostPatience
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(max(maxAge, time.Duration(s.busy())*patienceEach), mostPatience)
}

// leave notes that the Service waits no more. It was looked at until now.
func (s *Lists) leave(service types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	s.recent[service] = time.Now()
}

// busy is how many Services are looked at. The caller holds mu.
func (s *Lists) busy() int { return max(s.waiting, len(s.recent)) }

// Slack is how much earlier than usual a list may have begun: as much as lists are further apart because many Services ask.
func (s *Lists) Slack() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.apart() - apart
}

// apart is how long after the beginning of a bulk list the next one begins. The caller holds mu.
func (s *Lists) apart() time.Duration {
	return min(apart+time.Duration(max(0, s.busy()-fewApart))*apartEach, mostApart)
}

// wait waits until another bulk list may begin, and reports whether ctx has not ended before. The caller has the turn.
func (s *Lists) wait(ctx context.Context, now time.Time) bool {
	s.mu.Lock()
	next := s.began.Add(s.apart())
	s.mu.Unlock()
	if !next.After(now) {
		return true
	}
	timer := time.NewTimer(next.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// manyAtOnce notes that the Service is looked at and reports whether enough others are.
func (s *Lists) manyAtOnce(service types.UID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent[service] = now
	maps.DeleteFunc(s.recent, func(_ types.UID, at time.Time) bool { return now.Sub(at) >= maxAge })
	first := s.began.IsZero() && s.failed.IsZero()
	return s.busy() >= many || first && s.services() >= many
}

// keep drops the latest bulk list, which may be large, when it is too old. The caller holds mu.
func (s *Lists) keep() {
	if s.drop != nil {
		s.drop.Stop()
	}
	s.drop = time.AfterFunc(maxAge, s.forget)
}

// forget drops the latest bulk list, unless somebody may still take it.
func (s *Lists) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting > 0 || time.Since(s.began) < max(maxAge, s.apart()) {
		s.drop.Reset(maxAge)
		return
	}
	s.latest = nil
}

// WorthReading reports whether enough Services are looked at for a bulk list.
func (s *Lists) WorthReading(service types.UID) bool {
	return s.reader != nil && s.manyAtOnce(service, time.Now())
}

// known returns what there is to know without another bulk list, and whether that is enough: the
// latest bulk list, or nothing when one has just failed. One that began after it was asked for is new, however long it took.
func (s *Lists) known(now, asked time.Time, q Query) (list cloud.BulkList, final bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.failed.IsZero() && now.Sub(s.failed) < maxAge {
		return nil, true, q.failure(s.why)
	}
	young := now.Sub(s.began) < max(maxAge, s.apart()) || !s.began.Before(asked)
	fresh := s.latest != nil && young && !s.began.Before(q.After) && s.began.After(s.moved) &&
		(q.Deleting || s.began.After(s.deleted))
	return s.latest, fresh, nil
}

// Expire makes what was read before that time useless: a balancer may have another Service.
func (s *Lists) Expire(before time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved = latest(s.moved, before)
}

// Deleted notes that a balancer was deleted at that time.
func (s *Lists) Deleted(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleted = latest(s.deleted, at)
}

func latest(x, y time.Time) time.Time {
	if y.After(x) {
		return y
	}
	return x
}
