package chart_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/cli"
	helmrelease "helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// installed are values that people have when they upgrade, and what they set meanwhile.
var installed = map[string]struct{ before, with string }{
	"nothing else set": {"", ""},
	"all switched on": {`
replicaCount: 2
metrics: {serviceMonitor: {enabled: true}, prometheusRule: {enabled: true}, dashboard: {enabled: true}}
safety: {nodeDeletion: {grace: 5m}}`, "doctor: {uninstallGuard: {enabled: true}}"},
	"as a DaemonSet": {"kind: DaemonSet", ""},
	"off the host network": {
		"hostNetwork: false\nnetworkPolicy: {enabled: true}\ncontrolPlane: {required: false}", "networkPolicy: {egress: {enabled: true}}",
	},
	"doctor switched off": {"doctor: {test: {enabled: true}}", "doctor: {test: {enabled: false}}"},
}

// helm upgrades from each chart in testdata/upgrade to this one on a real API server, with the values that
// were set before, and back again: no immutable field differs, no value is refused, and what has gone from the
// chart goes from the cluster.
func TestUpgrades(t *testing.T) {
	c := aCluster(t)
	c.namespace(t, "monitoring", nil)
	archives, err := filepath.Glob("testdata/upgrade/*.tgz")
	if err != nil || len(archives) == 0 {
		t.Fatalf("there is no chart to upgrade from: %v", err)
	}
	for _, archive := range archives {
		old, err := loader.Load(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, provider := range providerNames() {
			if _, known := old.Values[provider]; !known {
				continue // it came later
			}
			for name, values := range installed {
				t.Run(filepath.Base(archive)+"/"+provider+"/"+name, func(t *testing.T) {
					c.upgrade(t, old, minimal(provider)+values.before, values.with, true)
				})
				if values.with == "" {
					t.Run(filepath.Base(archive)+"/"+provider+"/"+name+", old defaults", func(t *testing.T) {
						c.upgrade(t, old, minimal(provider)+values.before, "", false)
					})
				}
			}
		}
	}
}

// upgrade installs the old chart and upgrades to this one, with its own defaults for what was not set
// (--reset-then-reuse-values), or with those of the old one (--reuse-values).
func (c *cluster) upgrade(t *testing.T, old *chart.Chart, before, with string, defaults bool) {
	settings, actions := cli.New(), new(action.Configuration)
	settings.KubeConfig = c.AdminKubeconfig()
	if err := actions.Init(settings.RESTClientGetter(), "kube-system", "secret", func(string, ...any) {}); err != nil {
		t.Fatal(err)
	}
	install := action.NewInstall(actions)
	install.ReleaseName, install.Namespace = "upgraded", "kube-system"
	first, err := install.RunWithContext(within(t), old, tree(t, before))
	if err != nil {
		t.Fatalf("installing the old chart: %v", err)
	}
	t.Cleanup(func() {
		uninstall := action.NewUninstall(actions)
		uninstall.DisableHooks = true // nobody runs Pods here
		if _, err := uninstall.Run("upgraded"); err != nil {
			t.Error(err)
		}
	})
	workload := c.workload(t, first)
	upgrade := action.NewUpgrade(actions)
	upgrade.Namespace, upgrade.ResetThenReuseValues, upgrade.ReuseValues = "kube-system", defaults, !defaults
	second, err := upgrade.RunWithContext(within(t), "upgraded", loadChart(t), tree(t, with))
	if err != nil {
		t.Fatalf("upgrading: %v", err)
	}
	c.sameWorkload(t, "upgraded", workload, c.workload(t, second))
	c.onlyOf(t, second, first)
	rollback := action.NewRollback(actions)
	rollback.Version = 1
	if err := rollback.Run("upgraded"); err != nil {
		t.Fatalf("going back: %v", err)
	}
	c.sameWorkload(t, "rolled back", workload, c.workload(t, first))
	c.onlyOf(t, first, second)
}

func tree(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	return values
}

// objects are those of a release by kind, namespace and name. Hooks are not among them.
func objects(t *testing.T, r *helmrelease.Release) map[string]*unstructured.Unstructured {
	t.Helper()
	found := map[string]*unstructured.Unstructured{}
	for _, text := range releaseutil.SplitManifests(r.Manifest) {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			t.Fatal(err)
		}
		if len(object.Object) > 0 {
			found[fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName())] = object
		}
	}
	return found
}

// get reads an object of a release from the cluster, nil when it is not there.
func (c *cluster) get(ctx context.Context, t *testing.T, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	kind := object.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		t.Fatal(err)
	}
	all := c.client.Resource(mapping.Resource)
	get := all.Get
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		get = all.Namespace(object.GetNamespace()).Get
	}
	there, err := get(ctx, object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// workload returns the workload of a release as it is in the cluster.
func (c *cluster) workload(t *testing.T, r *helmrelease.Release) *unstructured.Unstructured {
	t.Helper()
	for _, object := range objects(t, r) {
		if kind := object.GetKind(); kind == "Deployment" || kind == "DaemonSet" {
			if there := c.get(within(t), t, object); there != nil {
				return there
			}
			t.Fatalf("%s %s is not there", kind, object.GetName())
		}
	}
	t.Fatal("the release has no workload")
	return nil
}

// sameWorkload fails the test when a workload was made anew, which would be an interruption.
func (c *cluster) sameWorkload(t *testing.T, doing string, before, after *unstructured.Unstructured) {
	t.Helper()
	if before.GetUID() != after.GetUID() {
		t.Errorf("%s: the %s %s was %s %s", doing, after.GetKind(), after.GetName(), before.GetKind(), before.GetName())
	}
	selector := func(u *unstructured.Unstructured) any {
		labels, _, _ := unstructured.NestedMap(u.Object, "spec", "selector")
		return labels
	}
	if !reflect.DeepEqual(selector(before), selector(after)) {
		t.Errorf("%s: the selector was %v and is %v", doing, selector(before), selector(after))
	}
}

// onlyOf fails the test when an object of now is missing, or one that only earlier had is still there.
func (c *cluster) onlyOf(t *testing.T, now, earlier *helmrelease.Release) {
	t.Helper()
	wanted, gone := objects(t, now), objects(t, earlier)
	maps.DeleteFunc(gone, func(name string, _ *unstructured.Unstructured) bool { return wanted[name] != nil })
	for name, object := range wanted {
		if c.get(within(t), t, object) == nil {
			t.Errorf("revision %d: %s is missing", now.Version, name)
		}
	}
	for name, object := range gone {
		if c.get(within(t), t, object) != nil {
			t.Errorf("revision %d: %s of revision %d is still there", now.Version, name, earlier.Version)
		}
	}
	t.Logf("revision %d has %d objects; gone: %s", now.Version, len(wanted), strings.Join(slices.Sorted(maps.Keys(gone)), ", "))
}
