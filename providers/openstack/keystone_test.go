package openstack

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// fakeCloud answers what New and Identity ask. Everything in it may be changed before and
// between requests, under its lock.
type fakeCloud struct {
	*httptest.Server
	mu sync.Mutex
	// password is what a login has to have, in any place.
	password string
	// project is the one of new tokens, "" for none.
	project string
	// valid are the tokens that are accepted.
	valid map[string]bool
	// requests are methods and paths, logins the bodies of logins.
	requests []string
	logins   []string
	// answers replace an answer, by method and path: a status, or a status, a space and a body.
	answers map[string]string
	// endpoints are the paths of the catalogue by service.
	endpoints map[string]string
	maximum   string // microversion
	// certificate is what a server with TLS shows.
	certificate atomic.Pointer[tls.Certificate]
}

func newFakeCloud(t *testing.T) *fakeCloud {
	t.Helper()
	f := unstartedCloud(t)
	f.Start()
	return f
}

func unstartedCloud(t *testing.T) *fakeCloud {
	t.Helper()
	f := &fakeCloud{
		password: "right", project: "project-1", valid: map[string]bool{}, answers: map[string]string{}, maximum: "2.93",
		endpoints: map[string]string{
			"compute": "/compute/v2.1", "network": "/network", "load-balancer": "/load-balancer", "key-manager": "/key-manager/",
		},
	}
	f.Server = httptest.NewUnstartedServer(f)
	t.Cleanup(func() { f.Close() })
	return f
}

func (f *fakeCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := r.Method + " " + r.URL.Path
	f.requests = append(f.requests, name)
	w.Header().Set("Content-Type", "application/json")
	if answer, ok := f.answers[name]; ok {
		status, body, _ := strings.Cut(answer, " ")
		var code int
		fmt.Sscan(status, &code)
		w.WriteHeader(code)
		io.WriteString(w, body)
		return
	}
	token := r.Header.Get("X-Auth-Token")
	switch {
	case name == "POST /v3/auth/tokens":
		f.login(w, r)
	case name == "GET /compute/v2.1/":
		fmt.Fprintf(w, `{"version": {"id": "v2.1", "version": %q, "min_version": "2.1"}}`, f.maximum)
	case name == "GET /load-balancer/":
		io.WriteString(w, `{"versions": [{"id": "v2.0"}, {"id": "v2.9"}, {"id": "v2.26"}]}`)
	case !f.valid[token]:
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"error": {"code": 401, "title": "Unauthorized"}}`)
	case name == "GET /v3/auth/tokens":
		if subject := r.Header.Get("X-Subject-Token"); f.valid[subject] {
			w.Header().Set("X-Subject-Token", subject)
			f.describe(w)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	case name == "GET /v3/auth/catalog":
		io.WriteString(w, `{"catalog": [{"type": "compute"}]}`)
	case name == "GET /network/v2.0/extensions":
		io.WriteString(w, `{"extensions": [{"alias": "router"}, {"alias": "extraroute"}]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (f *fakeCloud) login(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.logins = append(f.logins, string(body))
	if !strings.Contains(string(body), `"`+f.password+`"`) {
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"error": {"code": 401, "title": "Unauthorized"}}`)
		return
	}
	token := fmt.Sprintf("token-%d", len(f.logins))
	f.valid[token] = true
	w.Header().Set("X-Subject-Token", token)
	w.WriteHeader(http.StatusCreated)
	f.describe(w)
}

// describe writes what a token is for.
func (f *fakeCloud) describe(w io.Writer) {
	type object = map[string]any
	token := object{}
	if f.project != "" {
		token["project"] = object{"id": f.project}
	}
	var catalogue []object
	for service, path := range f.endpoints {
		var endpoints []object
		for _, name := range []string{"public", "internal"} {
			endpoints = append(endpoints, object{"interface": name, "region": "RegionOne", "region_id": "RegionOne", "url": f.URL + path})
		}
		catalogue = append(catalogue, object{"type": service, "endpoints": endpoints})
	}
	token["catalog"] = catalogue
	json.NewEncoder(w).Encode(object{"token": token})
}

// change runs something under the lock.
func (f *fakeCloud) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// take returns the requests since the last call.
func (f *fakeCloud) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.requests
	f.requests = nil
	return taken
}

// revoke makes all tokens invalid.
func (f *fakeCloud) revoke() { f.change(func() { clear(f.valid) }) }

// conf is a file for this cloud with lines for [Global], and what else the file has to hold.
func (f *fakeCloud) conf(global string, rest ...string) string {
	return "[Global]\nauth-url=" + f.URL + "/v3\n" + global + "\n" + strings.Join(rest, "\n")
}

const byPassword = "user-id=u\npassword=right\ntenant-id=project-1"

// file is a file that can be replaced.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	replace(t, path, content)
	return path
}

func replace(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// environment returns a configuration with the kernel's real transport; warnings go into the
// returned slice.
func environment(path string, env map[string]string) (cloud.Config, *[]string) {
	warnings := &[]string{}
	limited := transport.New(nil, transport.Options{Cloud: "openstack"})
	return cloud.Config{
		Cloud: "openstack", ClusterName: "kubernetes", UserAgent: "multicloud-ccm/test",
		File: func() ([]byte, error) { return os.ReadFile(path) },
		Lookup: func(name string) string {
			for _, s := range config.Declared() {
				if s.Name == name {
					if value, ok := env[name]; ok {
						return value
					}
					return s.Default
				}
			}
			panic(name)
		},
		Transport: limited, WithTLS: limited.WithTLS,
		Warn: func(message string) { *warnings = append(*warnings, message) },
	}, warnings
}

// open returns a driver for a file.
func open(t *testing.T, path string) (*cloud.Driver, error) {
	t.Helper()
	c, _ := environment(path, nil)
	return New(t.Context(), c)
}
