package chart_test

import (
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"
)

func TestLint(t *testing.T) {
	version := &chartutil.KubeVersion{Version: "v1.37.0", Major: "1", Minor: "37"}
	for _, provider := range providerNames() {
		values := map[string]any{}
		if err := yaml.Unmarshal([]byte(minimal(provider)), &values); err != nil {
			t.Fatal(err)
		}
		linter := lint.AllWithKubeVersion(chartDir(t), values, "kube-system", version)
		for _, message := range linter.Messages {
			if message.Severity > support.InfoSev {
				t.Errorf("%s: %v", provider, message)
			}
		}
	}
}
