package dryrun

import (
	"net/http"
	"strings"
	"testing"
)

// The API server reads the options of a DELETE from its body, where client-go writes them,
// and then ignores dryRun in the query: with the body the Node would really be deleted.
func TestDryRunOfDeleteHasNoBody(t *testing.T) {
	for method, want := range map[string]bool{http.MethodDelete: false, http.MethodPut: true, http.MethodPatch: true, http.MethodPost: true} {
		request, err := http.NewRequestWithContext(t.Context(), method, "https://kubernetes/api/v1/nodes/n", strings.NewReader(`{"preconditions":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		var sent *http.Request
		_, _ = Transport(roundTripper(func(r *http.Request) (*http.Response, error) { sent = r; return nil, nil })).RoundTrip(request)
		if got := sent.Body != nil && sent.ContentLength > 0; got != want {
			t.Errorf("%s: sent with a body: %t, want %t", method, got, want)
		}
		if got := sent.URL.Query().Get("dryRun"); got != "All" {
			t.Errorf("%s: dryRun is %q", method, got)
		}
		if request.Body == nil || request.ContentLength == 0 {
			t.Errorf("%s: the caller's request was changed", method)
		}
	}
}

func TestDryRun(t *testing.T) {
	for method, want := range map[string]string{"GET": "a=1", "PATCH": "a=1&dryRun=All", "DELETE": "a=1&dryRun=All"} {
		var got string
		next := roundTripper(func(r *http.Request) (*http.Response, error) { got = r.URL.RawQuery; return nil, nil })
		request, _ := http.NewRequest(method, "https://kubernetes/api/v1/nodes?a=1", nil)
		Transport(next).RoundTrip(request)
		if got != want {
			t.Errorf("%s: %q, want %q", method, got, want)
		}
		if request.URL.RawQuery != "a=1" {
			t.Error("the caller's request was changed")
		}
	}
}
