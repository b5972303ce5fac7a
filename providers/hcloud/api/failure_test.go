package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

// client returns a client of an API that answers everything with answer.
func client(t *testing.T, answer http.HandlerFunc) *hcloud.Client {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	endpoint, err := url.Parse(server.URL + "/v1")
	if err != nil {
		t.Fatal(err)
	}
	c := cloud.Config{Transport: http.DefaultTransport, UserAgent: "multicloud-ccm/1", Secret: func(string) (string, error) { return "t\n", nil }}
	return New(c, config.Settings{Endpoint: endpoint})
}

// What the API, or something in its place, answers has its class, and costs one request.
func TestClassify(t *testing.T) {
	const json = "application/json; charset=utf-8"
	code := func(code string) string { return `{"error":{"code":"` + code + `","message":"no"}}` }
	for name, test := range map[string]struct {
		status     int
		kind, body string
		class      cloud.Class
	}{
		"locked":             {423, json, code("locked"), cloud.FailureConflict},
		"conflict":           {409, json, code("conflict"), cloud.FailureConflict},
		"taken":              {409, json, code("uniqueness_error"), cloud.FailureConflict},
		"too many":           {429, json, code("rate_limit_exceeded"), cloud.FailureThrottled},
		"wrong token":        {401, json, code("unauthorized"), cloud.FailureUnauthorized},
		"read-only token":    {403, json, code("token_readonly"), cloud.FailureUnauthorized},
		"limit of a project": {403, json, code("resource_limit_exceeded"), cloud.FailureQuota},
		"protected":          {403, json, code("protected"), cloud.FailureInvalid},
		"refused":            {422, json, code("ip_not_owned"), cloud.FailureInvalid},
		"busy":               {503, json, code("maintenance"), cloud.FailureTransient},
		"404 of a proxy":     {404, "text/html", "<html>", cloud.FailureUnreadable},
		"404 of another API": {404, json, `{"message":"not found"}`, cloud.FailureUnreadable},
		"401 of a proxy":     {401, "text/html", "<html>", cloud.FailureUnreadable},
		"502 of a proxy":     {502, "text/html", "<html>", cloud.FailureTransient},
		"429 of a proxy":     {429, "", "", cloud.FailureThrottled},
		"redirect":           {302, "", "", cloud.FailureUnreadable},
		"a page":             {200, "text/html", "<html>", cloud.FailureTransient},
	} {
		requests := 0
		c := client(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			if r.Header.Get("Authorization") != "Bearer t" || !strings.HasPrefix(r.Header.Get("User-Agent"), "multicloud-ccm/1") || r.URL.Path != "/v1/locations" {
				t.Errorf("%s: %s with %v", name, r.URL, r.Header)
			}
			w.Header().Set("Content-Type", test.kind)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		})
		_, _, err := c.Location.List(t.Context(), hcloud.LocationListOpts{})
		if got := Classify(Failed("listing locations", err)); got.Class != test.class || (test.status >= 429 && got.RetryAfter != 7*time.Second) {
			t.Errorf("%s: %+v of %v, want %s", name, got, err, test.class)
		}
		if requests != 1 {
			t.Errorf("%s: %d requests", name, requests)
		}
	}
}

// An object that is not there is no error of the client, and a proxy's answer is no proof.
func TestNotFound(t *testing.T) {
	absent := client(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":{"code":"not_found","message":"no"}}`))
	})
	if server, _, err := absent.Server.GetByID(t.Context(), 1); server != nil || err != nil {
		t.Errorf("absent: %v, %v", server, err)
	}
	_, err := absent.Certificate.Delete(t.Context(), &hcloud.Certificate{ID: 1})
	if !IsNotFound(err) || IsNotFound(nil) || IsNotFound(errors.New("x")) {
		t.Errorf("deleting what is gone: %v", err)
	}
}

func TestFieldsAreTold(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Correlation-Id", "deadbeef")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(`{"error":{"code":"invalid_input","message":"invalid input","details":{"fields":[{"name":"services.0.http","messages":["only for http","no"]}]}}}`))
	})
	_, _, err := c.Location.List(t.Context(), hcloud.LocationListOpts{})
	const want = "listing: invalid input (invalid_input); services.0.http: only for http, no"
	if got := Failed("listing", err).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestToken(t *testing.T) {
	c := New(cloud.Config{Transport: http.DefaultTransport, Secret: func(string) (string, error) { return "", errors.New("no file") }}, config.Settings{Endpoint: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}})
	_, _, err := c.Location.List(t.Context(), hcloud.LocationListOpts{})
	if got := Classify(err).Class; got != cloud.FailureUnauthorized {
		t.Errorf("%s: %v", got, err)
	}
}

// The states of many actions are read by the page; those that the API does not know are missing.
func TestOperationStates(t *testing.T) {
	requests := 0
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if n := len(r.URL.Query()["id"]); n > MaxPage {
			t.Errorf("%d ids", n)
		}
		answer := `{"actions":[],"meta":{"pagination":{"page":1,"per_page":50}}}`
		if r.URL.Query()["id"][0] == "1" {
			answer = `{"actions":[{"id":1,"status":"running"},{"id":2,"status":"success"},{"id":3,"status":"error","error":{"code":"locked","message":"busy"}}],"meta":{"pagination":{"page":1,"per_page":50}}}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answer))
	})
	ids := []string{"1", "2", "3"}
	for range MaxPage {
		ids = append(ids, "9")
	}
	states, err := Actions{c}.OperationStates(t.Context(), ids)
	if err != nil || requests != 2 || len(states) != 3 || !states["1"].Running || states["2"] != (cloud.OperationState{}) {
		t.Fatalf("%v, %v, %d requests", states, err, requests)
	}
	if got := Classify(states["3"].Err).Class; got != cloud.FailureConflict {
		t.Errorf("failed action: %s, %v", got, states["3"].Err)
	}
}

func TestNoAnswer(t *testing.T) {
	c := client(t, func(http.ResponseWriter, *http.Request) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := c.Location.List(ctx, hcloud.LocationListOpts{})
	if got := Classify(err).Class; got != cloud.FailureTransient {
		t.Errorf("%s: %v", got, err)
	}
}
