package framework

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Nodes without provider-ID that nobody initialises are shown to balancers, and to nobody else.
func TestBalancersSeeNodesWithoutProviderID(t *testing.T) {
	shared := cluster(t).Core().V1().Nodes()
	c := &Cloud{cloud: &run.Cloud{Descriptor: cloud.Descriptor{ProviderIDSchemes: []string{"sim"}}}}
	c.nodes = view.NewNodes(shared, c.mine)
	c.targets = c.nodes.Of(c.handed)
	put(t, shared.Informer(),
		node("ours", "sim://1"), node("new", "", withTaint(uninitializedTaint)), node("bare", ""), node("theirs", "other://1"),
		node("opted-out", "", withLabel(instance.LabelUnmanaged, "true")))
	for want, nodes := range map[string][]*corev1.Node{
		"new ours":                       c.Nodes(),
		"bare new ours":                  c.targets.All(),
		"bare new opted-out ours theirs": c.allNodes(),
	} {
		var names []string
		for _, n := range nodes {
			names = append(names, n.Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("nodes %q, want %q", got, want)
		}
	}
	for _, n := range []*corev1.Node{node("bare", ""), node("bare", "sim://2")} {
		if !c.handed(n) { // so that its event is seen as an update
			t.Errorf("%s with provider-ID %q is hidden", n.Name, n.Spec.ProviderID)
		}
	}
}
