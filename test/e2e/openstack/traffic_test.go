package openstack_test

import (
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// events are what was said on Services.
type events struct {
	mu   sync.Mutex
	said []string
}

func (e *events) Record(_ event.Object, reason event.Reason, message string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said = append(e.said, reason.Name+": "+message)
}

// traffic notes the requests to the APIs.
type traffic struct {
	next http.RoundTripper

	mu  sync.Mutex
	all []string
	// intercept may answer in place of the API.
	intercept func(*http.Request) *http.Response
}

func (t *traffic) RoundTrip(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	t.all = append(t.all, r.Method+" "+r.URL.RequestURI())
	if t.intercept != nil {
		if answer := t.intercept(r); answer != nil {
			t.mu.Unlock()
			return answer, nil
		}
	}
	t.mu.Unlock()
	return t.next.RoundTrip(r)
}

// take returns the requests since it was last called.
func (t *traffic) take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.all
	t.all = nil
	return taken
}

// answer lets a function answer in place of the API, nil to ask the API.
func (t *traffic) answer(intercept func(*http.Request) *http.Response) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.intercept = intercept
}

// see shows a function every request.
func (t *traffic) see(show func(*http.Request)) {
	t.answer(func(r *http.Request) *http.Response {
		show(r)
		return nil
	})
}

// conflict is the answer of Octavia while a balancer is busy.
func conflict(r *http.Request) *http.Response {
	if r.Body != nil {
		r.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusConflict, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"faultcode": "Client", "faultstring": "Load Balancer is immutable and cannot be updated.", "debuginfo": null}`)),
	}
}
