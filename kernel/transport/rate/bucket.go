package rate

import (
	"math"
	"time"

	xrate "golang.org/x/time/rate"
)

// bucket is a token bucket. It starts full.
type bucket struct {
	*xrate.Limiter
	rate float64 // tokens per second when the whole rate is in use
}

func newBucket(size, rate float64) bucket {
	return bucket{xrate.NewLimiter(xrate.Limit(rate), int(math.Max(size, 1))), rate}
}

// at is when the bucket has a token.
func (b bucket) at(now time.Time) time.Time {
	const rounding = 1e-6 // of sums of fractions; far below one request an hour
	missing := 1 - b.TokensAt(now)
	if missing <= rounding {
		return now
	}
	return now.Add(time.Duration(math.Ceil(missing / float64(b.Limit()) * float64(time.Second))))
}

// scale uses a part of the rate.
func (b bucket) scale(now time.Time, factor float64) {
	b.SetLimitAt(now, xrate.Limit(b.rate*factor))
}

// clamp takes what the bucket has beyond so many tokens.
func (b bucket) clamp(now time.Time, most float64) {
	if surplus := b.TokensAt(now) - most; surplus >= 1 {
		b.ReserveN(now, int(surplus))
	}
}
