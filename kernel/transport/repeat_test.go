package transport

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRepeat has a cloud that throttles with the status 400.
func TestRepeat(t *testing.T) {
	for name, test := range map[string]struct {
		refusals, want int
		status         int
	}{
		"once":  {1, 2, http.StatusOK},
		"never": {0, 1, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			var bodies []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bodies = append(bodies, string(body)); len(bodies) <= test.refusals {
					w.WriteHeader(http.StatusBadRequest)
				}
			}))
			defer server.Close()
			client := &http.Client{Transport: New(server.Client().Transport, Options{
				Cloud: "test", Throttled: func(r *http.Response) bool { return r.StatusCode == http.StatusBadRequest },
			})}
			answer, err := client.Post(server.URL, "text/plain", strings.NewReader("Action=Do"))
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if len(bodies) != test.want || answer.StatusCode != test.status {
				t.Errorf("status %d after the bodies %q", answer.StatusCode, bodies)
			}
			for _, body := range bodies {
				if body != "Action=Do" {
					t.Errorf("body %q", body)
				}
			}
		})
	}
}
