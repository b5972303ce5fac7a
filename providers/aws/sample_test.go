package aws

import (
	"os"
	"regexp"
	"testing"

	"sigs.k8s.io/yaml"
)

const samples = "../../config/samples/aws/"

// commented is a line that is switched off.
var commented = regexp.MustCompile(`(?m)^# (\[.*\]|[A-Za-z]+ = .*)$`)

// What people copy has no mistake, also where it is switched off by a comment.
func TestSamplesAreRight(t *testing.T) {
	content, err := os.ReadFile(samples + "cloud.conf")
	if err != nil {
		t.Fatal(err)
	}
	f, warnings, err := parseConfig(commented.ReplaceAll(content, []byte("$1")))
	if err != nil || warnings != nil {
		t.Fatalf("cloud.conf: error %v, warnings %q", err, warnings)
	}
	if f.role.externalID == "" || len(f.config.families) != 2 || len(f.config.routeTables) != 2 || f.overrides.find(serviceCompute, "eu-central-1") == nil {
		t.Errorf("cloud.conf is read as %+v", f)
	}
	if f, _, err = parseConfig(content); err != nil || !f.elsewhere() {
		t.Errorf("cloud.conf as it is: %v, %+v", err, f)
	}
	values, err := os.ReadFile(samples + "values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		AWS struct {
			Credentials struct{ Inline struct{ CloudConf string } }
		}
	}
	if err := yaml.Unmarshal(values, &chart); err != nil {
		t.Fatal(err)
	}
	if f, warnings, err = parseConfig([]byte(chart.AWS.Credentials.Inline.CloudConf)); err != nil || warnings != nil || !f.elsewhere() {
		t.Errorf("values.yaml: error %v, warnings %q, %+v", err, warnings, f)
	}
}
