package rate

import (
	"math"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// limitShare is the part of a published limit that we use at most; other programs may
	// have the same credential.
	limitShare = 0.8
	// unpublishedQPS holds where a cloud publishes no limit and none is configured.
	unpublishedQPS = 50
)

// shares are which part of each limit may be used up after a request of each priority. The rest is kept for what is more
// urgent: each load balancer that is made takes several looks.
var shares = [cloud.Priorities]float64{
	cloud.PriorityNodeInit:  1,
	cloud.PriorityExistence: 1,
	cloud.PriorityDeletion:  0.95,
	cloud.PriorityBegun:     0.9,
	cloud.PriorityCreation:  0.6,
	cloud.PriorityChange:    0.55,
	cloud.PriorityRefresh:   0.5,
}

// limit is one limit for requests.
type limit interface {
	// ready is when a request may be sent that may use that share, if no other is sent before.
	ready(now time.Time, share float64) time.Time
	take(now time.Time)
	// scale uses a part of the limit.
	scale(now time.Time, factor float64)
}

// budget is how many requests may be sent.
//
//	QPS given            a bucket of QPS, refilled with QPS
//	per minute published a window: any 60 s hold at most 80 %; bursts are free
//	per hour published   a bucket of 40 %, refilled with 40 % an hour: any hour holds at
//	                     most 80 %, and when it is used up requests trickle, never stop. Where
//	                     the cloud says how many are left, all of them but 20 % of the limit
//	nothing published    a bucket of 2 × 50, refilled with 50 a second
type budget struct {
	limits []limit
	// sustained is how many requests a second there may be in the long run.
	sustained float64
	// hour is the one of the limits that the cloud's ratelimit-remaining speaks of, and perHour the published number.
	hour    *bucket
	perHour float64
	// lowered says that it is never believed that more are left than we think: one request too many may lock the account.
	lowered bool
}

func newBudget(limits cloud.Limits, qps float64) budget {
	b := budget{sustained: math.Inf(1)}
	switch {
	case qps > 0:
		return b.with(newBucket(qps, qps), qps)
	case limits.RequestsPerMinute == 0 && limits.RequestsPerHour == 0:
		return b.with(newBucket(2*unpublishedQPS, unpublishedQPS), unpublishedQPS)
	}
	if n := limits.RequestsPerMinute; n > 0 {
		most := int(limitShare * float64(n))
		b = b.with(newWindow(most, time.Minute), float64(most)/time.Minute.Seconds())
	}
	if n := limits.RequestsPerHour; n > 0 {
		half := limitShare / 2 * float64(n)
		b.hour, b.perHour = newBucket(half, half/time.Hour.Seconds()), float64(n)
		b = b.with(b.hour, b.hour.rate)
	}
	return b
}

func (b budget) with(l limit, sustained float64) budget {
	b.limits, b.sustained = append(b.limits, l), min(b.sustained, sustained)
	return b
}

// atMost returns the budget of an API, with a further limit, in requests per second, 0 for none. It cannot raise the
// budget: what is right for one API of a cloud can lock the account of another.
func (b budget) atMost(qps float64) budget {
	b.lowered = true
	if qps > 0 {
		return b.with(newBucket(qps, qps), qps)
	}
	return b
}

// ready is when the next request may be sent that may use that share, if no other is sent before.
func (b budget) ready(now time.Time, share float64) time.Time {
	at := now
	for _, l := range b.limits {
		at = later(at, l.ready(now, share))
	}
	return at
}

func (b budget) take(now time.Time) {
	for _, l := range b.limits {
		l.take(now)
	}
}

func (b budget) scale(now time.Time, factor float64) {
	for _, l := range b.limits {
		l.scale(now, factor)
	}
}

// believe takes the hour's budget to what the cloud says is left, of which some requests that are under way may be used already:
//
//	our own estimate is        because                      it becomes
//	more than that             others use the limit too     that
//	less than that without     the cloud gives back faster  that without 20 % of
//	 20 % of the limit                                      the limit
//	between                                                 stays
//
// An API that the cloud limits apart is only lowered so.
func (b budget) believe(now time.Time, left, underWay int) {
	if b.hour != nil {
		most, least := float64(left-underWay), 0.0
		if !b.lowered {
			least = most - (1-limitShare)*b.perHour
		}
		b.hour.believe(now, least, most)
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
