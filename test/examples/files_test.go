package examples

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const (
	top    = "../.."
	folder = top + "/examples/install"
	page   = "docs/how-to/examples.md"
)

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// documents are the objects of a file of examples.
func documents(t *testing.T, file string) [][]byte {
	t.Helper()
	return bytes.Split(read(t, folder, file), []byte("\n---\n"))
}

// strict reads an object that has no key but those of T, and none twice.
func strict[T any](t *testing.T, content []byte) T {
	t.Helper()
	var into T
	if err := yaml.UnmarshalStrict(content, &into); err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	return into
}

// providers are the examples, by the provider whose page links to them. Each has a test of its own.
var providers = map[string]string{
	"argocd/application.yaml":        "digitalocean",
	"cluster-api/capa.yaml":          "aws",
	"cluster-api/capdo.yaml":         "digitalocean",
	"cluster-api/capg.yaml":          "gce",
	"cluster-api/caph.yaml":          "hcloud",
	"cluster-api/capo.yaml":          "openstack",
	"flux/helmrelease.yaml":          "hcloud",
	"k3s/helmchart.yaml":             "hcloud",
	"kops/cluster.yaml":              "aws",
	"rke2/helmchart.yaml":            "openstack",
	"talos/patch.yaml":               "hcloud",
	"terraform/aws/main.tf":          "aws",
	"terraform/digitalocean/main.tf": "digitalocean",
	"terraform/gce-key/main.tf":      "gce",
	"terraform/gce/main.tf":          "gce",
	"terraform/hcloud/main.tf":       "hcloud",
	"terraform/openstack/main.tf":    "openstack",
}

// parts belong to the example beside them.
var parts = []string{"README.md", "kops/addon.yaml", "kops/values.yaml", "talos/values.yaml"}

// A new file needs a test.
func TestFiles(t *testing.T) {
	want, found := map[string]bool{}, map[string]bool{}
	for file := range providers {
		want[file] = true
	}
	for _, file := range parts {
		want[file] = true
	}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := filepath.Rel(folder, path)
		found[filepath.ToSlash(file)] = true
		if lines := bytes.Count(read(t, path), []byte("\n")); lines >= 100 {
			t.Errorf("%s has %d lines, want less than 100", file, lines)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("files (-tested +found):\n%s", diff)
	}
}

// documented are paths that a comment names.
var documented = regexp.MustCompile(`\b((?:docs|deploy|config|charts|examples)/[\w./-]*\w)`)

// headerOf is the comment at the top of an example, each paragraph of it on one line.
func headerOf(t *testing.T, file string) string {
	t.Helper()
	header, _, _ := strings.Cut("\n"+string(read(t, folder, file)), "\n\n")
	header, _, _ = strings.Cut(header, "\napiVersion")
	return strings.ReplaceAll(header, "\n#   ", " ")
}

// An example says at its top what it replaces, what to take out for it, that there may be no two CCMs at once, and what
// to read before.
func TestHeaders(t *testing.T) {
	for file, provider := range providers {
		header := headerOf(t, file)
		for _, line := range []string{"\n# Replaces: ", "\n# Take out: ", "\n# Before:   docs/how-to/migrate-" + provider + ".md on a cluster that runs"} {
			if !strings.Contains(header, line) {
				t.Errorf("%s: the comment at the top has no line %q", file, line)
			}
		}
		if !alone.MatchString(header) {
			t.Errorf("%s: the comment at the top does not say when upstream's Pods have to be gone", file)
		}
	}
}

// With kOps upstream's Pods stay, and run nothing.
var alone = regexp.MustCompile(`(?i)wait until its Pods? (is|are) gone,? before (this one starts|you set the label)|without \* in the list none of them runs`)

// Files that comments name are there. deploy/packages is upstream's.
func TestNamedFilesExist(t *testing.T) {
	for file := range providers {
		for _, match := range documented.FindAllStringSubmatch(string(read(t, folder, file)), -1) {
			if strings.HasPrefix(match[1], "deploy/packages/") {
				continue
			}
			if _, err := os.Stat(filepath.Join(top, match[1])); err != nil {
				t.Errorf("%s names %s: %v", file, match[1], err)
			}
		}
	}
}

// Each example is linked from the page that lists them, and from that of its provider.
func TestLinks(t *testing.T) {
	for file, provider := range providers {
		for _, from := range []string{page, "docs/providers/" + provider + ".md"} {
			link := "](../../examples/install/" + file + ")"
			if !strings.Contains(string(read(t, top, from)), link) {
				t.Errorf("%s does not link to %s", from, file)
			}
		}
	}
}
