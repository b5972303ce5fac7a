// Package wire is what emulators of JSON APIs share: reading requests strictly, cutting lists into
// numbered pages, and writing answers.
package wire

import (
	"net/http"
	"strings"
)

// Bearer returns the bearer token of a request, "" for none.
func Bearer(r *http.Request) string {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(value)
}

// Route names the route of a request: the pattern of the mux that it matches. "GET /" stands for
// all paths that are not known.
func Route(mux *http.ServeMux, r *http.Request) string {
	_, pattern := mux.Handler(r)
	if pattern == "/" || pattern == "" {
		return r.Method + " /"
	}
	return pattern
}
