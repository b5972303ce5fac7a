package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const twoContexts = `apiVersion: v1
kind: Config
current-context: one
clusters: [{name: one, cluster: {server: "https://one.example"}}, {name: two, cluster: {server: "https://two.example"}}]
contexts: [{name: one, context: {cluster: one}}, {name: two, context: {cluster: two}}]
`

// A context is one of the kubeconfig that is named, or of kubectl's own, in a Pod as well.
func TestContext(t *testing.T) {
	dir := t.TempDir()
	path, empty := filepath.Join(dir, "config"), filepath.Join(dir, "empty")
	for name, content := range map[string]string{path: twoContexts, empty: ""} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, variable string
		pod            bool
		server
		want, wrong string
	}{
		{name: "the current one", server: server{kubeconfig: path}, want: "https://one.example"},
		{name: "another", server: server{kubeconfig: path, context: "two"}, want: "https://two.example"},
		{name: "of kubectl's file", variable: path, server: server{context: "two"}, want: "https://two.example"},
		{name: "in a Pod", variable: path, pod: true, server: server{context: "two"}, want: "https://two.example"},
		{name: "missing", server: server{kubeconfig: path, context: "three"}, wrong: "--context=three is not in the kubeconfig"},
		{name: "mistyped", server: server{kubeconfig: path, context: "too"}, wrong: "--context=too is not in the kubeconfig, did you mean two?"},
		{name: "in a Pod without a file", variable: filepath.Join(dir, "none"), pod: true, server: server{context: "two"}, wrong: "--context=two is not in the kubeconfig"},
		{name: "no file", server: server{kubeconfig: filepath.Join(dir, "none"), context: "two"}, wrong: "--kubeconfig=" + dir},
		{name: "an empty file", server: server{kubeconfig: empty}, wrong: "--kubeconfig=" + empty},
		{name: "files that do not exist", variable: filepath.Join(dir, "none") + string(filepath.ListSeparator) + filepath.Join(dir, "no"), wrong: "does not exist"},
		{name: "nothing", variable: empty, wrong: "KUBECONFIG=" + empty + " has no cluster"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", tt.variable)
			t.Setenv("KUBERNETES_SERVICE_HOST", "")
			if tt.pod {
				t.Setenv("KUBERNETES_SERVICE_HOST", "192.0.2.1")
				t.Setenv("KUBERNETES_SERVICE_PORT", "443")
			}
			config, err := tt.access()
			switch {
			case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong) || exitCode(err, &strings.Builder{}) != exitUsage):
				t.Errorf("%v, want %s", err, tt.wrong)
			case tt.wrong == "" && (err != nil || config.Host != tt.want):
				t.Errorf("%v, %v, want %s", config, err, tt.want)
			}
			if tt.context != "" && tt.inPod() {
				t.Error("it looks at the Pod that it runs in, and not at the context")
			}
		})
	}
}
