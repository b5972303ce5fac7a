package rate_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

// clock is a hand-moved clock.
type clock struct{ now time.Time }

func (c *clock) limiter(q rate.Quota) *rate.Limiter {
	c.now = time.Unix(1_800_000_000, 0)
	l := &rate.Limiter{Now: func() time.Time { return c.now }}
	l.Set(q)
	return l
}

func TestBurstQuotaSlides(t *testing.T) {
	var c clock
	l := c.limiter(rate.Quota{Hour: 100, Minute: 2})
	l.Allow("a")
	c.now = c.now.Add(20 * time.Second)
	l.Allow("a")
	v := l.Allow("a")
	if v.Allowed || v.RetryAfter != 40*time.Second || v.Remaining != 98 {
		t.Fatalf("third request in a minute: %+v, want a refusal for 40s with 98 remaining", v)
	}
	h := http.Header{}
	v.WriteHeaders(h)
	if h.Get("retry-after") != "40" || h.Get("ratelimit-limit") != "100" || h.Get("ratelimit-reset") != "1800003600" {
		t.Fatalf("headers %v", h)
	}
	if !l.Allow("b").Allowed {
		t.Fatal("another key has its own quota")
	}
	c.now = c.now.Add(40 * time.Second)
	if !l.Allow("a").Allowed || l.Allow("a").Allowed {
		t.Fatal("after 40s exactly one more request is allowed")
	}
}

func TestHourlyQuotaHasNoRetryAfter(t *testing.T) {
	var c clock
	l := c.limiter(rate.Quota{Hour: 1})
	l.Allow("a")
	v := l.Allow("a")
	if v.Allowed || v.RetryAfter != 0 || v.Remaining != 0 || !v.Reset.Equal(c.now.Add(time.Hour)) {
		t.Fatalf("second request in an hour: %+v", v)
	}
	c.now = c.now.Add(time.Hour)
	if !l.Allow("a").Allowed {
		t.Fatal("the window must have moved on")
	}
}

func TestZeroQuotaAllowsEverything(t *testing.T) {
	var l rate.Limiter
	for range 10_000 {
		if v := l.Allow("a"); !v.Allowed || v.Limit != 0 {
			t.Fatalf("no quota: %+v", v)
		}
	}
}

func TestGradualQuotaComesBackByTheSecond(t *testing.T) {
	var c clock
	l := c.limiter(rate.Quota{Hour: 3600})
	l.Gradual = true
	for range 3600 {
		if !l.Allow("a").Allowed {
			t.Fatal("a full bucket refused")
		}
	}
	v := l.Allow("a")
	if v.Allowed || v.Remaining != 0 || v.RetryAfter != 0 || !v.Reset.Equal(c.now.Add(time.Hour)) {
		t.Fatalf("an empty bucket: %+v, want a refusal and a full bucket in an hour", v)
	}
	c.now = c.now.Add(2 * time.Second)
	if v = l.Allow("a"); !v.Allowed || v.Remaining != 1 {
		t.Fatalf("two seconds later: %+v, want one of two requests left", v)
	}
	if !l.Allow("a").Allowed || l.Allow("a").Allowed {
		t.Fatal("two seconds give two requests")
	}
}

func TestBucketOfASecond(t *testing.T) {
	var c clock
	l := c.limiter(rate.Quota{Burst: 3, PerSecond: 2})
	for range 3 {
		if v := l.Allow("a"); !v.Allowed || v.Limit != 0 {
			t.Fatalf("a full bucket: %+v", v)
		}
	}
	if l.Allow("a").Allowed || !l.Allow("b").Allowed {
		t.Fatal("each key has a bucket, and this one is empty")
	}
	c.now = c.now.Add(500 * time.Millisecond)
	if !l.Allow("a").Allowed || l.Allow("a").Allowed {
		t.Fatal("after half a second exactly one more request is allowed")
	}
}
