package openstack

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"
	"sigs.k8s.io/yaml"
)

// commented is a key that is switched off.
var commented = regexp.MustCompile(`(?m)^# ([a-z-]+ = .*)$`)

const samples = "../../config/samples/openstack/"

// What people copy has no mistake, also where it is switched off by a comment.
func TestSamplesAreRight(t *testing.T) {
	conf, err := os.ReadFile(samples + "cloud.conf")
	if err != nil {
		t.Fatal(err)
	}
	c, warnings, err := parseConfig(commented.ReplaceAll(conf, []byte("$1")))
	if err != nil || warnings != nil {
		t.Fatalf("cloud.conf: error %v, warnings %q", err, warnings)
	}
	a, err := newAccess(c.global, settings{})
	if err != nil || a.options.ApplicationCredentialID == "" {
		t.Errorf("cloud.conf: error %v, login %+v", err, a.options)
	}
	if c.classes["dmz"].subnet == "" || !c.balancer.monitor || c.router == "" || a.global.tls.ca == "" {
		t.Errorf("cloud.conf is read as %+v", c)
	}
	values, err := os.ReadFile(samples + "values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		OpenStack struct {
			Credentials struct{ Inline struct{ CloudConf string } }
		}
	}
	if err := yaml.Unmarshal(values, &chart); err != nil {
		t.Fatal(err)
	}
	if c, warnings, err = parseConfig([]byte(chart.OpenStack.Credentials.Inline.CloudConf)); err != nil || warnings != nil {
		t.Fatalf("values.yaml: error %v, warnings %q", err, warnings)
	}
	mounted, err := filepath.Abs(samples + "clouds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if a, err = newAccess(c.global, settings{cloudsFile: mounted}); err != nil {
		t.Fatalf("clouds.yaml: %v", err)
	}
	if a.options.ApplicationCredentialSecret == "" || a.global.tls.ca != "/etc/openstack/ca.pem" || a.global.region != "RegionOne" {
		t.Errorf("clouds.yaml is read as %+v", a.global)
	}
}

// What the driver asks of the APIs, as it was recorded, is permitted by the rules that
// people copy for their application credential.
func TestAccessRulesPermitWhatIsAsked(t *testing.T) {
	content, err := os.ReadFile(samples + "access-rules.json")
	if err != nil {
		t.Fatal(err)
	}
	var rules []struct{ Service, Method, Path string }
	if err := json.Unmarshal(content, &rules); err != nil {
		t.Fatal(err)
	}
	permits := func(service, method, path string) bool {
		return slices.ContainsFunc(rules, func(r struct{ Service, Method, Path string }) bool {
			return r.Service == service && r.Method == method && accessPattern(r.Path).MatchString(path)
		})
	}
	for _, secret := range []string{"/v1/secrets/a/payload", "/v1/secrets"} {
		if permits("key-manager", http.MethodGet, secret) {
			t.Errorf("private keys can be read: %s", secret)
		}
	}
	recordings, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(recordings) == 0 {
		t.Fatalf("recordings %q: %v", recordings, err)
	}
	services := map[string]string{"5000": serviceIdentity, "8774": serviceCompute, "9696": serviceNetwork, "9876": serviceBalancer}
	for _, recording := range recordings {
		c, err := cassette.Load(strings.TrimSuffix(recording, ".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range c.Interactions {
			u, err := url.Parse(i.Request.URL)
			if err != nil {
				t.Fatal(err)
			}
			if service := services[u.Port()]; !strings.HasSuffix(u.Path, "/auth/tokens") && !permits(service, i.Request.Method, u.Path) {
				t.Errorf("%s: no rule permits %s %s of %s", recording, i.Request.Method, u.Path, service)
			}
		}
	}
}

// accessPattern is how keystonemiddleware reads the path of a rule (auth_token _path_matches).
func accessPattern(path string) *regexp.Regexp {
	quoted := strings.NewReplacer(`\*\*`, ".*", `\*`, "[^/]+").Replace(regexp.QuoteMeta(path))
	return regexp.MustCompile("^" + quoted + "$")
}
