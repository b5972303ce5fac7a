package hcloud_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rule"
)

var update = flag.Bool("update", false, "write the generated part of README.md")

const generated = "## What is checked (generated: go test ./emulator/hcloud -update)\n\n"

func TestReadmeIsCurrent(t *testing.T) {
	if err := rule.Readme(generated, hcloud.Coverage(), *update); err != nil {
		t.Error(err)
	}
}

// Every guess says what would change, and every word in a rule's Where means something.
func TestRulesAreWhole(t *testing.T) {
	words := hcloud.Words()
	for _, rule := range hcloud.Rules() {
		if (rule.Source == "guess") != (rule.IfWrong != "") {
			t.Errorf("rule %s: source %s, if wrong %q", rule.ID, rule.Source, rule.IfWrong)
		}
		for word := range strings.FieldsSeq(rule.Where) {
			if !words[word] {
				t.Errorf("rule %s: %q is no call", rule.ID, word)
			}
		}
	}
}

// Every refusal is provoked by a test.
func TestRulesAreTested(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, rule := range hcloud.Rules() {
		if !rule.Silent && !strings.Contains(all.String(), "\""+rule.ID+"\"") {
			t.Errorf("no test names rule %s", rule.ID)
		}
	}
}
