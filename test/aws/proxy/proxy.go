// Package proxy stands between a client and moto: it counts and records calls, breaks chosen
// ones, throttles a share of them and stops the world at the n-th, as the emulators of other
// clouds do.
//
// Requests of AWS's query protocol are all POST /. In faults, routes and halts they are called
// GET /ec2/DescribeInstances where they read, and POST /elbv2/CreateListener where they write.
package proxy

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
)

// Proxy is a running proxy. Its front is for tests.
type Proxy struct {
	*front.Front
	// URL is the endpoint of all services, without a slash at its end.
	URL string

	cloud http.RoundTripper

	page      atomic.Int64
	share     atomic.Int64
	throttled atomic.Int64
	fleet     atomic.Int64
	quota     quota
}

// Start starts a proxy to the cloud for the test.
func Start(t testing.TB, cloud http.RoundTripper) *Proxy {
	t.Helper()
	p, err := Open(cloud)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// Open starts a proxy to the cloud, on the loopback interface. It has to be closed.
func Open(cloud http.RoundTripper) (*Proxy, error) {
	p := &Proxy{cloud: cloud}
	p.Front = front.New(front.Vendor{
		API:      http.HandlerFunc(p.answer),
		Route:    func(r *http.Request) string { return r.Method + " " + r.URL.Path },
		QuotaKey: func(r *http.Request) string { return r.URL.Path }, // each call has its own
		Refuse:   refuse,
		State:    func() any { return nil },
		Reset:    func() {},
		Outer:    func(http.Handler) http.Handler { return http.HandlerFunc(p.serve) },
	})
	var err error
	if p.URL, err = p.Listen("127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("taking requests to AWS: %w", err)
	}
	return p, nil
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	translated, err := translate(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.ServeHTTP(w, translated)
}

// SetPage makes pages of lists no larger than that many; 0 ends it.
func (p *Proxy) SetPage(most int) { p.page.Store(int64(most)) }

// Throttle refuses that share of the calls, in percent, as AWS does when there are too many.
// Which ones only depends on how many there were.
func (p *Proxy) Throttle(percent int) { p.share.Store(int64(percent)) }

// MostTargets has no target group get more targets than that, as a quota of AWS does; 0 ends it. moto has none.
func (p *Proxy) MostTargets(most int) { p.quota.most.Store(int64(most)) }

// Fleet makes of the only instance of the cloud that many, which differ in their ids: see FleetID.
// moto takes a minute to make thousands, and another to list them. They have no topology.
func (p *Proxy) Fleet(count int) { p.fleet.Store(int64(count)) }

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
