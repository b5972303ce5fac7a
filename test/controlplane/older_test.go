package controlplane

import (
	"path/filepath"
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
	versions, err := OlderMinorVersions()
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range append(versions, "") {
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
	for alias, version := range map[string]string{"oldest": versions[0], "previous": versions[len(versions)-1]} {
		t.Setenv(KubernetesEnv, alias)
		if opts, err := (Options{}).kubernetes(); err != nil || opts.older != "minors/"+version {
			t.Errorf("%s is %q, want %s (%v)", alias, opts.older, version, err)
		}
	}
	t.Setenv(KubernetesEnv, "1.12")
	if _, err := build(t.Context(), Options{}.withDefaults(), etcd); err == nil || !strings.Contains(err.Error(), "has to be one of oldest, previous, 1.30, 1.31, ") {
		t.Errorf("an unknown Kubernetes: %v", err)
	}
}
