package gce_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
)

var update = flag.Bool("update", false, "write the generated part of README.md")

const generated = "## What is checked (generated: go test ./emulator/gce -update)\n\n"

func TestReadmeIsCurrent(t *testing.T) {
	content, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(content), generated)
	if !ok {
		t.Fatal("README.md has no generated part")
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(before+generated+gce.Coverage()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if after != gce.Coverage() {
		t.Error("README.md is not current; go test ./emulator/gce -update")
	}
}

// Every word in a rule's Methods means something.
func TestRulesNameMethods(t *testing.T) {
	known := map[string]bool{"all": true, "reads": true, "writes": true}
	for _, name := range discovery.Emulated() {
		collection, verb, _ := strings.Cut(name, ".")
		known[name], known[collection], known[verb] = true, true, true
	}
	for _, rule := range gce.Rules() {
		for word := range strings.FieldsSeq(rule.Methods) {
			if !known[word] {
				t.Errorf("rule %s: %q is no method", rule.ID, word)
			}
		}
	}
}
