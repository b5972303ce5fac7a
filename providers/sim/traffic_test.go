package sim_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
)

var _ conformance.Witness = control{}

// carriedOut says what each write of the API carries out.
var carriedOut = map[string][]cloud.Operation{
	"POST /v1/balancers":        {{Verb: cloud.Create, Kind: cloud.KindBalancer}},
	"PUT /v1/balancers/{id}":    {{}},
	"DELETE /v1/balancers/{id}": {{Verb: cloud.Delete, Kind: cloud.KindBalancer}},
}

// theID is the path of one balancer.
var theID = regexp.MustCompile("^/v1/balancers/[^/]+$")

// gate is in front of a world and notes down the writes that come in.
type gate struct {
	world  *world.World
	mu     sync.Mutex
	writes []conformance.Write
}

// open serves a world behind a gate.
func open(t *testing.T, w *world.World) (*gate, string) {
	t.Helper()
	g := &gate{world: w}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	t.Cleanup(w.Close) // first: it ends hung requests
	return g, server.URL
}

// ServeHTTP implements http.Handler.
func (g *gate) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Method != http.MethodGet {
		g.mu.Lock()
		route := r.Method + " " + theID.ReplaceAllString(r.URL.Path, "/v1/balancers/{id}")
		g.writes = append(g.writes, conformance.Write{Route: route, Request: r.Method + " " + r.URL.Path + " " + string(body)})
		g.mu.Unlock()
	}
	g.world.ServeHTTP(rw, r)
}

// Writes are those that came through the gate.
func (c control) Writes() []conformance.Write {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return slices.Clone(c.gate.writes)
}
