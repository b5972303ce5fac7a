// Package relay stands between a client and the OpenStack lab: it counts and records requests,
// breaks chosen ones and stops the world at the n-th, as the emulators of other clouds do.
//
// It needs no change in the client. Its own auth URL leads to keystone, and in keystone's
// answers the catalogue leads back to the relay, one path prefix per service, so a client finds
// all services through it. Paths of faults and routes begin with that prefix, for instance
// /load-balancer/v2.0/lbaas/loadbalancers.
package relay

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
)

// Relay is a running relay. Its front is for tests.
type Relay struct {
	*front.Front
	// URL is the base URL, without a slash at its end.
	URL string

	mu     sync.Mutex
	tokens []string
}

// Start starts a relay for the test.
func Start(t testing.TB) *Relay {
	t.Helper()
	r, err := Open("127.0.0.1", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// Open starts a relay on an address of this machine that clients know by a name. It has to be
// closed.
func Open(address, name string) (*Relay, error) {
	r := &Relay{}
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
	})
	url, err := r.Listen(net.JoinHostPort(address, "0"))
	if err != nil {
		return nil, fmt.Errorf("taking requests to OpenStack: %w", err)
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	if err != nil {
		return nil, fmt.Errorf("taking requests to OpenStack: %w", err)
	}
	r.URL = "http://" + net.JoinHostPort(name, port)
	return r, nil
}

// AuthURL is what the client's configuration has to name.
func (r *Relay) AuthURL() string { return r.URL + "/" + identity + "/v3" }

// Tokens are the tokens that were issued through the relay, oldest first: what a test revokes
// to make the client's login end in the middle.
func (r *Relay) Tokens() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.tokens...)
}
