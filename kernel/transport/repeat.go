package transport

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	// maxRepeats is how often a throttled request is sent again.
	maxRepeats = 8
	// maxRepeatPause bounds the pause before.
	maxRepeatPause = 2 * time.Second
)

type repeatsKey struct{}

// WithRepeats returns a context whose requests are sent again at most that often when the cloud has throttled them.
func WithRepeats(ctx context.Context, most int) context.Context {
	return context.WithValue(ctx, repeatsKey{}, most)
}

// repeat sends a request again that the cloud has throttled, where the cloud says so without the
// status 429: it was not carried out, so that this is safe for writes too. Where the API throttles
// a share of all requests, calls of many requests would never come through otherwise.
type repeat struct {
	next      http.RoundTripper
	throttled func(*http.Response) bool
}

func (r *repeat) RoundTrip(request *http.Request) (*http.Response, error) {
	most, limited := request.Context().Value(repeatsKey{}).(int)
	if !limited {
		most = maxRepeats
	}
	for try := 1; ; try++ {
		response, err := r.next.RoundTrip(request)
		if err != nil || try > most || !r.throttled(response) {
			return response, err
		}
		again, ok := rewound(request)
		if !ok || !Sleep(request.Context(), min(Backoff(try), maxRepeatPause)) {
			return response, nil
		}
		_ = response.Body.Close() // what it says is known
		request = again
	}
}

// rewound returns the request with its body from the start, false when that cannot be had.
func rewound(request *http.Request) (*http.Request, bool) {
	if request.Body == nil || request.Body == http.NoBody {
		return request, true
	}
	if request.GetBody == nil {
		return nil, false
	}
	body, err := request.GetBody()
	if err != nil {
		return nil, false
	}
	again := request.Clone(request.Context())
	again.Body = body
	return again, true
}

// firstBackoff is the mean pause before the second try. It doubles with each try.
const firstBackoff = 200 * time.Millisecond

// Backoff is the pause after the nth try, between half and one and a half of its mean.
func Backoff(try int) time.Duration {
	mean := firstBackoff << (try - 1)
	return mean/2 + rand.N(mean)
}

// Sleep waits unless the deadline would pass meanwhile, and reports whether it did.
func Sleep(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
