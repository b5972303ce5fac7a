package platform

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const (
	top    = "../.."
	folder = top + "/deploy/platform"
)

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// strict reads a file that has no key but those of T.
func strict[T any](t *testing.T, file string) T {
	t.Helper()
	var into T
	if err := yaml.UnmarshalStrict(read(t, folder, file), &into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return into
}

// A new file needs a test.
func TestFiles(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, path := range found {
		file, err := filepath.Rel(folder, path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.ToSlash(file))
	}
	slices.Sort(files)
	tested := []string{
		"k0s/k0sctl.yaml", "k3s/agent.yaml", "k3s/server.yaml", "kubeadm/init.yaml", "kubeadm/join.yaml",
		"rke2/agent.yaml", "rke2/helmchart.yaml", "rke2/server.yaml", "talos/patch.yaml",
	}
	if diff := cmp.Diff(tested, files); diff != "" {
		t.Errorf("files (-tested +found):\n%s", diff)
	}
}
