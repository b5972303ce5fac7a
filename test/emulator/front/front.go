// Package front is the HTTP pipeline of every emulator. It wraps the handler of
// a vendor's API with latency, halts, quota, faults, counters and a request log,
// and serves the admin endpoints under /_emulator, which bypass all of that.
// An emulator embeds a Front, with all that tests do to an emulator: listening,
// faults, halts, quota, counters, waiting for a change.
package front

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/watch"
)

// maxBody is the largest request body accepted, in bytes.
const maxBody = 8 << 20

// Vendor is what one cloud brings along.
type Vendor struct {
	// API answers the cloud's own requests.
	API http.Handler
	// Route names the route of a request: method and template, as in "GET /v2/droplets/{id}".
	Route func(*http.Request) string
	// QuotaKey names whose quota a request uses; "" means no quota.
	QuotaKey func(*http.Request) string
	// Refuse writes the vendor's error answer for a status; used for 429 and for faults.
	Refuse func(w http.ResponseWriter, r *http.Request, status int)
	// State is what GET /_emulator/state answers.
	State func() any
	// Reset empties the vendor's state.
	Reset func()
	// Outer is served in the place of the front, which it is given; nil for the front itself.
	Outer func(http.Handler) http.Handler
}

// Front is the pipeline. Make it with New.
type Front struct {
	vendor  Vendor
	outer   http.Handler
	admin   *http.ServeMux
	latency atomic.Int64
	signal  watch.Signal

	// Faults, Quota and Book may be used directly.
	Faults fault.Set
	Quota  rate.Limiter
	Book   traffic.Book

	halts  halts
	done   chan struct{}
	closed sync.Once

	listening sync.Mutex
	server    *http.Server
	url       string
}

// New makes a front, which does not listen yet.
func New(v Vendor) *Front {
	f := &Front{vendor: v, done: make(chan struct{})}
	f.halts.disarmed = make(chan struct{})
	f.admin = f.adminRoutes()
	f.outer = f
	if v.Outer != nil {
		f.outer = v.Outer(f)
	}
	return f
}

// Admin returns the mux of the admin endpoints, for the vendor to add its own.
func (f *Front) Admin() *http.ServeMux { return f.admin }

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isAdmin(r) {
		f.admin.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, fmt.Sprintf("reading the body: %v", err), http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.serve(w, r, body)
}

// serve answers one API request. A caller that has its answer finds the request
// in the book, so it is recorded before the answer is sent.
func (f *Front) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	start := time.Now()
	watch := f.halts.begin(r)
	out := f.handle(r, watch)
	f.Book.Add(traffic.Request{
		Method: r.Method, Path: r.URL.RequestURI(), Route: f.vendor.Route(r), Body: string(body),
		Status: out.recordedStatus(), Bytes: out.body.Len(), Start: start, Took: time.Since(start),
	})
	f.signal.Announce()
	f.send(w, r, out, watch.lifted)
}

// handle runs the pipeline up to, but not including, sending the answer.
func (f *Front) handle(r *http.Request, watch watched) *outcome {
	if action := watch.ask(halt.Before); action != halt.Continue {
		return stopped(action)
	}
	if !f.pause(r, time.Duration(f.latency.Load())) {
		return stopped(halt.Drop)
	}
	out := f.withinQuota(r)
	if action := watch.ask(halt.After); action != halt.Continue {
		return stopped(action)
	}
	return out
}

// withinQuota counts the request against its quota and refuses it or passes it on.
func (f *Front) withinQuota(r *http.Request) *outcome {
	key := f.vendor.QuotaKey(r)
	if key == "" {
		return f.faulty(r)
	}
	verdict := f.Quota.Allow(key)
	if !verdict.Allowed {
		out := f.refuse(r, http.StatusTooManyRequests)
		verdict.WriteHeaders(out.header)
		return out
	}
	out := f.faulty(r)
	verdict.WriteHeaders(out.header)
	return out
}

// refuse makes the vendor's error answer.
func (f *Front) refuse(r *http.Request, status int) *outcome {
	out := newOutcome()
	f.vendor.Refuse(out, r, status)
	return out
}

// pause waits d and says whether the caller is still there.
func (f *Front) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-f.done:
	}
	return false
}
