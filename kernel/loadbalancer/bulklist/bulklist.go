// Package bulklist shares one reading of all load balancers among Services that are looked at together.
package bulklist

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/reading"
)

const (
	// maxAge is how old a bulk list may be. It is also how long one is waited for at the least, and how
	// long none is tried after one that failed.
	maxAge = 2 * time.Second
	// apart is how long after the beginning of a bulk list the next one begins. Runs that end one after the
	// other, as many deletions do, share one all the same.
	apart = 250 * time.Millisecond
	// apartEach is how much longer it is for each Service beyond fewApart, and apartRequest with fewApart Services or more for each request
	// of a list beyond the first one: lists of many balancers have many pages, and would take all of the cloud's limit. With fewer
	// Services it is as much less.
	apartEach    = 10 * time.Millisecond
	apartRequest = 400 * time.Millisecond
	fewApart     = 50
	mostApart    = 5 * time.Second
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
	reading  *reading.Shared[cloud.BulkList]

	mu     sync.Mutex
	recent map[types.UID]time.Time // when each Service was last looked at
	// requests is how many the latest whole list took, 0 as long as none was read or could not be.
	requests int
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
	s := &Lists{reader: reader, services: services, recent: map[types.UID]time.Time{}}
	s.reading = reading.New(s.read, reading.Options{
		Hold: mostApart, Apart: s.apart,
		Pause: func(error, int) time.Duration { return maxAge },
	})
	return s
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
	patience := func() time.Duration { return s.patience(q) }
	list, err := s.reading.GetWithin(ctx, s.after(asked, q), patience)
	if err == nil && !s.isFresh(list.Began, q) {
		list, err = s.reading.GetWithin(ctx, time.Now(), patience)
	}
	switch slow, isSlow := errors.AsType[*reading.SlowError](err); {
	case err == nil:
		return list.Of, nil
	case ctx.Err() != nil: // the cloud did not fail
		return nil, nil
	case isSlow:
		return nil, tooSlow(slow)
	}
	return nil, q.failure(err)
}

// after is the earliest time at which the list of somebody who asks then may have begun.
func (s *Lists) after(asked time.Time, q Query) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	after := latest(q.After, latest(asked.Add(1-max(maxAge, apart+s.slackLocked())), s.moved.Add(1)))
	if q.Deleting {
		return after
	}
	return latest(after, s.deleted.Add(1))
}

// isFresh reports whether nothing was written since a list began that makes it useless.
func (s *Lists) isFresh(began time.Time, q Query) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return began.After(s.moved) && (q.Deleting || began.After(s.deleted))
}

// read reads a bulk list, for all who wait.
func (s *Lists) read(ctx context.Context) (cloud.BulkList, error) {
	ctx, requests := cloud.CountRequests(cloud.WithTenant(cloud.WithAtLeast(ctx, cloud.PriorityBegun), ""))
	list, err := s.reader.ListBalancers(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil || s.requests == 0 {
		s.requests = max(1, requests())
	}
	return list, err
}

// tooSlow returns the error of those who do not read for themselves, because they have waited for a list as long as one ever is: that would
// be many more requests. It returns nil for the others.
func tooSlow(slow *reading.SlowError) error {
	if slow.Patience < mostPatience {
		return nil
	}
	return &cloud.Error{
		Failure: cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: maxAge}, Op: "list balancers",
		Err: fmt.Errorf("a list of load balancers has not ended after %s", slow.Patience),
	}
}

// enter notes that somebody waits.
func (s *Lists) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting++
}

// patience is how long a list that began for others is waited for.
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
	return s.slackLocked()
}

func (s *Lists) slackLocked() time.Duration {
	return min(time.Duration(max(0, s.busy()-fewApart))*apartEach, mostApart-apart)
}

// apart is how long after the beginning of a bulk list the next one begins.
func (s *Lists) apart() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.apartLocked()
}

func (s *Lists) apartLocked() time.Duration {
	pages := time.Duration(max(0, s.requests-1)) * apartRequest * time.Duration(min(s.busy(), fewApart)) / fewApart
	return min(apart+pages+s.slackLocked(), mostApart)
}

// manyAtOnce notes that the Service is looked at and reports whether enough others are.
func (s *Lists) manyAtOnce(service types.UID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent[service] = now
	maps.DeleteFunc(s.recent, func(_ types.UID, at time.Time) bool { return now.Sub(at) >= maxAge })
	return s.busy() >= many || s.requests == 0 && s.services() >= many
}

// WorthReading reports whether enough Services are looked at for a bulk list.
func (s *Lists) WorthReading(service types.UID) bool {
	return s.reader != nil && s.manyAtOnce(service, time.Now())
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
