package build

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/multicloud-ccm/multicloud-ccm/internal/compiled" // registers the providers
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// The files of internal/compiled are the list of providers. Where something has to be there for each of
// them, and is not made from the list, it is looked for here.
func TestEveryProviderIsEverywhere(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	names := registry.Names()
	listed := func(what string, have []string) {
		t.Helper()
		slices.Sort(have)
		if !slices.Equal(have, names) {
			t.Errorf("%s: there are %q, and the providers are %q", what, have, names)
		}
	}
	listed("internal/compiled/provider_*.go", named(t, filepath.Join(root, "internal", "compiled", "provider_*.go")))
	listed("providers/*", named(t, filepath.Join(root, "providers", "*")))
	listed("test/testcloud/cloud_*.go", testcloud.Names())
	read := func(parts ...string) string {
		content, err := os.ReadFile(filepath.Join(append([]string{root}, parts...)...))
		if err != nil {
			t.Error(err)
		}
		return string(content)
	}
	linter, workflow := read(".golangci.yml"), read(".github", "workflows", "ci.yml")
	for _, name := range names {
		for _, path := range []string{"providers/" + name + "/doc.go", "docs/reference/providers/" + name + ".md"} {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s has no %s", name, path)
			}
		}
		if !regexp.MustCompile(`(?m)^        ` + name + `:\n(.*\n)*?          files: \["\*\*/providers/` + name + `/\*\*"`).MatchString(linter) {
			t.Errorf(".golangci.yml has no rule %s for the files of providers/%s", name, name)
		}
		if !regexp.MustCompile(`provider: \[[^\]]*\b` + name + `\b`).MatchString(workflow) {
			t.Errorf(".github/workflows/ci.yml tests no image of %s", name)
		}
		// OpenStack is installed from Debian 12's packages, as root.
		if name != "openstack" && !regexp.MustCompile(`cloud: \[[^\]]*\b`+name+`\b`).MatchString(workflow) {
			t.Errorf(".github/workflows/ci.yml shows no quickstart of %s", name)
		}
		if name == "sim" {
			continue // nobody's cloud
		}
		for _, page := range []string{"README.md", "docs/index.md", "mkdocs.yml", "docs/how-to/install.md"} {
			if !strings.Contains(read(page), "quick/"+name+".md") {
				t.Errorf("%s does not lead to the five minutes with %s", page, name)
			}
		}
		if !strings.Contains(read("docs", "explanation", "comparison.md"), "providers/"+name+".md#against-the-upstream-ccm") {
			t.Errorf("the comparison does not lead to that of %s", name)
		}
	}
}

// named returns what is at the star of a pattern.
func named(t *testing.T, pattern string) (names []string) {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(filepath.Base(pattern), "*")
	for _, path := range found {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), before), after))
	}
	return names
}

// TestNoProviderKnowsAnother: nor the kernel's workings, nor Kubernetes.
func TestNoProviderKnowsAnother(t *testing.T) {
	for _, name := range registry.Names() {
		never := []string{"k8s.io/", module + "kernel/framework", module + "internal"}
		for _, other := range registry.Names() {
			if other != name {
				never = append(never, module+"providers/"+other+"/")
			}
		}
		for _, dep := range strings.Fields(goTool(t, "list", "-deps", "./providers/"+name)) {
			for _, prefix := range never {
				if strings.HasPrefix(dep+"/", prefix) {
					t.Errorf("providers/%s depends on %s", name, dep)
				}
			}
		}
	}
}
