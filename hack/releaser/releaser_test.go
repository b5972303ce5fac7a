package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const changelog = `# Changelog

Words.

## [Unreleased]

### Added
- something new

## [0.2.0] - 2026-12-01

### Added
- one thing, which takes
  two lines
- another

### Fixed
- a defect

## [0.1.0]
`

func TestSectionIsThatOfTheVersion(t *testing.T) {
	tests := []struct {
		version, has, hasNot string
		strict, refused      bool
	}{
		{version: "v0.2.0", strict: true, has: "one thing", hasNot: "something new"},
		{version: "v0.3.0", has: "something new", hasNot: "one thing"},
		{version: "v0.3.0", strict: true, refused: true},
		{version: "v0.2", refused: false, has: "something new"},
	}
	for _, tt := range tests {
		got, err := section(changelog, tt.version, tt.strict)
		if (err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.version, err)
		}
		if !strings.Contains(got, tt.has) || (tt.hasNot != "" && strings.Contains(got, tt.hasNot)) {
			t.Errorf("%s: the section is %q", tt.version, got)
		}
	}
}

func TestVersionsThatNoTagCanHaveAreRefused(t *testing.T) {
	for version, refused := range map[string]bool{"v0.2.0": false, "v0.2.0-rc.1": false, "0.2.0": true, "vv0.2.0": true, "v0.2.0+build": true, "": true} {
		if err := checkVersion(version); (err != nil) != refused {
			t.Errorf("%q: %v", version, err)
		}
	}
}

func TestStamp(t *testing.T) {
	text, err := section(changelog, "v0.2.0", true)
	if err != nil {
		t.Fatal(err)
	}
	content, err := stamp([]byte("name: c\nversion: 0.1.0\nannotations: {a: b}\n"), "v0.2.0", changes(text),
		images([]string{"registry.example:5000/c:v0.2.0-aws"}, []string{"linux/amd64"}))
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		Version, AppVersion string
		Annotations         map[string]string
	}
	if err := yaml.Unmarshal(content, &chart); err != nil {
		t.Fatal(err)
	}
	if chart.Version != "0.2.0" || chart.AppVersion != "0.2.0" || chart.Annotations["a"] != "b" {
		t.Errorf("the chart is %+v", chart)
	}
	if got := chart.Annotations["artifacthub.io/containsSecurityUpdates"]; got != "false" {
		t.Errorf("security updates: %q, the changelog has none", got)
	}
	var listed []change
	if err := yaml.Unmarshal([]byte(chart.Annotations["artifacthub.io/changes"]), &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed) != 3 || listed[0] != (change{"added", "one thing, which takes two lines"}) || listed[2].Kind != "fixed" {
		t.Errorf("the changes are %+v", listed)
	}
	var named []image
	if err := yaml.Unmarshal([]byte(chart.Annotations["artifacthub.io/images"]), &named); err != nil {
		t.Fatal(err)
	}
	if len(named) != 1 || named[0].Name != "v0.2.0-aws" || named[0].Image != "registry.example:5000/c:v0.2.0-aws" {
		t.Errorf("the images are %+v", named)
	}
}

func TestStampSaysThatThereAreSecurityUpdates(t *testing.T) {
	content, err := stamp([]byte("annotations: {a: b}"), "v0.2.0", []change{{Kind: "security", Description: "d"}}, nil)
	if err != nil || !strings.Contains(string(content), `artifacthub.io/containsSecurityUpdates: "true"`) {
		t.Errorf("%v\n%s", err, content)
	}
}

func TestStampRefusesWhatArtifactHubDoesNotKnow(t *testing.T) {
	if _, err := stamp([]byte("annotations: {a: b}"), "v0.2.0", []change{{Kind: "improved"}}, nil); err == nil {
		t.Error("a kind of changes that there is not was accepted")
	}
}

// The changelog of the repository can be released.
func TestChartOfTheRepository(t *testing.T) {
	out := filepath.Join(t.TempDir(), "chart")
	if err := run(t.Context(), []string{"chart", "-version", "v9.9.9-rc.1", "-source", "../../charts/multicloud-ccm",
		"-changelog", "../../CHANGELOG.md", "-out", out, "ghcr.io/x/y:v9.9.9-rc.1"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "templates", "_pod.tpl")); err != nil {
		t.Error(err)
	}
}
