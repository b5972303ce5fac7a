package rate

import (
	"math"
	"time"
)

// bucket is a token bucket.
type bucket struct {
	size   float64
	rate   float64 // tokens per second
	factor float64 // part of the rate in use
	tokens float64 // as of filled
	filled time.Time
}

func newBucket(size, rate float64) *bucket {
	return &bucket{size: math.Max(size, 1), rate: rate, factor: 1, tokens: math.Max(size, 1), filled: time.Now()}
}

// at is when the bucket has a token.
func (b *bucket) at(now time.Time) time.Time {
	b.refill(now)
	const rounding = 1e-6 // of sums of fractions; far below one request an hour
	missing := 1 - b.tokens
	if missing <= rounding {
		return now
	}
	return now.Add(time.Duration(math.Ceil(missing / (b.rate * b.factor) * float64(time.Second))))
}

func (b *bucket) take(now time.Time) {
	b.refill(now)
	b.tokens--
}

func (b *bucket) scale(now time.Time, factor float64) {
	b.refill(now)
	b.factor = factor
}

func (b *bucket) refill(now time.Time) {
	if elapsed := now.Sub(b.filled); elapsed > 0 {
		b.tokens = math.Min(b.tokens+elapsed.Seconds()*b.rate*b.factor, b.size)
		b.filled = now
	}
}
