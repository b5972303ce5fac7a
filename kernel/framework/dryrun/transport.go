package dryrun

import "net/http"

// Transport makes the API server check and answer every write without keeping anything, so
// that the controllers go on as if it had happened. The server takes the options of a DELETE
// from its body if there is one, and then ignores the query, so the body is left out.
func Transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			r = r.Clone(r.Context())
			query := r.URL.Query()
			query.Set("dryRun", "All")
			r.URL.RawQuery = query.Encode()
			if r.Method == http.MethodDelete {
				dropBody(r)
			}
		}
		return next.RoundTrip(r)
	})
}

func dropBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
	r.Body, r.GetBody, r.ContentLength = nil, nil, 0
	r.Header.Del("Content-Type")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
