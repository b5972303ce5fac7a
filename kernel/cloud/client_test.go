package cloud_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// A redirect is an answer like any other: what is behind it is not asked, and gets no token.
func TestClientFollowsNoRedirect(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			t.Errorf("asked for %s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer server.Close()
	secret := func(string) (string, error) { return "secret", nil }
	answer := get(t, cloud.NewClient(cloud.WithToken(http.DefaultTransport, "TOKEN", secret)), server.URL)
	if answer != http.StatusFound {
		t.Errorf("status %d, want the redirect itself", answer)
	}
}

// Every request has the token as it is now.
func TestTokenIsReadForEachRequest(t *testing.T) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
	}))
	defer server.Close()
	tokens := []string{"first\n", "second"}
	client := cloud.NewClient(cloud.WithToken(http.DefaultTransport, "TOKEN", func(name string) (string, error) {
		if len(tokens) == 0 {
			return "", errors.New("no such file")
		}
		token := tokens[0]
		tokens = tokens[1:]
		return name + "-" + token, nil
	}))
	get(t, client, server.URL)
	get(t, client, server.URL)
	if len(seen) != 2 || seen[0] != "Bearer TOKEN-first" || seen[1] != "Bearer TOKEN-second" {
		t.Errorf("requests with %q", seen)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = client.Do(request); !cloud.IsClass(err, cloud.FailureUnauthorized) || len(seen) != 2 {
		t.Errorf("without a token: %v after %d requests", err, len(seen))
	}
}

func get(t *testing.T, client *http.Client, url string) (status int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}
