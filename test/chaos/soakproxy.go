package chaos

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// spoiled is one way in which an answer goes wrong, and how many of a thousand do.
type spoiled struct {
	name    string
	permill int
	// after says that the request is carried out before.
	after bool
	// status answers that, and 0 does not answer: the connection is closed after a pause, at once when that is 0.
	status int
	pause  time.Duration
}

// spoils are the faults of a soak: 4 % of all requests.
var spoils = []spoiled{
	{name: "500", permill: 5, status: http.StatusInternalServerError},
	{name: "503", permill: 5, status: http.StatusServiceUnavailable},
	{name: "429", permill: 6, status: http.StatusTooManyRequests},
	{name: "no answer", permill: 2, pause: 40 * time.Second},
	{name: "connection closed", permill: 6},
	{name: "502 after it was done", permill: 5, after: true, status: http.StatusBadGateway},
	{name: "connection closed after it was done", permill: 8, after: true},
	{name: "no answer after it was done", permill: 3, after: true, pause: 40 * time.Second},
}

const (
	// late is how many reads of a thousand are answered late, with what was true before, and latest how late.
	late   = 30
	latest = 3 * time.Second
)

// flaky stands before a cloud and spoils answers.
type flaky struct {
	target *url.URL
	server *http.Server
	// on says whether answers are spoiled.
	on atomic.Bool
	// removing is called before the load balancer of an id is deleted, and what it returns after that is done.
	removing func(id string) (removed func())

	mu       sync.Mutex
	random   *rand.Rand
	requests int
	faults   map[string]int
}

// listen starts it, and returns its URL, with the path of the cloud's.
func (f *flaky) listen(cloud string) (string, error) {
	var err error
	if f.target, err = url.Parse(cloud); err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	f.server = &http.Server{Handler: f, ReadHeaderTimeout: time.Minute}
	go func() { _ = f.server.Serve(listener) }() // ends with http.ErrServerClosed
	own := *f.target
	own.Host = listener.Addr().String()
	return own.String(), nil
}

// draw says what happens to a request, nil for nothing, and how late it is answered.
func (f *flaky) draw(r *http.Request) (*spoiled, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	if !f.on.Load() {
		return nil, 0
	}
	at := f.random.IntN(1000)
	for i := range spoils {
		if at -= spoils[i].permill; at < 0 {
			f.faults[spoils[i].name]++
			return &spoils[i], 0
		}
	}
	if r.Method == http.MethodGet && at < late {
		f.faults["late"]++
		return nil, time.Duration(f.random.Int64N(int64(latest)))
	}
	return nil, 0
}

// counted returns how many requests there were, how many of them went wrong and how many were late.
func (f *flaky) counted() (requests, faults, tardy int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, n := range f.faults {
		if name == "late" {
			tardy = n
		} else {
			faults += n
		}
	}
	return f.requests, faults, tardy
}

// ServeHTTP implements http.Handler.
func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault, delay := f.draw(r)
	if fault != nil && !fault.after {
		fault.answer(w, r)
		return
	}
	answer, body, err := f.pass(r) //nolint:bodyclose // pass has read and closed it
	switch {
	case err != nil:
		panic(http.ErrAbortHandler)
	case fault != nil:
		fault.answer(w, r)
		return
	}
	if delay > 0 {
		wait(r.Context(), delay)
	}
	for key, values := range answer.Header {
		w.Header()[key] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(body)
}

// pass carries a request out, whether or not the caller waits for it.
func (f *flaky) pass(r *http.Request) (*http.Response, []byte, error) {
	given, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, nil, err
	}
	to := *r.URL
	to.Scheme, to.Host = f.target.Scheme, f.target.Host
	request, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, to.String(), bytes.NewReader(given))
	if err != nil {
		return nil, nil, err
	}
	request.Header = r.Header.Clone()
	request.Header.Del("Accept-Encoding")
	var removed func()
	if parent, id := path.Split(r.URL.Path); r.Method == http.MethodDelete && strings.HasSuffix(parent, "/load_balancers/") {
		removed = f.removing(id)
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if removed != nil && answer.StatusCode < http.StatusMultipleChoices {
		removed()
	}
	return answer, body, err
}

// answer answers in the place of the cloud.
func (s *spoiled) answer(w http.ResponseWriter, r *http.Request) {
	if s.status == 0 {
		wait(r.Context(), s.pause)
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, `{"id":"soak","message":"spoiled","error":{"code":"unavailable","message":"spoiled"}}`)
}
