package chart_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// release is what is rendered.
type release struct {
	chart  *chart.Chart // the chart of the repository when nil
	values []string     // YAML, merged in this order
	// cluster is asked by lookup, when there is one.
	cluster    *rest.Config
	namespace  string // kube-system when empty
	skipSchema bool
}

// output is what came of it.
type output struct {
	notes    string
	manifest string
	objects  []*unstructured.Unstructured
}

// rendered are the outputs of releases that depend on nothing but their values: most tests look at the same ones.
var rendered sync.Map

func loadChart(t testing.TB) *chart.Chart {
	t.Helper()
	c, err := loader.Load(chartDir(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// mustRender renders a release that has to render.
func mustRender(t testing.TB, r release) output {
	t.Helper()
	out, err := render(t, r)
	if err != nil {
		t.Fatalf("rendering with %q: %v", r.values, err)
	}
	return out
}

// render renders a release, or returns what it rendered before for the same values.
func render(t testing.TB, r release) (output, error) {
	t.Helper()
	if r.chart != nil || r.cluster != nil {
		return renderAnew(t, r)
	}
	key := fmt.Sprintf("%q %q %v", r.values, r.namespace, r.skipSchema)
	if out, ok := rendered.Load(key); ok {
		return out.(output).copy(), nil
	}
	out, err := renderAnew(t, r)
	if err == nil {
		rendered.Store(key, out.copy())
	}
	return out, err
}

func (o output) copy() output {
	objects := make([]*unstructured.Unstructured, 0, len(o.objects))
	for _, object := range o.objects {
		objects = append(objects, object.DeepCopy())
	}
	o.objects = objects
	return o
}

func renderAnew(t testing.TB, r release) (output, error) {
	t.Helper()
	if r.chart == nil {
		r.chart = loadChart(t)
	}
	if r.namespace == "" {
		r.namespace = "kube-system"
	}
	values := map[string]any{}
	for _, text := range r.values {
		layer := map[string]any{}
		if err := yaml.Unmarshal([]byte(text), &layer); err != nil {
			t.Fatalf("values %q: %v", text, err)
		}
		values = chartutil.MergeTables(layer, values)
	}
	options := chartutil.ReleaseOptions{Name: releaseName, Namespace: r.namespace, Revision: 1, IsInstall: true}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.37.0", Major: "1", Minor: "37"}
	top, err := chartutil.ToRenderValuesWithSchemaValidation(r.chart, values, options, capabilities, r.skipSchema)
	if err != nil {
		return output{}, err
	}
	var files map[string]string
	if r.cluster != nil {
		files, err = engine.RenderWithClient(r.chart, top, r.cluster)
	} else {
		files, err = engine.Render(r.chart, top)
	}
	if err != nil {
		return output{}, err
	}
	return collect(t, files), nil
}

// collect sorts what was rendered the way helm installs it.
func collect(t testing.TB, files map[string]string) output {
	t.Helper()
	out := output{notes: files[notesFile]}
	delete(files, notesFile)
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, ".tpl") })
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		t.Fatal(err)
	}
	var contents []string
	for _, m := range manifests {
		contents = append(contents, m.Content)
	}
	out.manifest = "---\n" + strings.Join(contents, "\n---\n") + "\n"
	for _, h := range hooks {
		contents = append(contents, h.Manifest)
	}
	for _, content := range contents {
		object := &unstructured.Unstructured{}
		// Strictly: a key that is there twice is a mistake of the templates.
		if err := yaml.UnmarshalStrict([]byte(content), &object.Object); err != nil {
			t.Fatalf("%v in\n%s", err, content)
		}
		out.objects = append(out.objects, object)
	}
	return out
}
