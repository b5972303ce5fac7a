package rate

import (
	"math"
	"time"
)

// bucket is a token bucket. It starts full.
type bucket struct {
	size float64
	rate float64 // tokens per second when the whole rate is in use
	// factor is the part of the rate in use.
	factor float64
	// left is how many tokens there were at that time. It can be more than size, where the cloud says so.
	left float64
	at   time.Time
}

func newBucket(size, rate float64) *bucket {
	size = math.Floor(math.Max(size, 1))
	return &bucket{size: size, rate: rate, factor: 1, left: size}
}

// fill brings the bucket to that time.
func (b *bucket) fill(now time.Time) {
	if !b.at.IsZero() && b.left < b.size {
		b.left = math.Min(b.size, b.left+now.Sub(b.at).Seconds()*b.rate*b.factor)
	}
	b.at = now
}

// ready is when the bucket has a token that may be used with that share of it.
func (b *bucket) ready(now time.Time, share float64) time.Time {
	b.fill(now)
	const rounding = 1e-6 // of sums of fractions; far below one request an hour
	missing := 1 + math.Floor((1-share)*b.size+rounding) - b.left
	if b.size < 2 { // nothing to share
		missing = 1 - b.left
	}
	if missing <= rounding {
		return now
	}
	return now.Add(time.Duration(math.Ceil(missing / (b.rate * b.factor) * float64(time.Second))))
}

func (b *bucket) take(now time.Time) {
	b.fill(now)
	b.left--
}

// scale uses a part of the rate.
func (b *bucket) scale(now time.Time, factor float64) {
	b.fill(now)
	b.factor = factor
}

// believe takes the bucket to what the cloud says is left: no more than most, and no less than least.
func (b *bucket) believe(now time.Time, least, most float64) {
	b.fill(now)
	b.left = math.Min(math.Max(b.left, least), math.Max(most, 0))
}
