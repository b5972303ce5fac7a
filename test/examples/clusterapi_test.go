package examples

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	addonsv1 "sigs.k8s.io/cluster-api/api/addons/v1beta2"
)

// What the provider of the machines itself brings into each cluster.
var brought = map[string]secrets{"cluster-api/caph.yaml": {"hetzner": {"hcloud"}}}

func TestClusterAPI(t *testing.T) {
	tested := 0
	for file, provider := range providers {
		if filepath.Dir(file) != "cluster-api" {
			continue
		}
		tested++
		t.Run(filepath.Base(file), func(t *testing.T) {
			objects := documents(t, file)
			proxy := strict[helmChartProxy](t, objects[0])
			checkProxy(t, proxy, provider)
			if label := "ccm: " + name + "-" + provider; strings.Count(string(read(t, folder, file)), label) < 2 {
				t.Errorf("the comment does not say which label selects a Cluster: %s", label)
			}
			there := brought[file]
			if len(objects) > 1 {
				there = resourceSet(t, proxy, objects[1:])
			}
			pod := checkRelease(t, file, provider, valuesOf(t, proxy), there)
			if !slices.Contains(pod.Containers[0].Args, "--cluster-name=prod") {
				t.Errorf("the cluster has not the name of its Cluster: %q", pod.Containers[0].Args)
			}
			// The id in the tags of AWS is not upstream's --cluster-name.
			if provider == "aws" && !slices.Contains(pod.Containers[0].Args, "--cluster-id=prod") {
				t.Errorf("the cluster has not the id of its Cluster: %q", pod.Containers[0].Args)
			}
			if header := headerOf(t, file); !strings.Contains(header, "only Clusters of its own namespace") && !strings.Contains(header, "only Clusters of their own namespace") {
				t.Error("the comment does not say which Clusters can be selected")
			}
		})
	}
	if tested != 5 {
		t.Errorf("%d files tested", tested)
	}
}

func checkProxy(t *testing.T, proxy helmChartProxy, provider string) {
	t.Helper()
	if want := (metav1.TypeMeta{APIVersion: "addons.cluster.x-k8s.io/v1alpha1", Kind: "HelmChartProxy"}); proxy.TypeMeta != want {
		t.Errorf("it is a %v, want %v", proxy.TypeMeta, want)
	}
	checkSource(t, proxy.Name, proxy.Spec.RepoURL, proxy.Spec.ChartName, proxy.Spec.Version)
	if proxy.Spec.ReleaseName != name || proxy.Spec.Namespace != "kube-system" {
		t.Errorf("the release is %s in %s", proxy.Spec.ReleaseName, proxy.Spec.Namespace)
	}
	want := metav1.LabelSelector{MatchLabels: map[string]string{"ccm": name + "-" + provider}}
	if diff := cmp.Diff(want, proxy.Spec.ClusterSelector); diff != "" {
		t.Errorf("selector (-want +got):\n%s", diff)
	}
}

// resourceSet reads the ClusterResourceSet and the Secret of it, which brings another one into each cluster.
func resourceSet(t *testing.T, proxy helmChartProxy, objects [][]byte) secrets {
	t.Helper()
	if len(objects) != 2 {
		t.Fatalf("%d objects, want a ClusterResourceSet and its Secret", len(objects))
	}
	set, secret := strict[addonsv1.ClusterResourceSet](t, objects[0]), strict[corev1.Secret](t, objects[1])
	if set.APIVersion != addonsv1.GroupVersion.String() || set.Kind != "ClusterResourceSet" || set.Spec.Strategy != string(addonsv1.ClusterResourceSetStrategyReconcile) {
		t.Errorf("it is a %s of %s, strategy %s", set.Kind, set.APIVersion, set.Spec.Strategy)
	}
	if diff := cmp.Diff(proxy.Spec.ClusterSelector, set.Spec.ClusterSelector); diff != "" {
		t.Errorf("selectors (-chart +Secret):\n%s", diff)
	}
	want := []addonsv1.ResourceRef{{Kind: string(addonsv1.SecretClusterResourceSetResourceKind), Name: secret.Name}}
	if diff := cmp.Diff(want, set.Spec.Resources); diff != "" {
		t.Errorf("resources (-there +named):\n%s", diff)
	}
	if secret.Type != addonsv1.ClusterResourceSetSecretType || secret.Namespace != set.Namespace || set.Namespace != proxy.Namespace {
		t.Errorf("the Secret is a %s in %s", secret.Type, secret.Namespace)
	}
	if len(secret.StringData) != 1 {
		t.Fatalf("%d manifests in the Secret", len(secret.StringData))
	}
	return secretOf(t, []byte(secret.StringData["secret.yaml"]))
}

// valuesOf executes the template for a Cluster.
func valuesOf(t *testing.T, proxy helmChartProxy) string {
	t.Helper()
	parsed, err := template.New("values").Option("missingkey=error").Parse(proxy.Spec.ValuesTemplate)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cluster := map[string]any{"Cluster": map[string]any{"metadata": map[string]any{"name": "prod", "namespace": proxy.Namespace}}}
	if err := parsed.Execute(&out, cluster); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
