package rbac

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestManifest checks what internal/gen writes to config/rbac.
func TestManifest(t *testing.T) {
	got := Manifest("kube-system", "cloud-controller-manager")
	want, err := os.ReadFile("../../../config/rbac/cloud-controller-manager.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run `make generate` (-committed +generated):\n%s", diff)
	}
	if n := bytes.Count(got, []byte("\n---\n")); n != 5 {
		t.Errorf("%d documents", n+1)
	}
}

// TestGrants holds what must never be granted.
func TestGrants(t *testing.T) {
	for _, g := range Rules("lease") {
		if g.For == "" || len(g.Verbs) == 0 {
			t.Errorf("incomplete: %+v", g)
		}
		if g.Resource == "secrets" || g.Resource == "*" || slices.Contains(g.Verbs, "*") {
			t.Errorf("too much: %+v", g)
		}
		if !g.Namespaced && (g.Resource == "leases" || g.Resource == "configmaps" || g.Resource == "endpointslices") {
			t.Errorf("of the whole cluster: %+v", g)
		}
	}
}
