package openstack

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

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
