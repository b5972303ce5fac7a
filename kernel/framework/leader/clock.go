package leader

import (
	"net/http"
	"sync/atomic"
	"time"
)

// Clock knows the API server's time from its answers.
type Clock struct {
	next http.RoundTripper
	// ahead is how much it is ahead of ours.
	ahead atomic.Pointer[time.Duration]
}

// Wrap is for the client whose answers are read.
func (c *Clock) Wrap(next http.RoundTripper) http.RoundTripper {
	c.next = next
	return c
}

// RoundTrip implements [http.RoundTripper].
func (c *Clock) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(request)
	if err == nil {
		if at, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			c.ahead.Store(new(time.Until(at)))
		}
	}
	return response, err
}

// Now is the API server's time, zero before it has answered.
func (c *Clock) Now() time.Time {
	if ahead := c.ahead.Load(); ahead != nil {
		return time.Now().Add(*ahead)
	}
	return time.Time{}
}
