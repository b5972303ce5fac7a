package relay

import (
	"net/http"
	"regexp"
	"strings"
)

// id matches a path segment that names one object.
var id = regexp.MustCompile(`^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]+)$`)

// route names the route of a request: "GET /compute/v2.1/servers/{id}".
func route(r *http.Request) string {
	segments := strings.Split(r.URL.Path, "/")
	for i, segment := range segments {
		if id.MatchString(segment) {
			segments[i] = "{id}"
		}
	}
	return r.Method + " " + strings.Join(segments, "/")
}

// prefix is the service of a path.
func prefix(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return name
}
