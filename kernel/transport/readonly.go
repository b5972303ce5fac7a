package transport

import (
	"fmt"
	"net/http"
)

// WriteRefused is the error of a request that would have written in a dry run. kernel/run asks for none
// then; this refuses what a driver sends all the same.
type WriteRefused struct {
	// Request is the method and path.
	Request string
}

func (e *WriteRefused) Error() string {
	return fmt.Sprintf("%s refused: nothing is written in dry-run mode", e.Request)
}

type readOnly struct {
	next  http.RoundTripper
	reads func(*http.Request) bool
}

func (r *readOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	if r.onlyReads(request) {
		return r.next.RoundTrip(request)
	}
	closeBody(request)
	return nil, &WriteRefused{Request: request.Method + " " + request.URL.Path}
}

func (r *readOnly) onlyReads(request *http.Request) bool {
	if r.reads != nil {
		return r.reads(request)
	}
	return request.Method == "" || request.Method == http.MethodGet || request.Method == http.MethodHead
}

// closeBody does what a RoundTripper owes a request that it does not send.
func closeBody(request *http.Request) {
	if request.Body != nil {
		request.Body.Close()
	}
}
