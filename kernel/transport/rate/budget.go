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
	// refreshShare is the part of the minute that requests of the lowest priority may
	// fill, so that something is left when an urgent one comes.
	refreshShare = 0.75
	// unpublishedQPS holds where a cloud publishes no limit and none is configured.
	unpublishedQPS = 50
)

// budget is how many requests may be sent.
//
//	QPS given            a bucket of QPS, refilled with QPS
//	per minute published a window: any 60 s hold at most 80 %; bursts are free
//	per hour published   a bucket of 40 %, refilled with 40 % an hour: any hour holds at
//	                     most 80 %, and when it is used up requests trickle, never stop
//	nothing published    a bucket of 2 × 50, refilled with 50 a second
type budget struct {
	minute  *window
	buckets []bucket
	// hour is the one of the buckets that the cloud's ratelimit-remaining speaks of.
	hour *bucket
}

func newBudget(limits cloud.Limits, qps float64) budget {
	var b budget
	switch {
	case qps > 0:
		b.buckets = append(b.buckets, newBucket(math.Max(qps, 1), qps))
		return b
	case limits.RequestsPerMinute == 0 && limits.RequestsPerHour == 0:
		b.buckets = append(b.buckets, newBucket(2*unpublishedQPS, unpublishedQPS))
		return b
	}
	if n := limits.RequestsPerMinute; n > 0 {
		b.minute = newWindow(int(limitShare*float64(n)), time.Minute)
	}
	if n := limits.RequestsPerHour; n > 0 {
		half := limitShare / 2 * float64(n)
		hour := newBucket(half, half/time.Hour.Seconds())
		b.hour, b.buckets = &hour, append(b.buckets, hour)
	}
	return b
}

// atMost returns the budget with a further limit, in requests per second, 0 for none. It cannot raise the
// budget: what is right for one API of a cloud can lock the account of another.
func (b budget) atMost(qps float64) budget {
	if qps > 0 {
		b.buckets = append(b.buckets, newBucket(math.Max(qps, 1), qps))
	}
	return b
}

// at is when the next request of that priority may be sent if no other is sent before.
func (b budget) at(now time.Time, priority cloud.Priority) time.Time {
	at := now
	if b.minute != nil {
		share := 1.0
		if priority >= cloud.PriorityRefresh {
			share = refreshShare
		}
		at = later(at, b.minute.at(now, share))
	}
	for _, bucket := range b.buckets {
		at = later(at, bucket.at(now))
	}
	return at
}

func (b budget) take(now time.Time) {
	if b.minute != nil {
		b.minute.take(now)
	}
	for _, bucket := range b.buckets {
		bucket.ReserveN(now, 1)
	}
}

func (b budget) scale(now time.Time, factor float64) {
	if b.minute != nil {
		b.minute.factor = factor
	}
	for _, bucket := range b.buckets {
		bucket.scale(now, factor)
	}
}

// clamp lowers the hour's budget to what the cloud says is left: others use it too.
func (b budget) clamp(now time.Time, remaining float64) {
	if b.hour != nil {
		b.hour.clamp(now, remaining)
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
