// Package relay stands between a client and the OpenStack lab: it counts and records requests,
// breaks chosen ones and stops the world at the n-th, as the emulators of other clouds do.
//
// It needs no change in the client. Its own auth URL leads to keystone, and in keystone's
// answers the catalogue leads back to the relay, one path prefix per service, so a client finds
// all services through it. Paths of faults and routes begin with that prefix, for instance
// /load-balancer/v2.0/lbaas/loadbalancers.
package relay

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/watch"
)

// Relay is a running relay. Of its front Faults, Book, Quota, Arm, ArmTrigger, Disarm,
// HaltedAt, SetLatency and Reset are for tests.
type Relay struct {
	*front.Front
	// URL is the base URL, without a slash at its end.
	URL string

	signal watch.Signal
	server *http.Server

	mu     sync.Mutex
	tokens []string
}

// Start starts a relay for the test.
func Start(t testing.TB) *Relay {
	t.Helper()
	r, err := Open(t.Context(), "127.0.0.1", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// Open starts a relay on an address of this machine that clients know by a name. It has to be
// closed.
func Open(ctx context.Context, address, name string) (*Relay, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		return nil, fmt.Errorf("listening for requests to OpenStack: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, fmt.Errorf("listening for requests to OpenStack: %w", err)
	}
	r := &Relay{URL: "http://" + net.JoinHostPort(name, port)}
	r.Front = front.New(front.Vendor{
		API:   r.services(),
		Route: route,
		// All clients share a quota per service. There is none until a test sets it.
		QuotaKey: func(req *http.Request) string { return prefix(req.URL.Path) },
		Refuse: func(w http.ResponseWriter, req *http.Request, status int) {
			refuse(w, prefix(req.URL.Path), status)
		},
		State: func() any { return nil },
		Reset: func() {},
	}, &r.signal)
	r.server = &http.Server{Handler: r.Front, ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(listener) }() // ends with http.ErrServerClosed
	return r, nil
}

// Close ends the relay.
func (r *Relay) Close() {
	r.Front.Close()
	_ = r.server.Close() // a test server: nothing to save
}

// AuthURL is what the client's configuration has to name.
func (r *Relay) AuthURL() string { return r.URL + "/" + identity + "/v3" }

// AddFault puts a fault in force and returns its id. It panics when the fault can't have been
// meant, see fault.Fault.Validate.
func (r *Relay) AddFault(f fault.Fault) string {
	id, err := r.Faults.Add(f)
	if err != nil {
		panic(fmt.Sprintf("adding a fault: %v", err))
	}
	return id
}

// Until returns nil as soon as holds is true, or ctx's cause. It looks after every request.
func (r *Relay) Until(ctx context.Context, holds func() bool) error {
	return r.signal.Until(ctx, holds)
}

// Tokens are the tokens that were issued through the relay, oldest first: what a test revokes
// to make the client's login end in the middle.
func (r *Relay) Tokens() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.tokens...)
}
