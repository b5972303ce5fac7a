package gce

import (
	"net/http"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/providers/gce/token"
)

func TestEndpoint(t *testing.T) {
	universe := func(status int, text string) token.Metadata {
		return token.Metadata{Host: "metadata", Transport: transportFunc(func(*http.Request) (*http.Response, error) {
			a := answer(status, text)
			a.Header.Set("Metadata-Flavor", "Google")
			return a, nil
		})}
	}
	documentOf := func(text string) token.Source {
		return token.Document{Read: func() (string, error) { return text, nil }}
	}
	for _, test := range []struct {
		from token.Source
		want string
	}{
		{token.Machine{Metadata: universe(http.StatusOK, "googleapis.com\n")}, "https://compute.googleapis.com/compute/v1/"},
		{token.Machine{Metadata: universe(http.StatusNotFound, "no")}, "https://compute.googleapis.com/compute/v1/"},
		{token.Machine{Metadata: universe(http.StatusOK, "apis.example.com")}, "https://compute.apis.example.com/compute/v1/"},
		{token.Machine{Metadata: universe(http.StatusOK, "evil.example/path")}, ""},
		{token.Machine{Metadata: universe(http.StatusServiceUnavailable, "")}, ""},
		{documentOf(`{"type": "service_account"}`), "https://compute.googleapis.com/compute/v1/"},
		{documentOf(`{"type": "service_account", "universe_domain": "apis.example.com"}`), "https://compute.apis.example.com/compute/v1/"},
	} {
		got, err := endpoint(t.Context(), test.from)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q, want %q: %v", got, test.want, err)
		}
	}
}
