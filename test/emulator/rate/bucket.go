package rate

import "time"

// bucket is a gradual quota: what was left at a moment.
type bucket struct {
	left float64
	at   time.Time
}

// take counts one request of key against its bucket, which holds that many and gets one back each such time; the quota per minute
// does not count here.
func (l *Limiter) take(key string, now time.Time, most int, each time.Duration) Verdict {
	size := float64(most)
	b, ok := l.buckets[key]
	if !ok {
		b = bucket{left: size, at: now}
	}
	b.left, b.at = min(size, b.left+now.Sub(b.at).Seconds()/each.Seconds()), now
	v := Verdict{Limit: most, Allowed: b.left >= 1}
	if v.Allowed {
		b.left--
	}
	if l.buckets == nil {
		l.buckets = map[string]bucket{}
	}
	l.buckets[key] = b
	v.Remaining = int(b.left)
	v.Reset = now.Add(time.Duration((size - b.left) * float64(each)))
	return v
}
