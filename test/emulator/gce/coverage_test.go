package gce_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rule"
)

var update = flag.Bool("update", false, "write the generated part of README.md")

const generated = "## What is checked (generated: go test ./emulator/gce -update)\n\n"

func TestReadmeIsCurrent(t *testing.T) {
	if err := rule.Readme(generated, gce.Coverage(), *update); err != nil {
		t.Error(err)
	}
}

// Every word in a rule's Where means something.
func TestRulesNameMethods(t *testing.T) {
	known := map[string]bool{"all": true, "reads": true, "writes": true}
	for _, name := range discovery.Emulated() {
		collection, verb, _ := strings.Cut(name, ".")
		known[name], known[collection], known[verb] = true, true, true
	}
	for _, rule := range gce.Rules() {
		for word := range strings.FieldsSeq(rule.Where) {
			if !known[word] {
				t.Errorf("rule %s: %q is no method", rule.ID, word)
			}
		}
	}
}
