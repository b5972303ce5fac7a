// Package chart_test holds the contracts of charts/multicloud-ccm: what it renders is compared
// with the flags and permissions of the program, and given to a real API server.
//
// -update rewrites the golden files, deploy/ among them.
package chart_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	_ "github.com/multicloud-ccm/multicloud-ccm/internal/compiled" // registers the providers
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

var update = flag.Bool("update", false, "rewrite the golden files and deploy/")

const (
	releaseName = "multicloud-ccm"
	notesFile   = "multicloud-ccm/templates/NOTES.txt"
)

// descriptors are the providers of the chart.
func descriptors() []cloud.Descriptor {
	var all []cloud.Descriptor
	for _, p := range registry.All() {
		all = append(all, p.Descriptor)
	}
	return all
}

func providerNames() []string { return registry.Names() }

// minimal are the least values a provider needs.
func minimal(provider string) string {
	return fmt.Sprintf("provider: %s\nclusterName: my-cluster\n", provider)
}

func root(t testing.TB) string {
	t.Helper()
	dir, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func chartDir(t testing.TB) string { return filepath.Join(root(t), "charts", "multicloud-ccm") }

// find returns the object of a kind, nil when there is none. The name tells objects of a
// kind apart; "" is the first.
func (o output) find(kind, name string) *unstructured.Unstructured {
	for _, object := range o.objects {
		if object.GetKind() == kind && (name == "" || object.GetName() == name) {
			return object
		}
	}
	return nil
}

// as converts an object of a kind to its Go type.
func as[T any](t testing.TB, o output, kind, name string) T {
	t.Helper()
	var typed T
	object := o.find(kind, name)
	if object == nil {
		t.Fatalf("no %s %s was rendered", kind, name)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &typed, true); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return typed
}

// pod returns the Pod template of the workload.
func (o output) pod(t testing.TB) corev1.PodTemplateSpec {
	t.Helper()
	for _, kind := range []string{"Deployment", "DaemonSet"} {
		if object := o.find(kind, ""); object != nil {
			template, _, _ := unstructured.NestedMap(object.Object, "spec", "template")
			var typed corev1.PodTemplateSpec
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(template, &typed, true); err != nil {
				t.Fatal(err)
			}
			return typed
		}
	}
	t.Fatal("no workload was rendered")
	return corev1.PodTemplateSpec{}
}

func (o output) args(t testing.TB) []string { return o.pod(t).Spec.Containers[0].Args }

// env returns the variables of the container, those from fields as "@path".
func (o output) env(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, e := range o.pod(t).Spec.Containers[0].Env {
		if _, twice := all[e.Name]; twice {
			t.Errorf("variable %s is set twice", e.Name)
		}
		all[e.Name] = e.Value
		if e.ValueFrom != nil && e.ValueFrom.FieldRef != nil {
			all[e.Name] = "@" + e.ValueFrom.FieldRef.FieldPath
		}
	}
	return all
}

// golden compares with a file, or writes it.
func golden(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; `make generate` writes it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-committed +rendered); `make generate` rewrites it:\n%s", path, diff)
	}
}
