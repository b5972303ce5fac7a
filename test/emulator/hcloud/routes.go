package hcloud

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// call is one request to the API. It is answered with the server's lock held.
type call struct {
	*http.Request

	server  *Server
	project *Project
}

// handler answers a call.
type handler func(*call) (reply, error)

// coreRoutes are the endpoints of locations, servers and actions.
var coreRoutes = map[string]handler{
	"GET /locations":      listLocations,
	"GET /locations/{id}": getLocation,
	"GET /servers":        listMachines,
	"GET /servers/{id}":   getMachine,
	"GET /actions":        listActions,
	"GET /actions/{id}":   getAction,
}

// routes is the list of emulated endpoints.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	all := map[string]handler{}
	for _, more := range []map[string]handler{coreRoutes, networkRoutes, balancerRoutes, certificateRoutes} {
		maps.Copy(all, more)
	}
	for pattern, h := range all {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+apiRoot+path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, h) })
	}
	mux.HandleFunc("GET "+metadataRoot+"/{path...}", s.metadata)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, unknown) })
	return mux
}

// serve finds the caller's project by token, takes the lock and answers.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, h handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("X-Correlation-Id", fmt.Sprintf("%016x", s.newID("correlation")))
	held, ok := s.tokens[wire.Bearer(r)]
	switch {
	case !ok:
		writeError(w, broken("common/token", "unable to authenticate"))
		return
	case held.readOnly && traffic.Mutating(r.Method):
		writeError(w, broken("common/read-only", "insufficient permissions for this request"))
		return
	}
	answer, err := h(&call{Request: r, server: s, project: held.project})
	if err != nil {
		writeError(w, err)
		return
	}
	answer.write(w)
}

// unknown answers paths the API does not have.
func unknown(*call) (reply, error) { return reply{}, notFound("page") }

func notFound(what string) error { return broken("common/not-found", "%s not found", what) }

// identifier reads the id in the path. What is no number names nothing.
func (c *call) identifier() int64 {
	id, err := strconv.ParseInt(c.PathValue("id"), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// found returns the resource that the path names.
func found[T identified](c *call, in store[T], what string) (T, error) {
	one, ok := in.byID[c.identifier()]
	if !ok {
		return one, notFound(what)
	}
	return one, nil
}
