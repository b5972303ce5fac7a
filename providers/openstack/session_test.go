package openstack

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

func TestStartCostsFourRequests(t *testing.T) {
	f := newFakeCloud(t)
	if _, err := open(t, file(t, f.conf(byPassword))); err != nil {
		t.Fatal(err)
	}
	want := []string{"POST /v3/auth/tokens", "GET /compute/v2.1/", "GET /network/v2.0/extensions", "GET /load-balancer/"}
	if got := f.take(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestKindsOfCredentials(t *testing.T) {
	const project = `"scope":{"project":{"id":"project-1"}}`
	tests := []struct{ name, global, want string }{
		{"user by id", byPassword, `{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"u","password":"right"}}},` + project + `}}`},
		{
			"user and project by name", "username=u\nuser-domain-name=d\npassword=right\ntenant-name=p\ntenant-domain-id=e",
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"domain":{"name":"d"},"name":"u","password":"right"}}},"scope":{"project":{"domain":{"id":"e"},"name":"p"}}}}`,
		},
		{
			"one domain for both", "username=u\ndomain-id=d\npassword=right\ntenant-name=p",
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"domain":{"id":"d"},"name":"u","password":"right"}}},"scope":{"project":{"domain":{"id":"d"},"name":"p"}}}}`,
		},
		{
			"the user's own project", "user-id=u\ndomain-id=d\npassword=right",
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"u","password":"right"}}}}}`,
		},
		{
			"application credential by id", "application-credential-id=a\napplication-credential-secret=right\ntenant-id=x\nregion=RegionOne",
			`{"auth":{"identity":{"application_credential":{"id":"a","secret":"right"},"methods":["application_credential"]}}}`,
		},
		{
			"application credential by name", "application-credential-name=a\napplication-credential-secret=right\nusername=u\nuser-domain-id=d",
			`{"auth":{"identity":{"application_credential":{"name":"a","secret":"right","user":{"domain":{"id":"d"},"name":"u"}},"methods":["application_credential"]}}}`,
		},
		{
			"token", "token=right\nusername=u\npassword=p\ndomain-id=d\ntenant-id=project-1",
			`{"auth":{"identity":{"methods":["token"],"token":{"id":"right"}},` + project + `}}`,
		},
		{
			"trust", "user-id=u\npassword=p\ntrust-id=t\ntrustee-id=v\ntrustee-password=right\ntenant-id=x",
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"v","password":"right"}}},"scope":{"OS-TRUST:trust":{"id":"t"}}}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeCloud(t)
			d, err := open(t, file(t, f.conf(tt.global)))
			if err != nil {
				t.Fatal(err)
			}
			if len(f.logins) != 1 || f.logins[0] != tt.want {
				t.Errorf("got  %s\nwant %s", f.logins, tt.want)
			}
			if id, err := d.Identity(t.Context()); err != nil || id.Account != "project-1" {
				t.Errorf("identity %v, %v", id, err)
			}
		})
	}
}

// A token that already has a project is used as it is.
func TestTokenWithoutScope(t *testing.T) {
	f := newFakeCloud(t)
	f.valid["given"] = true
	d, err := open(t, file(t, f.conf("token=given")))
	if err != nil || len(f.logins) != 0 {
		t.Fatalf("%v, logins %v", err, f.logins)
	}
	f.revoke()
	_, err = d.Identity(t.Context())
	if got := d.Classify(err).Class; got != cloud.FailureUnauthorized || !strings.Contains(err.Error(), "cannot be renewed") {
		t.Errorf("%s: %v", got, err)
	}
}

func TestIncompleteCredentials(t *testing.T) {
	tests := []struct{ name, conf, want string }{
		{"nothing", "", "auth-url"},
		{"no credential", "[Global]\nauth-url=http://x/v3", "application-credential-id"},
		{"no user", "[Global]\nauth-url=http://x\npassword=secret", "username or user-id"},
		{"no domain of the user", "[Global]\nauth-url=http://x\nusername=u\npassword=secret", "user-domain-name"},
		{"no domain of the project", "[Global]\nauth-url=http://x\nuser-id=u\npassword=secret\ntenant-name=p", "tenant-domain-name"},
		{"no secret", "[Global]\nauth-url=http://x\napplication-credential-id=a", "application-credential-secret"},
		{"application credential of nobody", "[Global]\nauth-url=http://x\napplication-credential-name=a\napplication-credential-secret=secret", "username or user-id"},
		{"password in the URL", "[Global]\nauth-url=http://u:secret@x\nuser-id=u\npassword=p", "auth-url"},
		{"old identity API", "[Global]\nauth-url=http://x/v2.0\nuser-id=u\npassword=p", "v3"},
		{"no client key", "[Global]\nauth-url=http://x\nuser-id=u\npassword=p\ncert-file=x", "key-file"},
		{"no such authorities", "[Global]\nauth-url=http://x\nuser-id=u\npassword=p\nca-file=/does/not/exist", "ca-file"},
		{"nonsense for authorities", "[Global]\nauth-url=http://x\nuser-id=u\npassword=p\ncafilecontents=x", "PEM"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, file(t, tt.conf))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret@") || strings.Contains(err.Error(), "=secret") {
				t.Errorf("error %v, want it to name %s", err, tt.want)
			}
		})
	}
}

func TestRefusalsAtStart(t *testing.T) {
	tests := []struct {
		name, conf string
		change     func(*fakeCloud)
		want       string
	}{
		{"wrong password", "user-id=u\npassword=wrong", nil, "401"},
		{"no project", byPassword, func(f *fakeCloud) { f.project = "" }, "tenant-id or tenant-name"},
		{"unknown region", byPassword + "\nregion=Mars", nil, "public in region RegionOne"},
		{"unknown interface", byPassword + "\nos-endpoint-type=admin", nil, "os-endpoint-type"},
		{"no compute", byPassword, func(f *fakeCloud) { delete(f.endpoints, "compute") }, `"compute"`},
		{"no network", byPassword, func(f *fakeCloud) { delete(f.endpoints, "network") }, `"network"`},
		{"no balancers", byPassword, func(f *fakeCloud) { delete(f.endpoints, "load-balancer") }, "[LoadBalancer] enabled"},
		{"version of Octavia unreadable", byPassword, func(f *fakeCloud) { f.answers["GET /load-balancer/"] = "503" }, "503"},
		{"nonsense for versions", byPassword, func(f *fakeCloud) { f.answers["GET /load-balancer/"] = "200 {}" }, "load balancer API"},
		{"nonsense for a machine API", byPassword, func(f *fakeCloud) { f.answers["GET /compute/v2.1/"] = "200 {}" }, "compute"},
		{"extensions unreadable", byPassword, func(f *fakeCloud) { f.answers["GET /network/v2.0/extensions"] = "500" }, "extensions"},
		{"redirect", byPassword, func(f *fakeCloud) { f.answers["GET /load-balancer/"] = "302" }, "302"},
		{"throttled once is not asked again", byPassword, func(f *fakeCloud) { f.answers["GET /network/v2.0/extensions"] = "429" }, "429"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeCloud(t)
			if tt.change != nil {
				tt.change(f)
			}
			_, err := open(t, file(t, f.conf(tt.conf)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
			seen := map[string]bool{}
			for _, request := range f.take() {
				if seen[request] {
					t.Errorf("%s was repeated", request)
				}
				seen[request] = true
			}
		})
	}
}

func TestWhatIsSwitchedOffIsNotThere(t *testing.T) {
	for name, test := range map[string]struct {
		conf              string
		balancers, routes bool
	}{
		"nothing but nodes": {"[LoadBalancer]\nenabled=false", false, false},
		"load balancers":    {"", true, false},
		"routes":            {"[LoadBalancer]\nenabled=false\n[Route]\nrouter-id=r", false, true},
		"both":              {"[Route]\nrouter-id=r", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeCloud(t)
			f.answers["GET /network/v2.0/extensions"] = `200 {"extensions": [{"alias": "extraroute"}]}`
			if !test.balancers {
				delete(f.endpoints, "load-balancer")
				delete(f.endpoints, "key-manager")
			}
			d, err := open(t, file(t, f.conf(byPassword, test.conf)))
			if err != nil {
				t.Fatal(err)
			}
			if has := d.Balancers != nil; has != test.balancers || (d.Operations != nil) != has {
				t.Errorf("load balancers: %t", has)
			}
			if has := d.Routes != nil; has != test.routes {
				t.Errorf("routes: %t", has)
			}
			if scope := d.Machines.ProviderIDScope; scope == nil || scope.Concerns("digitalocean://1") {
				t.Errorf("whose a Node is: %v", scope)
			}
		})
	}
}

func TestRoutesNeedTheirExtension(t *testing.T) {
	f := newFakeCloud(t)
	f.answers["GET /network/v2.0/extensions"] = `200 {"extensions": [{"alias": "router"}]}`
	c, warnings := environment(file(t, f.conf(byPassword, "[Route]\nrouter-id=r")), nil)
	d, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if d.Routes != nil || len(*warnings) != 1 || !strings.Contains((*warnings)[0], "extraroute") {
		t.Errorf("routes: %v, warnings %q", d.Routes, *warnings)
	}
}

// The password is changed in the cloud and in the file; all requests that run into it cost
// one login together.
func TestRotatedPasswordIsReadAgain(t *testing.T) {
	f := newFakeCloud(t)
	path := file(t, f.conf(byPassword))
	d, err := open(t, path)
	if err != nil {
		t.Fatal(err)
	}
	f.revoke()
	f.change(func() { f.password = "new" })
	if _, err := d.Identity(t.Context()); d.Classify(err).Class != cloud.FailureUnauthorized {
		t.Errorf("with the old password: %v", err)
	}
	replace(t, path, f.conf(strings.Replace(byPassword, "right", "new", 1)))
	logins := len(f.logins)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := d.Identity(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := len(f.logins) - logins; got != 1 {
		t.Errorf("%d logins", got)
	}
}

func TestOtherRequestsRenewTheTokenToo(t *testing.T) {
	f := newFakeCloud(t)
	d, err := open(t, file(t, f.conf(byPassword, "[LoadBalancer]\nenabled=false")))
	if err != nil {
		t.Fatal(err)
	}
	network := d.Account.(*Driver).services.Network
	f.revoke()
	f.take()
	if _, err := network.Get(t.Context(), network.ServiceURL("extensions"), nil, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"GET /network/v2.0/extensions", "POST /v3/auth/tokens", "GET /network/v2.0/extensions"}
	if got := f.take(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestClassesOfLoginFailures(t *testing.T) {
	tests := []struct {
		name   string
		change func(f *fakeCloud, path string)
		want   cloud.Class
		has    string
	}{
		{"refused", func(f *fakeCloud, _ string) { f.password = "other" }, cloud.FailureUnauthorized, "401"},
		{"Keystone is down", func(f *fakeCloud, _ string) { f.answers["POST /v3/auth/tokens"] = "503" }, cloud.FailureTransient, "503"},
		{"Keystone is busy", func(f *fakeCloud, _ string) { f.answers["POST /v3/auth/tokens"] = "429" }, cloud.FailureThrottled, "429"},
		{"nonsense", func(f *fakeCloud, _ string) { f.answers["POST /v3/auth/tokens"] = "201 <html>" }, cloud.FailureTransient, ""},
		{"a 404 of no machine", func(f *fakeCloud, _ string) {
			f.answers["POST /v3/auth/tokens"] = `404 {"itemNotFound": {}}`
		}, cloud.FailureUnauthorized, "404"},
		{"another project", func(f *fakeCloud, _ string) { f.project = "project-2" }, cloud.FailureUnauthorized, "project-2"},
		{"the file is broken", func(f *fakeCloud, path string) { _ = os.WriteFile(path, []byte("[Global"), 0o600) }, cloud.FailureUnauthorized, "line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeCloud(t)
			path := file(t, f.conf(byPassword, "[LoadBalancer]\nenabled=false"))
			d, err := open(t, path)
			if err != nil {
				t.Fatal(err)
			}
			f.revoke()
			f.change(func() { tt.change(f, path) })
			_, identity := d.Identity(t.Context())
			network := d.Account.(*Driver).services.Network
			_, other := network.Get(t.Context(), network.ServiceURL("extensions"), nil, nil)
			for _, err := range []error{identity, other} {
				if got := d.Classify(err).Class; got != tt.want || !strings.Contains(fmt.Sprint(err), tt.has) {
					t.Errorf("%s: %v", got, err)
				}
			}
		})
	}
}

func TestIdentityWithoutAnswer(t *testing.T) {
	f := newFakeCloud(t)
	d, err := open(t, file(t, f.conf(byPassword)))
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]cloud.Class{
		"503":          cloud.FailureTransient,
		"200 {}":       cloud.FailureTransient,
		"200 <html>":   cloud.FailureTransient,
		"403":          cloud.FailureUnauthorized,
		"302 /consent": cloud.FailureUnreadable,
	} {
		f.change(func() { f.answers["GET /v3/auth/catalog"] = answer })
		if _, err := d.Identity(t.Context()); d.Classify(err).Class != want {
			t.Errorf("%s: %s, %v", answer, d.Classify(err).Class, err)
		}
	}
	f.Close()
	if _, err := d.Identity(t.Context()); d.Classify(err).Class != cloud.FailureTransient {
		t.Errorf("no answer: %v", err)
	}
}

func TestLoggingInOnlyReads(t *testing.T) {
	for request, want := range map[string]bool{
		"GET http://x/v2.1/servers": true, "HEAD http://x/": true, "POST http://x/identity/v3/auth/tokens": true,
		"POST http://x/v2.0/lbaas/loadbalancers": false, "DELETE http://x/v3/auth/tokens": false, "PUT http://x/": false,
	} {
		method, url, _ := strings.Cut(request, " ")
		r, _ := http.NewRequest(method, url, nil)
		if got := ReadOnly(r); got != want {
			t.Errorf("%s: %v", request, got)
		}
	}
}

func TestSettings(t *testing.T) {
	f := newFakeCloud(t)
	c, _ := environment(file(t, f.conf(byPassword, "[LoadBalancer]\nenabled=false")), map[string]string{config.EnvRegional: "true"})
	if r, err := config.NewReader(c); err != nil || !r.Settings.Regional {
		t.Errorf("error %v", err)
	}
	c, _ = environment(file(t, f.conf(byPassword)), map[string]string{config.EnvRegional: "perhaps"})
	if _, err := New(t.Context(), c); err == nil || !strings.Contains(err.Error(), config.EnvRegional) {
		t.Errorf("error %v", err)
	}
	c.File = nil
	if _, err := New(t.Context(), c); err == nil || !strings.Contains(err.Error(), "--cloud-config") {
		t.Errorf("error %v", err)
	}
}

func TestCloudsFileIsReadAgain(t *testing.T) {
	f := newFakeCloud(t)
	write := func(password string) string {
		return "clouds: {x: {auth: {auth_url: '" + f.URL + "', user_id: u, project_id: project-1, password: " + password + "}}}"
	}
	folder := t.TempDir()
	t.Chdir(folder)
	replace(t, filepath.Join(folder, "clouds.yaml"), write("right"))
	d, err := open(t, file(t, "[Global]\nuse-clouds\n"))
	if err != nil {
		t.Fatal(err)
	}
	f.revoke()
	f.change(func() { f.password = "new" })
	replace(t, filepath.Join(folder, "clouds.yaml"), write("new"))
	if _, err := d.Identity(t.Context()); err != nil {
		t.Error(err)
	}
}

// What answers in the place of an API when the process starts may pass.
func TestStartThatMayPass(t *testing.T) {
	for _, broken := range []string{"200 {}", "200 <html>", "503 {}", "401 {}"} {
		paths := slices.Sorted(maps.Keys(newFakeCloud(t).answers))
		for _, path := range paths {
			f := newFakeCloud(t)
			f.answers[path] = broken
			if _, err := open(t, file(t, f.conf(byPassword, ""))); err != nil && !cloud.MayPass(err) {
				t.Errorf("%s: %s: %v", path, broken, err)
			}
		}
	}
}
