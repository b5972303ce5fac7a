package doctor

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/inventory"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/static"
)

// The doctor names Nodes that no entry fits, entries that no Node fits, entries that never count, and labels that differ.
func TestInventoryBesideNodes(t *testing.T) {
	const machines = "{apiVersion: static.multicloud-ccm.io/v1, kind: Inventory, machines: [%s]}"
	for name, tt := range map[string]struct {
		file string
		want []string
	}{
		"in order":                {"{name: one, zone: a}, {name: two}", nil},
		"no entry":                {"{name: one, zone: a}", []string{"failure | node-machine-unknown | two: no entry of the inventory (--cloud-config) fits the Node; nearest: machines[0], name one"}},
		"an entry without Node":   {"{name: one, zone: a}, {name: two}, {name: three}", []string{"warning | inventory-without-effect | machines[2], name three: no Node of the cluster fits"}},
		"an entry that is hidden": {"{name: one, zone: a}, {names: '*'}, {name: two}", []string{"warning | inventory-without-effect | machines[2], name two: it never counts"}},
		"labels that differ":      {"{name: one, zone: b}, {name: two}", []string{"warning | node-label-outdated | one: zone a → b: kubectl label node one --overwrite topology.kubernetes.io/zone=b"}},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := inventory.Open(func() ([]byte, error) { return []byte(strings.Replace(machines, "%s", tt.file, 1)), nil })
			if err != nil {
				t.Fatal(err)
			}
			driver, err := static.New(t.Context(), cloud.Config{Cloud: "static", Default: true, Inventory: file, Lookup: func(string) string { return "" }})
			if err != nil {
				t.Fatal(err)
			}
			one, two := node("one", "static://one", time.Hour), node("two", "", time.Hour)
			one.Labels = map[string]string{corev1.LabelTopologyZone: "a"}
			two.Spec.Taints = []corev1.Taint{{Key: cloudproviderapi.TaintExternalCloudProvider, Effect: corev1.TaintEffectNoSchedule}}
			for n, node := range []*corev1.Node{one, two} {
				node.Annotations = map[string]string{cloudproviderapi.AnnotationAlphaProvidedIPAddr: "10.0.0." + string(rune('1'+n))}
			}
			f := &facts{Options: Options{Cloud: run.Decorate(driver, run.Options{Descriptor: static.Descriptor(), Inventory: file}), Patience: DefaultPatience}, now: now}
			f.nodes.value = []*corev1.Node{one, two}
			f.sky.machines = map[cloud.InstanceID]cloud.Instance{}
			f.sky.match(t.Context(), f.Options, f.nodes.value)
			got := found(t, f, Nodes)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing", want)
				}
			}
			for _, check := range []string{"node-machine-unknown", "inventory-without-effect", "node-label-outdated"} {
				if strings.Contains(got, check) != strings.Contains(strings.Join(tt.want, " "), check) {
					t.Errorf("%s: %q", check, got)
				}
			}
		})
	}
}
