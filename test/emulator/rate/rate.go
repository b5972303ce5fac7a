// Package rate counts requests against an hourly quota and a burst quota per
// minute, the way clouds publish them.
package rate

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Quota is what one credential may ask for. Zero means no limit.
type Quota struct {
	// Hour is the number of requests in a sliding window of 60 minutes.
	Hour int `json:"hour"`
	// Minute is the number of requests in a sliding window of 60 seconds.
	Minute int `json:"minute"`
	// PerSecond is how many requests come back a second to a bucket that holds as many as Burst; it excludes the others.
	PerSecond int `json:"perSecond,omitempty"`
	Burst     int `json:"burst,omitempty"`
}

// Verdict is the limiter's answer to one request.
type Verdict struct {
	Allowed bool
	// Limit and Remaining are about the hour. Limit is 0 when the hour is unlimited.
	Limit, Remaining int
	// Reset is when the oldest counted request of the hour leaves the window.
	Reset time.Time
	// RetryAfter is how long to wait when only the burst quota refused.
	RetryAfter time.Duration
}

// WriteHeaders sets ratelimit-limit, ratelimit-remaining and ratelimit-reset
// (Unix seconds), and retry-after (seconds) when the burst quota refused.
func (v Verdict) WriteHeaders(h http.Header) {
	if v.Limit > 0 {
		h.Set("ratelimit-limit", strconv.Itoa(v.Limit))
		h.Set("ratelimit-remaining", strconv.Itoa(v.Remaining))
		h.Set("ratelimit-reset", strconv.FormatInt(v.Reset.Unix(), 10))
	}
	if v.RetryAfter > 0 {
		seconds := int((v.RetryAfter + time.Second - 1) / time.Second)
		h.Set("retry-after", strconv.Itoa(seconds))
	}
}

// Limiter keeps one pair of windows per key (usually the token). Refused
// requests are not counted. The zero value allows everything.
type Limiter struct {
	// Now is the clock, time.Now when nil. Set it before first use.
	Now func() time.Time
	// Gradual makes the hour's quota a bucket that is full at first and gets a request back every
	// hour/Quota.Hour, instead of a sliding window. Reset is then when it is full again. Set it
	// before first use.
	Gradual bool

	mu      sync.Mutex
	quota   Quota
	seen    map[string][]time.Time
	buckets map[string]bucket
}

// Set changes the quota and forgets what was counted.
func (l *Limiter) Set(q Quota) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quota, l.seen, l.buckets = q, nil, nil
}

// Quota returns the quota in force.
func (l *Limiter) Quota() Quota {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quota
}

// Allow counts one request of key unless a quota refuses it.
func (l *Limiter) Allow(key string) Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quota == (Quota{}) {
		return Verdict{Allowed: true}
	}
	now := l.now()
	switch {
	case l.quota.PerSecond > 0:
		return Verdict{Allowed: l.take(key, now, l.quota.Burst, time.Second/time.Duration(l.quota.PerSecond)).Allowed}
	case l.Gradual && l.quota.Hour > 0:
		return l.take(key, now, l.quota.Hour, time.Hour/time.Duration(l.quota.Hour))
	}
	times := since(l.seen[key], now.Add(-time.Hour))
	minute := since(times, now.Add(-time.Minute))
	v := Verdict{Allowed: true, Limit: l.quota.Hour}
	switch {
	case l.quota.Hour > 0 && len(times) >= l.quota.Hour:
		v.Allowed = false
	case l.quota.Minute > 0 && len(minute) >= l.quota.Minute:
		v.Allowed = false
		v.RetryAfter = minute[len(minute)-l.quota.Minute].Add(time.Minute).Sub(now)
	default:
		times = append(times, now)
	}
	v.Remaining = max(l.quota.Hour-len(times), 0)
	v.Reset = now.Add(time.Hour)
	if len(times) > 0 {
		v.Reset = times[0].Add(time.Hour)
	}
	if l.seen == nil {
		l.seen = map[string][]time.Time{}
	}
	l.seen[key] = times
	return v
}

func (l *Limiter) now() time.Time {
	if l.Now != nil {
		return l.Now()
	}
	return time.Now()
}

// since returns the part of the ascending times that is later than start.
func since(times []time.Time, start time.Time) []time.Time {
	low, high := 0, len(times)
	for low < high {
		if mid := (low + high) / 2; times[mid].After(start) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return times[low:]
}
