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

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

const samples = "../../config/samples/openstack/"

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
	services := map[string]string{"5000": config.ServiceIdentity, "8774": config.ServiceCompute, "9696": config.ServiceNetwork, "9876": config.ServiceBalancer}
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
