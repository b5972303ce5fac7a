package controlplane

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each value has an API server of its own; the other programs are the pinned ones.
func TestTheEnvironmentChoosesTheAPIServer(t *testing.T) {
	source, err := sourceDir()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, value := range append(slices.Sorted(maps.Keys(olderModules)), "") {
		t.Setenv(KubernetesEnv, value)
		opts, err := Options{}.kubernetes()
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := choose(opts, source, []string{etcd, apiServer})
		if err != nil {
			t.Fatal(err)
		}
		bins := paths("/cache", nil, chosen)
		name := filepath.Base(bins.APIServer)
		if pinned := name == apiServer; pinned != (value == "") || !pinned && !strings.HasPrefix(name, apiServer+"-v1.") || filepath.Base(bins.Etcd) != etcd {
			t.Errorf("with %q: %+v", value, bins)
		}
		if other, twice := seen[name]; twice {
			t.Errorf("%q and %q both run %s", value, other, name)
		}
		seen[name] = value
	}
	t.Setenv(KubernetesEnv, "1.12")
	if _, err := build(t.Context(), Options{}.withDefaults(), etcd); err == nil || !strings.Contains(err.Error(), "has to be one of oldest, previous") {
		t.Errorf("an unknown Kubernetes: %v", err)
	}
}
