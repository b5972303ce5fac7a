package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cloudsFolder writes files into a new folder, which becomes the working directory.
func cloudsFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	t.Setenv("HOME", filepath.Join(folder, "home"))
	t.Setenv("XDG_CONFIG_HOME", "")
	return folder
}

// resolve reads a cloud.conf with what it takes from a clouds.yaml.
func resolve(t *testing.T, conf string, s settings) (Global, error) {
	t.Helper()
	c, warnings, err := Parse([]byte(conf))
	if err != nil || warnings != nil {
		t.Fatalf("error %v, warnings %q", err, warnings)
	}
	return c.Global.withClouds(s)
}

const cloudsYAML = `
defaults: &defaults
  region_name: RegionOne
clouds:
  one:
    <<: *defaults
    auth: {auth_url: https://one/v3, username: u, password: 12345, project_name: p, user_domain_name: d, project_domain_id: e, trust_id: t}
    interface: internal
    verify: false
    cacert: ~/ca.pem
    cert: client.pem
    key: client.key
    load_balancer_endpoint_override: https://lb/
  two:
    auth_type: v3applicationcredential
    auth: {auth_url: https://two, application_credential_id: a, application_credential_secret: s, username: u, password: p}
    endpoint_type: adminURL
    regions:
    - {name: Mars, values: {compute_endpoint_override: https://mars}}
    - name: Venus
      values: {compute_endpoint_override: https://venus}
`

func TestEverythingOfAnEntryIsTaken(t *testing.T) {
	folder := cloudsFolder(t, map[string]string{"clouds.yaml": cloudsYAML})
	g, err := resolve(t, "[Global]\nuse-clouds\ncloud=one", settings{})
	if err != nil {
		t.Fatal(err)
	}
	want := Credential{
		authURL: "https://one/v3", username: "u", password: "12345", projectName: "p", userDomainName: "d", projectDomainID: "e", trustID: "t",
	}
	if g.Credential != want {
		t.Errorf("got %+v", g.Credential)
	}
	files := TLSFiles{CA: filepath.Join(folder, "home", "ca.pem"), Cert: "client.pem", Key: "client.key", Insecure: true}
	if g.TLS != files {
		t.Errorf("got %+v", g.TLS)
	}
	if g.Region != "RegionOne" || (Access{Global: g}).InterfaceName() != "internal" || g.Endpoints[ServiceBalancer] != "https://lb/" {
		t.Errorf("region %q, interface %q, endpoints %v", g.Region, g.endpointType, g.Endpoints)
	}
}

func TestGlobalWins(t *testing.T) {
	cloudsFolder(t, map[string]string{"clouds.yaml": cloudsYAML})
	tests := []struct {
		name, conf string
		want       func(Global) bool
	}{
		{"values", "cloud=one\nauth-url=https://mine\nregion=Mine\nos-endpoint-type=public", func(g Global) bool {
			return g.authURL == "https://mine" && g.Region == "Mine" && g.endpointType == "public" && g.password == "12345"
		}},
		{"another way to name the same", "cloud=one\ntenant-id=x\nuser-id=y", func(g Global) bool {
			return g.projectName == "" && g.username == "" && g.projectID == "x" && g.userID == "y"
		}},
		{"another kind of credential", "cloud=one\napplication-credential-id=mine\napplication-credential-secret=s", func(g Global) bool {
			o, err := g.options()
			return err == nil && o.ApplicationCredentialID == "mine" && o.Password == ""
		}},
		{"its authorities are not switched off", "cloud=one\nca-file=mine", func(g Global) bool {
			return !g.TLS.Insecure && g.TLS.CA == "mine"
		}},
		{"its client certificate stays whole", "cloud=one\ncert-file=mine\nkey-file=mine", func(g Global) bool {
			return g.TLS.Cert == "mine" && g.TLS.Key == "mine"
		}},
		{"the region of the file has values", "cloud=two\nregion=Venus", func(g Global) bool {
			return g.Endpoints[ServiceCompute] == "https://venus" && g.Region == "Venus"
		}},
		{"auth_type picks one of several", "cloud=two", func(g Global) bool {
			o, err := g.options()
			return err == nil && o.ApplicationCredentialID == "a" && g.Region == "Mars" && g.Endpoints[ServiceCompute] == "https://mars"
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, err := resolve(t, "[Global]\n"+tt.conf, settings{})
			if err != nil || !tt.want(g) {
				t.Errorf("error %v, got %+v", err, g)
			}
		})
	}
}

func TestWhereCloudsAreFound(t *testing.T) {
	entry := func(name string) string { return "clouds: {only: {auth: {username: " + name + "}}}" }
	tests := []struct {
		name, conf string
		settings   settings
		files      map[string]string
		want       string
	}{
		{"working directory first", "", settings{}, map[string]string{"clouds.yaml": entry("here"), "home/.config/openstack/clouds.yaml": entry("home")}, "here"},
		{"then the user's", "", settings{}, map[string]string{"home/.config/openstack/clouds.yaml": entry("home")}, "home"},
		{"variable first", "", settings{cloudsFile: "named.yaml"}, map[string]string{"clouds.yaml": entry("here"), "named.yaml": entry("variable")}, "variable"},
		{"key before variable", "clouds-file=key.yaml", settings{cloudsFile: "named.yaml"}, map[string]string{"key.yaml": entry("key"), "named.yaml": entry("variable")}, "key"},
		{"OS_CLOUD", "", settings{cloud: "b"}, map[string]string{"clouds.yaml": "clouds: {a: {auth: {username: a}}, b: {auth: {username: b}}}"}, "b"},
		{"key before OS_CLOUD", "cloud=a", settings{cloud: "b"}, map[string]string{"clouds.yaml": "clouds: {a: {auth: {username: a}}, b: {auth: {username: b}}}"}, "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cloudsFolder(t, tt.files)
			g, err := resolve(t, "[Global]\nuse-clouds=true\n"+tt.conf, tt.settings)
			if err != nil || g.username != tt.want {
				t.Errorf("user %q, error %v", g.username, err)
			}
		})
	}
}

func TestLayers(t *testing.T) {
	cloudsFolder(t, map[string]string{
		"clouds.yaml":        "clouds: {x: {profile: vendor, auth: {username: u, password: shown, project_id: 0042}}}",
		"secure.yaml":        "clouds: {x: {auth: {password: hidden}}}",
		"clouds-public.yaml": "public-clouds: {vendor: {auth: {auth_url: https://vendor, username: nobody}, region_name: R}}",
	})
	g, err := resolve(t, "[Global]\nuse-clouds", settings{})
	if err != nil {
		t.Fatal(err)
	}
	if g.password != "hidden" || g.username != "u" || g.authURL != "https://vendor" || g.Region != "R" {
		t.Errorf("got %+v", g)
	}
}

func TestUnusableClouds(t *testing.T) {
	tests := []struct {
		name, content, want string
	}{
		{"several", "clouds: {a: {}, b: {}}", "a, b"},
		{"none", "clouds: {}", "clouds.yaml has"},
		{"no YAML", "clouds: [hunter2", "clouds.yaml"},
		{"no clouds", "- hunter2", "clouds.yaml"},
		{"wrong type", "clouds: {a: {auth: {password: [hunter2]}}}", "cloud a"},
		{"unknown profile", "clouds: {a: {profile: nobody}}", "nobody"},
		{"unknown kind of credential", "clouds: {a: {auth_type: v3oidcpassword}}", "v3oidcpassword"},
		{"unknown interface", "clouds: {a: {interface: side}}", "side"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cloudsFolder(t, map[string]string{"clouds.yaml": tt.content})
			_, err := resolve(t, "[Global]\nuse-clouds", settings{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		cloudsFolder(t, nil)
		if _, err := resolve(t, "[Global]\nuse-clouds", settings{}); err == nil || !strings.Contains(err.Error(), "clouds-file") {
			t.Errorf("error %v", err)
		}
	})
}

// Variables that upstream ignores are ignored.
func TestOtherVariablesAreNotRead(t *testing.T) {
	cloudsFolder(t, map[string]string{"clouds.yaml": cloudsYAML})
	for _, name := range []string{"OS_PASSWORD", "OS_REGION_NAME", "OS_INTERFACE", "OS_CACERT", "OS_AUTH_URL"} {
		t.Setenv(name, "from-the-environment")
	}
	g, err := resolve(t, "[Global]\ncloud=one", settings{})
	if err != nil || g.Region != "RegionOne" || g.password != "12345" || g.endpointType != "internal" {
		t.Errorf("error %v, got %+v", err, g)
	}
}
