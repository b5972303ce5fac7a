package view

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// A heartbeat makes no other Node for the service controller, which would keep both. What may change targets does.
func TestNodeVersions(t *testing.T) {
	informer := cluster(t).Core().V1().Nodes()
	lister := NewNodes(informer, func(*corev1.Node) bool { return true }).ForBalancers(window, nil, nil).Lister()
	list := func() map[string]*corev1.Node {
		t.Helper()
		nodes, err := lister.List(labels.Everything())
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]*corev1.Node{}
		for _, n := range nodes {
			all[n.Name] = n
		}
		return all
	}
	at := func(change ...func(*corev1.Node)) *corev1.Node {
		return node("a", "sim://1", append([]func(*corev1.Node){withIP("10.0.0.1"), withLabel("zone", "1")}, change...)...)
	}
	put(t, informer.Informer(), at(), node("b", "sim://2"))
	before := list()
	for name, test := range map[string]struct {
		change func(*corev1.Node)
		other  bool
	}{
		"heartbeat": {func(n *corev1.Node) { n.ResourceVersion = "8" }, false},
		"NotReady":  {withReady(corev1.ConditionFalse), false},
		"cordon":    {func(n *corev1.Node) { n.Spec.Unschedulable = true }, false},

		"label":       {withLabel("zone", "2"), true},
		"address":     {withIP("10.0.0.2"), true},
		"annotation":  {func(n *corev1.Node) { n.Annotations = map[string]string{"a": "b"} }, true},
		"provider-ID": {func(n *corev1.Node) { n.Spec.ProviderID = "sim://3" }, true},
		"another":     {func(n *corev1.Node) { n.UID = "other" }, true},
		"leaving":     {func(n *corev1.Node) { n.DeletionTimestamp = &metav1.Time{} }, true},
		"joins":       {withTaint("node.cloudprovider.kubernetes.io/uninitialized"), true},
	} {
		changed := at(test.change)
		put(t, informer.Informer(), changed)
		got := list()
		if (got["a"] == changed) != test.other || (got["a"] == before["a"]) == test.other {
			t.Errorf("%s: the lister returns another node: %t, want %t", name, got["a"] != before["a"], test.other)
		}
		if got["b"] != before["b"] {
			t.Errorf("%s: the other node was exchanged", name)
		}
		put(t, informer.Informer(), at())
		before = list()
	}
	if err := informer.Informer().GetIndexer().Delete(at()); err != nil {
		t.Fatal(err)
	}
	if list(); len(lister.(*nodeLister).versions.known) != 1 {
		t.Error("a node that is gone is kept")
	}
}
