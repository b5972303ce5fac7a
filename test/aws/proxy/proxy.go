// Package proxy stands between a client and moto: it counts and records calls, breaks chosen
// ones, throttles a share of them and stops the world at the n-th, as the emulators of other
// clouds do.
//
// Requests of AWS's query protocol are all POST /. In faults, routes and halts they are called
// GET /ec2/DescribeInstances where they read, and POST /elbv2/CreateListener where they write.
package proxy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/watch"
)

// Proxy is a running proxy. Of its front Faults, Book, Arm, ArmTrigger, Disarm, HaltedAt and
// SetLatency are for tests.
type Proxy struct {
	*front.Front
	// URL is the endpoint of all services, without a slash at its end.
	URL string

	cloud  http.RoundTripper
	signal watch.Signal
	server *http.Server

	page      atomic.Int64
	share     atomic.Int64
	throttled atomic.Int64

	remembering atomic.Bool
	remembered  sync.Map // answers by call
}

// Start starts a proxy to the cloud for the test.
func Start(t testing.TB, cloud http.RoundTripper) *Proxy {
	t.Helper()
	p, err := Open(t.Context(), cloud)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// Open starts a proxy to the cloud, on the loopback interface. It has to be closed.
func Open(ctx context.Context, cloud http.RoundTripper) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for requests to AWS: %w", err)
	}
	p := &Proxy{URL: "http://" + listener.Addr().String(), cloud: cloud}
	p.Front = front.New(front.Vendor{
		API:      http.HandlerFunc(p.answer),
		Route:    func(r *http.Request) string { return r.Method + " " + r.URL.Path },
		QuotaKey: func(*http.Request) string { return "" },
		Refuse:   refuse,
		State:    func() any { return nil },
		Reset:    func() {},
	}, &p.signal)
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(listener) }() // ends with http.ErrServerClosed
	return p, nil
}

// Close ends the proxy.
func (p *Proxy) Close() {
	p.Front.Close()
	_ = p.server.Close() // a test server: nothing to save
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	translated, err := translate(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.ServeHTTP(w, translated)
}

// AddFault puts a fault in force and returns its id. It panics when the fault can't have been
// meant, see fault.Fault.Validate.
func (p *Proxy) AddFault(f fault.Fault) string {
	id, err := p.Faults.Add(f)
	if err != nil {
		panic(fmt.Sprintf("adding a fault: %v", err))
	}
	return id
}

// SetPage makes pages of lists no larger than that many; 0 ends it.
func (p *Proxy) SetPage(most int) { p.page.Store(int64(most)) }

// Throttle refuses that share of the calls, in percent, as AWS does when there are too many.
// Which ones only depends on how many there were.
func (p *Proxy) Throttle(percent int) { p.share.Store(int64(percent)) }

// Remember asks moto only once for each thing from now on: moto takes seconds for a thousand
// instances, and more where tests run beside each other.
func (p *Proxy) Remember() { p.remembering.Store(true) }

// Calls are all calls so far, oldest first.
func (p *Proxy) Calls() []Call {
	var calls []Call
	for _, r := range p.Book.Requests() {
		calls = append(calls, recorded(r))
	}
	return calls
}

// Counts says how many calls read so far, and how many wrote.
func (p *Proxy) Counts() (reads, writes int) {
	counters := p.Book.Counters()
	return counters.Total - counters.Mutating, counters.Mutating
}

// Until returns nil as soon as holds is true, or ctx's cause. It looks after every call.
func (p *Proxy) Until(ctx context.Context, holds func() bool) error {
	return p.signal.Until(ctx, holds)
}
