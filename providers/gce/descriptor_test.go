package gce

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/providers/gce/token"
)

func TestReadOnly(t *testing.T) {
	for method, want := range map[string]bool{http.MethodGet: true, http.MethodHead: true, http.MethodPost: false, http.MethodDelete: false} {
		if got := ReadOnly(httptest.NewRequest(method, "http://compute.example.com/x", http.NoBody)); got != want {
			t.Errorf("%s reads only: %t, want %t", method, got, want)
		}
	}
	seen := false
	next := transportFunc(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost {
			seen = ReadOnly(r)
		}
		return answer(http.StatusOK, `{"access_token": "x", "token_type": "Bearer"}`), nil
	})
	credentials := func() (string, error) {
		return `{"type": "authorized_user", "client_id": "a", "client_secret": "b", "refresh_token": "c"}`, nil
	}
	sent := token.NewTransport(next, token.Document{Read: credentials, Transport: next})
	if _, err := sent.RoundTrip(httptest.NewRequest(http.MethodGet, "http://compute.example.com/x", http.NoBody)); err != nil || !seen {
		t.Errorf("a request for a token reads only: %t, %v", seen, err)
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

func TestAPI(t *testing.T) {
	const project = "http://compute.example.com/compute/v1/projects/p/"
	for request, want := range map[string]string{
		"GET " + project + "aggregated/instances": "list", "GET " + project + "global/routes": "list",
		"GET " + project + "zones/z/instances/i": "", "GET " + project + "global/operations/o": "operation", "GET " + project + "global/operations": "operation",
		"POST " + project + "global/routes": "write", "DELETE " + project + "global/routes/r": "write",
	} {
		method, url, _ := strings.Cut(request, " ")
		if got := API(httptest.NewRequest(method, url, http.NoBody)); got != want {
			t.Errorf("%s is of %q, want %q", request, got, want)
		}
	}
}

func TestThrottled(t *testing.T) {
	refusal := func(reason string) string {
		return `{"error": {"code": 403, "errors": [{"reason": "` + reason + `"}]}}`
	}
	for _, test := range []struct {
		status int
		body   string
		want   bool
	}{
		{http.StatusForbidden, refusal("rateLimitExceeded"), true},
		{http.StatusForbidden, refusal("userRateLimitExceeded"), true},
		{http.StatusForbidden, refusal("quotaExceeded"), false},
		{http.StatusForbidden, refusal("forbidden"), false},
		{http.StatusForbidden, "<html>", false},
		{http.StatusTooManyRequests, "", true},
		{http.StatusOK, refusal("rateLimitExceeded"), false},
	} {
		a := answer(test.status, test.body)
		if got := Throttled(a); got != test.want {
			t.Errorf("%d %s: throttled %t, want %t", test.status, test.body, got, test.want)
		}
		if left, err := io.ReadAll(a.Body); string(left) != test.body || err != nil {
			t.Errorf("%d: the body is %q: %v", test.status, left, err)
		}
	}
}
