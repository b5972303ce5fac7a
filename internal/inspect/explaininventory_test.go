package inspect

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/inventory"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/static"
)

const machinesFile = `{apiVersion: static.multicloud-ccm.io/v1, kind: Inventory, region: home, machines: [
  {name: nas-1, zone: cellar, type: n100, internalIPs: [192.168.1.9], externalIPs: [203.0.113.7], labels: {disk: hdd}},
  {names: "rack2-*", zone: rack2},
]}`

// staticNode is a Node with a kubelet that has a --node-ip, initialised where it has a provider-ID.
func staticNode(name, providerID, nodeIP string, has map[string]string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: has}, Spec: corev1.NodeSpec{ProviderID: providerID}}
	if providerID == "" {
		node.Spec.Taints = []corev1.Taint{{Key: cloudproviderapi.TaintExternalCloudProvider, Value: "true", Effect: corev1.TaintEffectNoSchedule}}
	}
	if nodeIP != "" {
		node.Annotations = map[string]string{cloudproviderapi.AnnotationAlphaProvidedIPAddr: nodeIP}
	}
	return node
}

// staticInspector looks at Nodes of static machines, with an inventory.
func staticInspector(t *testing.T, nodes ...*corev1.Node) *Inspector {
	t.Helper()
	file, err := inventory.Open(func() ([]byte, error) { return []byte(machinesFile), nil })
	if err != nil {
		t.Fatal(err)
	}
	config := cloud.Config{Cloud: "static", Default: true, Inventory: file, Lookup: func(string) string { return "" }}
	driver, err := static.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	c := run.Decorate(driver, run.Options{Descriptor: static.Descriptor(), Inventory: file})
	return New(Options{Cloud: c, Cluster: Cluster{Nodes: nodes}, Tuning: framework.DefaultTuning()})
}

func TestExplanationOfTheInventory(t *testing.T) {
	zoned := map[string]string{corev1.LabelTopologyZone: "attic", corev1.LabelTopologyRegion: "home", corev1.LabelInstanceTypeStable: "n100"}
	for name, tt := range map[string]struct {
		node *corev1.Node
		want []string
		not  string
	}{
		"the first fits": {
			staticNode("nas-1", "", "192.168.1.5", nil),
			[]string{"machines[0], name nas-1", "it fits: it is the Node's name", "the inventory has them, and the kubelet's --node-ip counts", "the kubelet's --node-ip", "the inventory has it: machines[0], name nas-1"},
			"machines[1]",
		},
		"without --node-ip": {staticNode("nas-1", "", "", nil), []string{"192.168.1.9", "the inventory has it"}, "counts"},
		"the second fits": {
			staticNode("rack2-4", "", "192.168.1.5", nil),
			[]string{"it does not fit: the Node has another name", "machines[1], names rack2-*", "it fits: the Node's name is such a name"}, "",
		},
		"none fits": {
			staticNode("nas-2", "", "192.168.1.5", nil),
			[]string{"! inventory", "no entry of the inventory (--cloud-config) fits the Node; nearest: machines[0], name nas-1; machines[1], names rack2-*"}, "it fits",
		},
		"none fits any more": {staticNode("nas-2", "static://nas-2", "192.168.1.5", nil), []string{"it is static all the same, and keeps its addresses and labels"}, "! inventory"},
		"labels that are not those of the file": {
			staticNode("nas-1", "static://nas-1", "192.168.1.5", zoned),
			[]string{"disk none → hdd, zone attic → cellar", "kubectl label node nas-1 --overwrite disk=hdd topology.kubernetes.io/zone=cellar"}, "region",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := &strings.Builder{}
			if err := staticInspector(t, tt.node).ExplainNode(t.Context(), tt.node).Text(out, layout.Page{Width: 400}); err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is missing", want)
				}
			}
			if tt.not != "" && strings.Contains(out.String(), tt.not) {
				t.Errorf("%q is there", tt.not)
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// Of labels that a Node lacks nothing is said where an API has its machine, nor where its entry was taken out.
func TestLabelsThatNobodyAskedFor(t *testing.T) {
	machine := cloud.Instance{ID: cloud.DescribedInstance("nas-2"), Zone: "attic", Labels: map[string]string{"provided-by": "robot"}}
	lost := staticNode("nas-2", "static://nas-2", "192.168.1.5", map[string]string{corev1.LabelTopologyZone: "cellar"})
	if values := Outdated(staticInspector(t).cloud, lost, machine); len(values) > 0 {
		t.Errorf("of a Node without an entry: %v", values)
	}
	online := &run.Cloud{Descriptor: cloud.Descriptor{Name: "hcloud"}}
	if values := Outdated(online, lost, machine); len(values) != 1 || values[corev1.LabelTopologyZone] != "attic" {
		t.Errorf("of a dedicated server: %v", values)
	}
}

// The plan names Nodes that would be initialised, with all they get, and those that wait, with the reason.
func TestPlanOfTheInventory(t *testing.T) {
	fits, waits := staticNode("nas-1", "", "192.168.1.5", nil), staticNode("nas-2", "", "192.168.1.6", nil)
	i := staticInspector(t, fits, waits)
	var got []string
	for _, node := range []*corev1.Node{fits, waits} {
		for _, op := range i.node(t.Context(), node, existence{}).Operations {
			got = append(got, node.Name+" "+plan.Describe(op)+" "+op.Blocked)
		}
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"nas-1", "static://nas-1", "cellar", "n100", "hdd", "ExternalIP 203.0.113.7", "InternalIP 192.168.1.5", "nas-2", "no entry of the inventory"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
}
