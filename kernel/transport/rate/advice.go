package rate

import (
	"net/http"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// defaultPause follows a 429 that does not say how long to wait.
	defaultPause = time.Second
	// maxResetPause bounds a pause derived from ratelimit-reset: that is when the whole
	// window is free again, and a part of it is free much sooner.
	maxResetPause = time.Minute
	// maxPause bounds what a header can do to us.
	maxPause = 5 * time.Minute
)

// Advice is what an answer says about the rate limit.
type Advice struct {
	// Pause is how long nothing may be sent, 0 when the request was not throttled.
	Pause time.Duration
	// Remaining is how many requests are left in the cloud's long window, if HasRemaining.
	Remaining    int
	HasRemaining bool
}

// ReadAdvice reads the headers of the clouds we know:
//
//	status  header              pause
//	429     retry-after         that long (seconds or HTTP date)
//	429     ratelimit-reset and until then (epoch seconds), at most a minute
//	        -remaining 0
//	429     none                a second
//	503     retry-after         that long
//	503     none                none: a broken server is no limit
func ReadAdvice(response *http.Response, now time.Time) Advice {
	var a Advice
	if n, err := strconv.Atoi(response.Header.Get("Ratelimit-Remaining")); err == nil && n >= 0 {
		a.Remaining, a.HasRemaining = n, true
	}
	after, given := cloud.ParseWait(response.Header.Get("Retry-After"), now)
	switch {
	case given && (response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable):
		a.Pause = after
	case response.StatusCode != http.StatusTooManyRequests:
		return a
	case a.HasRemaining && a.Remaining == 0:
		a.Pause = untilReset(response.Header, now)
	}
	if response.StatusCode == http.StatusTooManyRequests {
		a.Pause = max(a.Pause, defaultPause)
	}
	a.Pause = min(a.Pause, maxPause)
	return a
}

func untilReset(header http.Header, now time.Time) time.Duration {
	epoch, err := strconv.ParseInt(header.Get("Ratelimit-Reset"), 10, 64)
	if err != nil {
		return 0
	}
	return min(time.Unix(epoch, 0).Sub(now), maxResetPause)
}
