package chart_test

import (
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"
)

var (
	shell       = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	pushes      = regexp.MustCompile(`(?m)^skopeo copy --all oci:dist/image/(\S+)(?: \\\n)?\s+docker://(\S+)$`)
	blockOfYAML = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")
	setFlag     = regexp.MustCompile(`--set ([^ =]+=[^ \n]+)`)
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
		last := []string{minimal("sim")}
		for _, block := range shell.FindAllStringSubmatch(string(content), -1) {
			for command := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				if !strings.Contains(command, "helm install ") && !strings.Contains(command, "helm upgrade ") {
					continue
				}
				values := []string{valuesOf(t, command)}
				if file := blockOfYAML.FindStringSubmatch(string(content)); file != nil && strings.Contains(command, "-f values.yaml") {
					values = append(values, file[1])
				}
				if strings.Contains(command, "reuse-values") {
					mustRender(t, release{values: slices.Concat(last, values)})
					continue
				}
				installs, last = installs+1, values
				mustRender(t, release{values: values})
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

// yamlBlocks yields the blocks of YAML of all guides, each with the file that it is in.
func yamlBlocks(t *testing.T) iter.Seq2[string, string] {
	t.Helper()
	return func(yield func(string, string) bool) {
		for _, path := range guides(t) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range blockOfYAML.FindAllStringSubmatch(string(content), -1) {
				if !yield(path, block[1]) {
					return
				}
			}
		}
	}
}

func guides(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(t), "docs", "how-to", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(paths, quickPages(t), []string{filepath.Join(root(t), "README.md"), filepath.Join(chartDir(t), "README.md")})
}

func quickPages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(t), "docs", "how-to", "quick", "*.md"))
	if err != nil || len(paths) != len(providerNames())-1 { // nobody has sim
		t.Fatalf("pages %q, %v", paths, err)
	}
	return paths
}

// Who follows a page of five minutes builds an image of that provider, pushes it, and installs that one. All
// build it in the same way.
func TestQuickPagesInstallTheImageTheyPush(t *testing.T) {
	var first string
	for _, path := range quickPages(t) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page, provider := string(content), strings.TrimSuffix(filepath.Base(path), ".md")
		pushed := pushes.FindStringSubmatch(page)
		if pushed == nil || pushed[1] != provider || !strings.Contains(page, "make image PROVIDERS="+provider+" VERSION=v0.1.0\n") {
			t.Errorf("%s builds and pushes no image of %s: %q", path, provider, pushed)
			continue
		}
		installs := 0
		for _, block := range shell.FindAllStringSubmatch(page, -1) {
			if command := strings.ReplaceAll(block[1], "\\\n", " "); strings.Contains(command, "helm install ") {
				installs++
				if image := mustRender(t, release{values: []string{valuesOf(t, command)}}).pod(t).Spec.Containers[0].Image; image != pushed[2] {
					t.Errorf("%s pushes %s and installs %s", path, pushed[2], image)
				}
			}
		}
		build := strings.ReplaceAll(between(page, "## Build the image\n", "## Before"), provider, "PROVIDER")
		if first == "" {
			first = build
		}
		if installs == 0 || build == "" || build != first {
			t.Errorf("%s: %d installations; the image is built with %q, elsewhere with %q", path, installs, build, first)
		}
	}
}

func between(text, after, before string) string {
	_, rest, _ := strings.Cut(text, after)
	part, _, _ := strings.Cut(rest, before)
	return part
}

// The page of Hetzner has what a cluster in a private network needs.
func TestQuickPageOfHetznerHasTheNetwork(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root(t), "docs", "how-to", "quick", "hcloud.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range shell.FindAllStringSubmatch(string(content), -1) {
		command := strings.ReplaceAll(block[1], "\\\n", " ")
		if !strings.Contains(command, "helm install ") || !strings.Contains(command, "network") {
			continue
		}
		out := mustRender(t, release{values: []string{valuesOf(t, command)}})
		if out.env(t)["HCLOUD_NETWORK_FILE"] == "" || !slices.Contains(out.args(t), "--cluster-cidr=10.244.0.0/16") || strings.Contains(out.notes, "WARNING") {
			t.Errorf("with %s: variables %v, flags %q, notes\n%s", command, out.env(t), out.args(t), out.notes)
		}
		return
	}
	t.Error("no installation names a network")
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
