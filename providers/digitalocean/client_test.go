package digitalocean

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// serve starts an API and returns a driver that uses it.
func serve(t *testing.T, env map[string]string, handler http.HandlerFunc) (*Driver, *string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	token := "token-1"
	all := map[string]string{config.EnvURL: server.URL, config.EnvMetadataURL: server.URL}
	for name, value := range env {
		all[name] = strings.ReplaceAll(value, "SERVER", server.URL)
	}
	c := testConfig(all)
	c.Secret = func(string) (string, error) { return token, nil }
	c.Transport = server.Client().Transport
	driver, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return driver.Account.(*Driver), &token
}

// answer writes JSON as the API does.
func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

const account = `{"account": {"uuid": "u", "team": {"uuid": "team-1"}}}`

func TestClient(t *testing.T) {
	var seen []string
	d, token := serve(t, map[string]string{config.EnvURL: "SERVER/proxy/do/"}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metadata/v1/region" {
			if r.Header.Get("Authorization") != "" {
				t.Error("the token is sent to the metadata service")
			}
			_, _ = io.WriteString(w, "ams3\n")
			return
		}
		seen = append(seen, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization"))
		agent := r.Header.Get("User-Agent")
		if !strings.HasPrefix(agent, "multicloud-ccm/test digitalocean-cloud-controller-manager-compatible") {
			t.Errorf("user agent = %q", agent)
		}
		if r.URL.Path == "/proxy/do/v2/account" {
			answer(w, 200, account)
			return
		}
		answer(w, 200, `{"droplets": [], "meta": {"total": 0}}`)
	})
	identity, err := d.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cloud.Identity{Account: "team-1", Region: "ams3"}, identity); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	*token = "token-2\n"
	if _, err := d.FindByName(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"GET /proxy/do/v2/account Bearer token-1",
		"GET /proxy/do/v2/droplets?name=web&page=1&per_page=200 Bearer token-2",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestRegion(t *testing.T) {
	regions := `{"regions": [{"slug": "nyc3"}, {"slug": "fra1"}], "meta": {"total": 2}}`
	tests := []struct {
		name, region, metadata string
		status                 int
		want                   string
		refused                string
	}{
		{name: "configured", region: "fra1", status: 200, want: "fra1"},
		{name: "configured, unknown", region: "fra9", status: 200, refused: "fra1, nyc3"},
		{name: "configured, the API is down", region: "fra9", status: 500, want: "fra9"},
		{name: "configured, not permitted", region: "fra9", status: 403, want: "fra9"},
		{name: "of this droplet", metadata: "sfo3\n", want: "sfo3"},
		{name: "no metadata", refused: "404"},
		{name: "nonsense", metadata: "<html>", refused: "region of the metadata service"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/v2/regions":
					answer(w, test.status, regions)
				case r.URL.Path == "/metadata/v1/region" && test.metadata != "":
					_, _ = io.WriteString(w, test.metadata)
				default:
					http.NotFound(w, r)
				}
			}))
			defer server.Close()
			c := testConfig(map[string]string{config.EnvURL: server.URL, config.EnvMetadataURL: server.URL, config.EnvRegion: test.region})
			c.Transport = server.Client().Transport
			d, err := New(t.Context(), c)
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) || cloud.MayPass(err) != (test.name == "no metadata") {
					t.Errorf("error = %v, want one about %q", err, test.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Account.(*Driver).region; got != test.want {
				t.Errorf("region = %q, want %q", got, test.want)
			}
		})
	}
}

// TestClassify runs whole requests, because the class depends on what the client makes of
// an answer.
func TestClassify(t *testing.T) {
	message := func(text string) string { return `{"id": "x", "message": "` + text + `"}` }
	html := func(w http.ResponseWriter, status int) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html>")
	}
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   cloud.Failure
	}{
		{"not found", func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, message("gone")) }, cloud.Failure{Class: cloud.FailureNotFound}},
		{"not found by a proxy", func(w http.ResponseWriter, _ *http.Request) { html(w, 404) }, cloud.Failure{Class: cloud.FailureUnknown}},
		{"unauthorized", func(w http.ResponseWriter, _ *http.Request) { answer(w, 401, message("no")) }, cloud.Failure{Class: cloud.FailureUnauthorized}},
		{"forbidden", func(w http.ResponseWriter, _ *http.Request) { answer(w, 403, message("no")) }, cloud.Failure{Class: cloud.FailureUnauthorized}},
		{"conflict", func(w http.ResponseWriter, _ *http.Request) { answer(w, 409, message("no")) }, cloud.Failure{Class: cloud.FailureConflict}},
		{"busy", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, 422, message("Load Balancer can't be updated while it processes previous actions"))
		}, cloud.Failure{Class: cloud.FailureConflict}},
		{"invalid", func(w http.ResponseWriter, _ *http.Request) { answer(w, 422, message("entry port is invalid")) }, cloud.Failure{Class: cloud.FailureInvalid}},
		{"quota", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, 422, message("this would exceed your load balancer limit"))
		}, cloud.Failure{Class: cloud.FailureQuota}},
		{"resize", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, 422, message("can be resized once per hour"))
		}, cloud.Failure{Class: cloud.FailureQuota}},
		{"throttled", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			answer(w, 429, message("slow down"))
		}, cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: 7 * time.Second}},
		{"down", func(w http.ResponseWriter, _ *http.Request) { html(w, 502) }, cloud.Failure{Class: cloud.FailureTransient}},
		{"HTML", func(w http.ResponseWriter, _ *http.Request) { html(w, 200) }, cloud.Failure{Class: cloud.FailureTransient}},
		{"truncated", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"account": {"uu`) }, cloud.Failure{Class: cloud.FailureTransient}},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			answer(w, 200, `{"account": {"uu`)
		}, cloud.Failure{Class: cloud.FailureTransient}},
		{"wrong type", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"account": []}`) }, cloud.Failure{Class: cloud.FailureTransient}},
		{"empty", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{}`) }, cloud.Failure{Class: cloud.FailureTransient}},
		{"closed", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, cloud.Failure{Class: cloud.FailureTransient}},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("the redirect was followed")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, cloud.Failure{Class: cloud.FailureUnknown}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, _ := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/metadata/") {
					_, _ = io.WriteString(w, "nyc3")
					return
				}
				test.answer(w, r)
			})
			_, err := d.Identity(t.Context())
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, d.Classify(err)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if strings.Contains(err.Error(), "token-1") {
				t.Errorf("the error holds the token: %v", err)
			}
		})
	}
}

func TestClassifyWithoutAnswer(t *testing.T) {
	d := testDriver()
	tests := map[string]struct {
		err  error
		want cloud.Class
	}{
		"token":     {&cloud.TokenError{Err: errors.New("no file")}, cloud.FailureUnauthorized},
		"deadline":  {context.DeadlineExceeded, cloud.FailureTransient},
		"cancelled": {context.Canceled, cloud.FailureTransient},
		"invalid":   {&cloud.Invalid{Field: "x"}, cloud.FailureInvalid},
		"kernel":    {&cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled}, Err: io.EOF}, cloud.FailureThrottled},
		"unknown":   {errors.New("?"), cloud.FailureUnknown},
	}
	for name, test := range tests {
		if got := d.Classify(test.err).Class; got != test.want {
			t.Errorf("%s: class = %s, want %s", name, got, test.want)
		}
	}
}
