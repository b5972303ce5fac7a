package chart_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"
)

var (
	shell   = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	setFlag = regexp.MustCompile(`--set ([^ =]+=[^ \n]+)`)
)

// What the documents tell people to install renders, with the values they name.
func TestGuidesRender(t *testing.T) {
	installs := 0
	for _, path := range guides(t) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// --reuse-values: an upgrade has what the guide's installation set. A page without one is
		// about any installation.
		last := minimal("sim")
		for _, block := range shell.FindAllStringSubmatch(string(content), -1) {
			for command := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				if !strings.Contains(command, "helm install ") && !strings.Contains(command, "helm upgrade ") {
					continue
				}
				values := valuesOf(t, command)
				if strings.Contains(command, "reuse-values") {
					mustRender(t, release{values: []string{last, values}})
					continue
				}
				installs, last = installs+1, values
				mustRender(t, release{values: []string{values}})
			}
		}
	}
	if installs < 3 {
		t.Errorf("only %d commands found", installs)
	}
}

// valuesOf returns the values of --set.
func valuesOf(t *testing.T, command string) string {
	t.Helper()
	values := map[string]any{}
	for _, match := range setFlag.FindAllStringSubmatch(command, -1) {
		if err := strvals.ParseInto(match[1], values); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
	}
	text, err := yaml.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func guides(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(t), "docs", "how-to", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append(paths, filepath.Join(root(t), "README.md"), filepath.Join(chartDir(t), "README.md"))
}

// RKE2 installs the chart with these values.
func TestRKE2HelmChartRenders(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root(t), "deploy", "platform", "rke2", "helmchart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Spec struct{ ValuesContent string }
	}
	if err := yaml.Unmarshal(content, &manifest); err != nil {
		t.Fatal(err)
	}
	if out := mustRender(t, release{values: []string{manifest.Spec.ValuesContent}}); !strings.Contains(out.notes, "On RKE2") {
		t.Errorf("the notes are not RKE2's:\n%s", out.notes)
	}
}
