package examples

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
)

func TestTerraform(t *testing.T) {
	tested := 0
	for file, provider := range providers {
		if filepath.Ext(file) != ".tf" {
			continue
		}
		tested++
		t.Run(filepath.Dir(file), func(t *testing.T) {
			content := read(t, folder, file)
			if !bytes.Equal(content, hclwrite.Format(content)) {
				t.Error("it is not formatted: terraform fmt")
			}
			checkModule(t, file, provider, content, nil)
		})
	}
	if tested != 6 {
		t.Errorf("%d files tested", tested)
	}
}

// checkModule evaluates a file as if it was in its folder, and returns the Pod of its release.
func checkModule(t *testing.T, file, provider string, content []byte, given map[string]string) (*module, corev1.PodSpec) {
	t.Helper()
	m, err := evaluate(filepath.Join(folder, filepath.Dir(file)), content, given)
	if err != nil {
		t.Fatal(err)
	}
	checkProviders(t, m)
	var there secrets
	for _, secret := range m.resources["kubernetes_secret_v1"] {
		there = there.with(textOf(t, secret.GetAttr("metadata").Index(cty.Zero), "name"), keysOf(secret.GetAttr("data"))...)
	}
	return m, checkTerraformRelease(t, file, provider, one(t, m, "helm_release"), there)
}

// one is the only resource of a kind.
func one(t *testing.T, m *module, kind string) cty.Value {
	t.Helper()
	if len(m.resources[kind]) != 1 {
		t.Fatalf("%d resources %s, want one", len(m.resources[kind]), kind)
	}
	return m.resources[kind][0]
}

func checkTerraformRelease(t *testing.T, file, provider string, release cty.Value, there secrets) corev1.PodSpec {
	t.Helper()
	checkSource(t, file, textOf(t, release, "repository"), textOf(t, release, "chart"), textOf(t, release, "version"))
	if textOf(t, release, "name") != name || textOf(t, release, "namespace") != "kube-system" {
		t.Errorf("the release is %s/%s", textOf(t, release, "namespace"), textOf(t, release, "name"))
	}
	values := release.GetAttr("values")
	if values.LengthInt() != 1 {
		t.Fatalf("%d texts of values", values.LengthInt())
	}
	return checkRelease(t, file, provider, values.Index(cty.Zero).AsString(), there)
}

// checkProviders compares the providers that are required with those of the resources.
func checkProviders(t *testing.T, m *module) {
	t.Helper()
	want := map[string]string{}
	for kind := range m.resources {
		first, _, _ := strings.Cut(strings.TrimPrefix(kind, "data."), "_")
		want[first] = sources[first]
	}
	if diff := cmp.Diff(want, m.required); diff != "" {
		t.Errorf("required_providers (-needed +declared):\n%s", diff)
	}
}

func textOf(t *testing.T, object cty.Value, attribute string) string {
	t.Helper()
	if !object.Type().HasAttribute(attribute) || object.GetAttr(attribute).Type() != cty.String {
		t.Fatalf("no text %s in %#v", attribute, object)
	}
	return object.GetAttr(attribute).AsString()
}

func keysOf(object cty.Value) []string {
	var keys []string
	for key := range object.AsValueMap() {
		keys = append(keys, key)
	}
	return keys
}

// Without this it could be that everything passes.
func TestTerraformRefuses(t *testing.T) {
	content := string(read(t, folder, "terraform/openstack/main.tf"))
	for name, change := range map[string][2]string{
		"no HCL":                      {"terraform {", "terraform"},
		"variable without one":        {"${var.region}", "${var.area}"},
		"resource without one":        {"kubernetes_secret_v1.ccm.metadata", "kubernetes_secret_v1.conf.metadata"},
		"attribute that nobody sets":  {"ccm.secret}", "ccm.password}"},
		"attribute that nobody reads": {"chart      =", "chart_name ="},
		"unknown block":               {"metadata {", "meta {"},
		"unknown attribute in one":    {"service = access_rules", "svc     = access_rules"},
		"unknown resource":            {`"kubernetes_secret_v1" "ccm"`, `"kubernetes_secrets" "ccm"`},
		"file that is not there":      {"access-rules.json", "rules.json"},
		"unknown function":            {"yamlencode(", "toyaml("},
	} {
		changed := strings.Replace(content, change[0], change[1], 1)
		if _, err := evaluate(filepath.Join(folder, "terraform/openstack"), []byte(changed), nil); changed == content || err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
