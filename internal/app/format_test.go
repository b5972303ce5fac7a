package app

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
)

// YAML has the names and the values of JSON, and neither escapes what is HTML.
func TestWriteValue(t *testing.T) {
	value := inspect.Explanation{Version: 1, Subject: "Node <a&b>", Sections: []inspect.Section{{Title: "yes", Facts: []inspect.Fact{{Name: "1", Value: "null", Problem: true}}}}}
	var inJSON, inYAML strings.Builder
	if err := writeValue(&inJSON, "json", value); err != nil {
		t.Fatal(err)
	}
	if err := writeValue(&inYAML, "yaml", value); err != nil {
		t.Fatal(err)
	}
	const want = `sections:
- facts:
  - name: "1"
    problem: true
    value: "null"
  title: "yes"
subject: Node <a&b>
version: 1
`
	if inYAML.String() != want || !strings.Contains(inJSON.String(), "Node <a&b>") {
		t.Errorf("%s\nwant\n%s\n%s", inYAML.String(), want, inJSON.String())
	}
	again, err := yaml.JSONToYAML([]byte(inJSON.String()))
	if err != nil || string(again) != want {
		t.Errorf("%v, JSON says something else: %s", err, again)
	}
	for _, format := range []string{"xml", "JSON", "yml"} {
		if err := checkOutput(format); err == nil || !strings.Contains(err.Error(), "use json or yaml") {
			t.Errorf("%s: %v", format, err)
		}
	}
}
