package controlplane

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTheEnvironmentChoosesTheAPIServer(t *testing.T) {
	source, err := sourceDir()
	if err != nil {
		t.Fatal(err)
	}
	for value, prefix := range map[string]string{"": apiServer, Oldest: apiServer + "-v1."} {
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
		if name := filepath.Base(bins.APIServer); !strings.HasPrefix(name, prefix) || (value == "") != (name == apiServer) || filepath.Base(bins.Etcd) != etcd {
			t.Errorf("with %q: %+v", value, bins)
		}
	}
	t.Setenv(KubernetesEnv, "1.12")
	if _, err := build(t.Context(), Options{}.withDefaults(), etcd); err == nil || !strings.Contains(err.Error(), `has to be "oldest"`) {
		t.Errorf("an unknown Kubernetes: %v", err)
	}
}
