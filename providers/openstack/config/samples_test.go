package config

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"sigs.k8s.io/yaml"
)

const samplesFolder = "../../../config/samples/openstack/"

// commented is a key that is switched off.
var commented = regexp.MustCompile(`(?m)^# ([a-z-]+ = .*)$`)

// What people copy has no mistake, also where it is switched off by a comment.
func TestSamplesAreRight(t *testing.T) {
	conf, err := os.ReadFile(samplesFolder + "cloud.conf")
	if err != nil {
		t.Fatal(err)
	}
	c, warnings, err := Parse(commented.ReplaceAll(conf, []byte("$1")))
	if err != nil || warnings != nil {
		t.Fatalf("cloud.conf: error %v, warnings %q", err, warnings)
	}
	a, err := newAccess(c.Global, settings{})
	if err != nil || a.Options.ApplicationCredentialID == "" {
		t.Errorf("cloud.conf: error %v, login %+v", err, a.Options)
	}
	if c.Classes["dmz"].Subnet == "" || !c.Balancer.Monitor || c.Router == "" || a.Global.TLS.CA == "" {
		t.Errorf("cloud.conf is read as %+v", c)
	}
	values, err := os.ReadFile(samplesFolder + "values.yaml")
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
	if c, warnings, err = Parse([]byte(chart.OpenStack.Credentials.Inline.CloudConf)); err != nil || warnings != nil {
		t.Fatalf("values.yaml: error %v, warnings %q", err, warnings)
	}
	mounted, err := filepath.Abs(samplesFolder + "clouds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if a, err = newAccess(c.Global, settings{cloudsFile: mounted}); err != nil {
		t.Fatalf("clouds.yaml: %v", err)
	}
	if a.Options.ApplicationCredentialSecret == "" || a.Global.TLS.CA != "/etc/openstack/ca.pem" || a.Global.Region != "RegionOne" {
		t.Errorf("clouds.yaml is read as %+v", a.Global)
	}
}
