package gce

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/providers/gce/token"
)

const samples = "../../config/samples/gce/"

// commented is a line that is switched off.
var commented = regexp.MustCompile(`(?m)^# ([a-z-]+ = .*)$`)

// What people copy has no mistake, also where it is switched off by a comment.
func TestSamplesAreRight(t *testing.T) {
	content, err := os.ReadFile(samples + "cloud.conf")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(content), commented.ReplaceAllString(string(content), "$1")} {
		var warned []string
		c, err := readConfig(fileOf(text), func(warning string) { warned = append(warned, warning) })
		if err != nil || warned != nil || c.project != "my-project" {
			t.Errorf("%+v, warnings %q, error %v", c, warned, err)
		}
	}
	values, err := os.ReadFile(samples + "values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		GCE struct {
			Credentials struct{ Inline struct{ JSON string } }
		}
		ExtraVolumeMounts []struct{ MountPath string }
	}
	if err := yaml.Unmarshal(values, &chart); err != nil {
		t.Fatal(err)
	}
	text := chart.GCE.Credentials.Inline.JSON
	var federation struct {
		Source struct{ File string } `json:"credential_source"`
	}
	if err := json.Unmarshal([]byte(text), &federation); err != nil {
		t.Fatal(err)
	}
	if h, err := token.HeaderOf(text); err != nil || h.Type != "external_account" || federation.Source.File != chart.ExtraVolumeMounts[0].MountPath+"/token" {
		t.Errorf("%+v, %v, token in %s", h, err, federation.Source.File)
	}
}
