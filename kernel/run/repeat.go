package run

import (
	"net/http"
	"time"
)

const (
	// maxRepeats is how often a throttled request is sent again.
	maxRepeats = 8
	// maxRepeatPause bounds the pause before.
	maxRepeatPause = 2 * time.Second
	// maxLabelRepeats is that for labels of machines: a Node waits for them, and most Nodes do
	// without rather than wait.
	maxLabelRepeats = 1
)

// repeat sends a request again that the cloud has throttled, where the cloud says so without the
// status 429: it was not carried out, so that this is safe for writes too. Where the API throttles
// a share of all requests, calls of many requests would never come through otherwise.
type repeat struct {
	next      http.RoundTripper
	throttled func(*http.Response) bool
}

func (r *repeat) RoundTrip(request *http.Request) (*http.Response, error) {
	most := maxRepeats
	if OperationOf(request.Context()) == opReadLabels.name {
		most = maxLabelRepeats
	}
	for try := 1; ; try++ {
		response, err := r.next.RoundTrip(request)
		if err != nil || try > most || !r.throttled(response) {
			return response, err
		}
		again, ok := rewound(request)
		if !ok || !sleep(request.Context(), min(backoff(try), maxRepeatPause)) {
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
