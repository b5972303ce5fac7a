package framework

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestManifest keeps config/rbac equal to the table.
func TestManifest(t *testing.T) {
	const path = "../../config/rbac/multicloud-ccm.yaml"
	got := Manifest("kube-system", "multicloud-ccm")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run with -update (-want +got):\n%s", diff)
	}
	if n := bytes.Count(got, []byte("\n---\n")); n != 5 {
		t.Errorf("%d documents", n+1)
	}
}

// TestGrants holds what must never be granted.
func TestGrants(t *testing.T) {
	for _, g := range RBACRules("lease") {
		if g.For == "" || len(g.Verbs) == 0 {
			t.Errorf("incomplete: %+v", g)
		}
		if g.Resource == "secrets" || g.Resource == "*" || slices.Contains(g.Verbs, "*") {
			t.Errorf("too much: %+v", g)
		}
		if g.Resource == "leases" && !g.Namespaced {
			t.Errorf("leases of the whole cluster: %+v", g)
		}
	}
}
