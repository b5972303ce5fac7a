package examples

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Where releases of the chart are.
const (
	repository = "oci://ghcr.io/multicloud-ccm/charts"
	name       = "multicloud-ccm"
	// own is the Secret that the chart makes of inline credentials.
	own = name + "-credentials"
)

// secrets are the keys of Secrets in kube-system, by name.
type secrets map[string][]string

// loadOnce, because it takes longer than to render. Rendering changes nothing of it.
var loadOnce = sync.OnceValues(func() (*chart.Chart, error) { return loader.Load(filepath.Join(top, "charts", name)) })

func loadChart(t *testing.T) *chart.Chart {
	t.Helper()
	loaded, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// checkSource compares what an example installs with the chart that is here.
func checkSource(t *testing.T, where, repo, chartName, version string) {
	t.Helper()
	if repo != repository || chartName != name {
		t.Errorf("%s: the chart is %s/%s, want %s/%s", where, repo, chartName, repository, name)
	}
	now := loadChart(t).Metadata.Version
	if minor, patch, _ := strings.Cut(version, ".x"); version != now && (patch != "" || !strings.HasPrefix(now, minor+".")) {
		t.Errorf("%s: version %s, the chart's is %s", where, version, now)
	}
}

// checkRelease compares values with the strict schema, renders them, and looks at the Pod: it runs the provider, and mounts
// the Secrets that there are, no more and no less.
func checkRelease(t *testing.T, where, provider, values string, there secrets) corev1.PodSpec {
	t.Helper()
	pod, err := render(t, values)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", where, err, values)
	}
	args := pod.Containers[0].Args
	if !slices.Contains(args, "--cloud-provider="+provider) {
		t.Errorf("%s: the flags are %q, want the provider %s", where, args, provider)
	}
	if diff := cmp.Diff(there, mounted(pod)); diff != "" {
		t.Errorf("%s: Secrets (-of the example +mounted):\n%s", where, diff)
	}
	checkPaths(t, where, pod)
	return pod
}

// render returns the Pod of the Deployment.
func render(t *testing.T, text string) (corev1.PodSpec, error) {
	t.Helper()
	var pod corev1.PodSpec
	values := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(text), &values); err != nil {
		return pod, err
	}
	loaded := loadChart(t)
	all, err := chartutil.CoalesceValues(loaded, values)
	if err != nil {
		return pod, err
	}
	if err := chartutil.ValidateAgainstSingleSchema(all, schema(t, loaded)); err != nil {
		return pod, err
	}
	options := chartutil.ReleaseOptions{Name: name, Namespace: "kube-system", Revision: 1, IsInstall: true}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.37.0", Major: "1", Minor: "37"}
	given, err := chartutil.ToRenderValues(loaded, values, options, capabilities)
	if err != nil {
		return pod, err
	}
	files, err := engine.Render(loaded, given)
	if err != nil {
		return pod, err
	}
	return workload(t, files), nil
}

// schema is the strict one, for editors.
func schema(t *testing.T, loaded *chart.Chart) []byte {
	t.Helper()
	for _, file := range loaded.Files {
		if file.Name == "files/values.schema.json" {
			return file.Data
		}
	}
	t.Fatal("the chart has no files/values.schema.json")
	return nil
}

// workload is the Pod of the Deployment among rendered files.
func workload(t *testing.T, files map[string]string) corev1.PodSpec {
	t.Helper()
	for _, content := range files {
		for document := range strings.SplitSeq(content, "\n---\n") {
			if strings.Contains("\n"+document, "\nkind: Deployment\n") {
				return strict[appsv1.Deployment](t, []byte(document)).Spec.Template.Spec
			}
		}
	}
	t.Fatal("no Deployment was rendered")
	return corev1.PodSpec{}
}

// mounted are the Secrets that a Pod mounts, with their keys, but for that of the chart itself.
func mounted(pod corev1.PodSpec) secrets {
	var found secrets
	for _, volume := range pod.Volumes {
		if volume.Projected == nil {
			continue
		}
		for _, source := range volume.Projected.Sources {
			if source.Secret == nil || source.Secret.Name == own {
				continue
			}
			for _, item := range source.Secret.Items {
				found = found.with(source.Secret.Name, item.Key)
			}
		}
	}
	return found
}

func (s secrets) with(secret string, keys ...string) secrets {
	if s == nil {
		s = secrets{}
	}
	s[secret] = append(s[secret], keys...)
	slices.Sort(s[secret])
	return s
}

// secretOf reads a manifest of a Secret in kube-system.
func secretOf(t *testing.T, content []byte) secrets {
	t.Helper()
	secret := strict[corev1.Secret](t, content)
	if secret.APIVersion != "v1" || secret.Kind != "Secret" || secret.Namespace != "kube-system" {
		t.Errorf("it is a %s of %s in %q, want a Secret in kube-system", secret.Kind, secret.APIVersion, secret.Namespace)
	}
	var found secrets
	for key := range secret.StringData {
		found = found.with(secret.Name, key)
	}
	return found
}

// Without this it could be that everything passes.
func TestValuesAreRefused(t *testing.T) {
	for _, values := range []string{
		"provider: hcloud", "provider: hcloud\nclusterName: a\nclusterName: b", "provider: hcloud\nclusterName: a\nlocation: fsn1",
		"provider: acme\nclusterName: a", "provider: hcloud\nclusterName: a\nhcloud: {loadBalancers: {locaton: fsn1}}",
	} {
		if _, err := render(t, values); err == nil {
			t.Errorf("accepted:\n%s", values)
		}
	}
}
