package chart_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/inventory"
)

// inventoryValues are the values of the static provider with a file.
func inventoryValues(file string) []string {
	return []string{minimal("static"), "static:\n  inventory:\n    " + strings.ReplaceAll(strings.TrimSpace(file), "\n", "\n    ") + "\n"}
}

// headless is the file without what the chart adds.
func headless(t *testing.T, file string) string {
	t.Helper()
	_, rest, found := strings.Cut(file, "kind: "+cloud.InventoryKind+"\n")
	if !found {
		t.Fatalf("no kind in\n%s", file)
	}
	return rest
}

// parsed returns the entries of the file that the release has, as the program reads it.
func parsed(t *testing.T, out output) []string {
	t.Helper()
	file := as[corev1.ConfigMap](t, out, "ConfigMap", "multicloud-ccm-inventory").Data["inventory.yaml"]
	read, err := inventory.Open(func() ([]byte, error) { return []byte(file), nil })
	if err != nil {
		t.Fatalf("the program refuses the file: %v\n%s", err, file)
	}
	return read.Entries()
}

// The inventory of the values is a file where the flag says, in the Pods of the program and of the doctor.
func TestInventoryIsAFile(t *testing.T) {
	want := []string{"machines[0], name nas-1", "machines[1], names rack2-*", "machines[2], selector site=office"}
	for name, file := range map[string]string{
		"as it is": cloud.InventoryExample, "without its kind": headless(t, cloud.InventoryExample),
		"with an empty kind": "kind: \"\"\napiVersion: null\n" + headless(t, cloud.InventoryExample),
	} {
		out := mustRender(t, release{values: inventoryValues(file)})
		if diff := cmp.Diff(want, parsed(t, out)); diff != "" {
			t.Errorf("%s: entries (-want +got):\n%s", name, diff)
		}
		if out.find("Secret", "") != nil {
			t.Errorf("%s: there is a Secret", name)
		}
		for _, pod := range []corev1.PodSpec{out.pod(t).Spec, as[corev1.Pod](t, out, "Pod", "").Spec} {
			at, flag := inventoryMount(pod), ""
			for _, arg := range pod.Containers[0].Args {
				if value, is := strings.CutPrefix(arg, "--cloud-config="); is {
					flag = value
				}
			}
			if at == "" || flag != path.Join(at, "inventory.yaml") {
				t.Errorf("%s: container %s: --cloud-config=%s, the file is in %q", name, pod.Containers[0].Name, flag, at)
			}
		}
	}
}

// inventoryMount returns where the ConfigMap is, as a whole and to be read only; "" where it is not.
func inventoryMount(pod corev1.PodSpec) string {
	for _, v := range pod.Volumes {
		if v.ConfigMap == nil || v.ConfigMap.Name != "multicloud-ccm-inventory" {
			continue
		}
		for _, m := range pod.Containers[0].VolumeMounts {
			// The kubelet never changes a file that is mounted by its subPath.
			if m.Name == v.Name && m.ReadOnly && m.SubPath == "" {
				return m.MountPath
			}
		}
	}
	return ""
}

// The program reads the file again, so that no Pod has to be another one.
func TestAChangeOfTheInventoryRestartsNoPod(t *testing.T) {
	first := mustRender(t, release{values: inventoryValues("machines: [{name: a}]")})
	second := mustRender(t, release{values: inventoryValues("machines: [{name: a}, {name: b}]")})
	if diff := cmp.Diff(first.pod(t), second.pod(t)); diff != "" {
		t.Errorf("the Pods differ (-before +after):\n%s", diff)
	}
	if slices.Equal(parsed(t, first), parsed(t, second)) {
		t.Errorf("the files have the same entries")
	}
}

// Without an inventory every Node that waits is a static machine: there must be no file, not even an empty one.
func TestWithoutInventory(t *testing.T) {
	for _, values := range []string{"", "static: {inventory: {}}", "static: {inventory: null}", "static: null"} {
		out := mustRender(t, release{values: []string{minimal("static"), values}})
		if out.find("ConfigMap", "") != nil || strings.Contains(out.manifest, "cloud-config") || len(out.pod(t).Spec.Volumes) > 0 {
			t.Errorf("%q renders a file:\n%s", values, out.manifest)
		}
	}
}

// One key of the file is enough to make it, because the file has a meaning then: no other Node is a machine.
func TestInventoryWithoutMachines(t *testing.T) {
	if got := parsed(t, mustRender(t, release{values: inventoryValues("machines: []")})); len(got) > 0 {
		t.Errorf("entries %q", got)
	}
}

// Each block of the documents that has values of the chart with an inventory renders, and the program reads the file.
func TestInventoriesOfGuides(t *testing.T) {
	found := 0
	for file, text := range yamlBlocks(t) {
		var values struct {
			Static struct{ Inventory map[string]any }
		}
		if err := yaml.Unmarshal([]byte(text), &values); err != nil || values.Static.Inventory == nil {
			continue // of another kind: test/build looks at the syntax
		}
		found++
		if entries := parsed(t, mustRender(t, release{values: []string{minimal("static"), text}})); len(entries) == 0 {
			t.Errorf("%s: an inventory without machines:\n%s", file, text)
		}
	}
	if found == 0 {
		t.Error("no guide shows an inventory")
	}
}
