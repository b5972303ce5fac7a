package chart_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var reference = regexp.MustCompile(`\$?\.Values\.([a-zA-Z0-9.]+)`)

// unread are values no template names, and why.
var unread = map[string]string{
	"enabled": "for the condition of a parent chart",
}

// Every value is used, and every value that is used exists.
func TestValuesAreUsed(t *testing.T) {
	c := loadChart(t)
	known := map[string]bool{}
	var schema group
	if err := json.Unmarshal(strict(t), &schema); err != nil {
		t.Fatal(err)
	}
	schema.flatten("", known)
	used := map[string]bool{}
	for _, template := range c.Templates {
		for _, match := range reference.FindAllStringSubmatch(string(template.Data), -1) {
			used[strings.TrimSuffix(match[1], ".")] = true
		}
	}
	for path := range used {
		if _, exists := known[path]; !exists {
			t.Errorf("a template uses .Values.%s, which values.yaml lacks", path)
		}
	}
	for _, file := range c.Raw {
		if file.Name == "files/flags.yaml" || file.Name == "files/controllers.yaml" {
			var entries []struct{ Value string }
			if err := yaml.Unmarshal(file.Data, &entries); err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if used[e.Value] = true; file.Name == "files/controllers.yaml" {
					used["controllers."+e.Value+".enabled"] = true
				}
			}
		}
	}
	for path, leaf := range known {
		block, _, _ := strings.Cut(path, ".")
		isProvider := false
		for _, provider := range providerNames() {
			isProvider = isProvider || provider == block
		}
		if leaf && !isProvider && unread[path] == "" && !reached(used, path) {
			t.Errorf("no template uses %s", path)
		}
	}
}

// reached reports whether a path is used, or a group of a group that it is in: templates
// open those with `with`.
func reached(used map[string]bool, path string) bool {
	for u := range used {
		if u == path || strings.Contains(u, ".") && strings.HasPrefix(path, u+".") {
			return true
		}
	}
	return false
}

// group is a part of the schema.
type group struct {
	Properties           map[string]group `json:"properties"`
	AdditionalProperties any              `json:"additionalProperties"`
}

// flatten adds the paths of all values, true for those that are no closed group.
func (g group) flatten(prefix string, into map[string]bool) {
	for name, value := range g.Properties {
		closed := value.AdditionalProperties == false
		into[prefix+name] = !closed
		if closed {
			value.flatten(prefix+name+".", into)
		}
	}
}
