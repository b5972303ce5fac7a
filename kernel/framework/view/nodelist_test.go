package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
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
	if list(); len(lister.(*nodeLister).list.known) != 1 {
		t.Error("a node that is gone is kept")
	}
}

// As long as nothing has changed that balancers depend on, the list is the same one. Whoever is told of a change finds it in the list.
func TestNodeListIsKept(t *testing.T) {
	informer := cluster(t).Core().V1().Nodes()
	targets := NewNodes(informer, mine).ForBalancers(window, NewServices(nil, handover.Signs{}), nil)
	put(t, informer.Informer(), node("b", "sim://2"), node("a", "sim://1"), node("theirs", "other://1"))
	if first, second := targets.All(), targets.All(); &first[0] == &second[0] || targets.Version() != 0 {
		t.Error("a list is kept of whose changes nobody tells")
	}
	var told [][]*corev1.Node
	listing := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { told = append(told, targets.All()) },
		UpdateFunc: func(any, any) { told = append(told, targets.All()) },
		DeleteFunc: func(any) { told = append(told, targets.All()) },
	}
	targets.wrap = func(cache.ResourceEventHandler) cache.ResourceEventHandler { return targets.list.before(listing) }
	handler := targets.filter(nil)
	names := func(nodes []*corev1.Node) (all []string) {
		for _, n := range nodes {
			all = append(all, n.Name+" "+n.Spec.ProviderID)
		}
		return all
	}
	change := func(before, after *corev1.Node) {
		put(t, informer.Informer(), after)
		handler.OnUpdate(before, after)
	}
	known, version := targets.All(), targets.Version()
	for _, step := range []struct {
		name string
		play func()
		want []string
		kept bool
	}{
		{"heartbeat", func() { change(node("a", "sim://1"), node("a", "sim://1", withReady(corev1.ConditionFalse))) }, []string{"a sim://1", "b sim://2"}, true},
		{"another provider-ID", func() { change(node("a", "sim://1"), node("a", "sim://3")) }, []string{"a sim://3", "b sim://2"}, false},
		{"new", func() { put(t, informer.Informer(), node("0", "sim://0")); handler.OnAdd(node("0", "sim://0"), false) }, []string{"0 sim://0", "a sim://3", "b sim://2"}, false},
		{"becomes another's", func() { change(node("0", "sim://0"), node("0", "other://0")) }, []string{"a sim://3", "b sim://2"}, false},
		{"gone", func() {
			if err := informer.Informer().GetIndexer().Delete(node("b", "")); err != nil {
				t.Fatal(err)
			}
			handler.OnDelete(cache.DeletedFinalStateUnknown{Key: "b", Obj: node("b", "sim://2")})
		}, []string{"a sim://3"}, false},
	} {
		told = nil
		if step.play(); len(told) != 1 {
			t.Fatalf("%s: told %d times", step.name, len(told))
		}
		if diff := cmp.Diff(step.want, names(told[0])); diff != "" {
			t.Errorf("%s: listed when it is told (-want +got):\n%s", step.name, diff)
		}
		now := targets.All()
		if kept := &now[0] == &known[0]; kept != step.kept || (targets.Version() == version) != step.kept {
			t.Errorf("%s: the list is kept: %t, version %d after %d, want %t", step.name, kept, targets.Version(), version, step.kept)
		}
		known, version = now, targets.Version()
	}
}

// A Node that is not listed counts too: its machine may be that of another one.
func TestVersionCountsAllNodes(t *testing.T) {
	factory := cluster(t)
	targets := NewNodes(factory.Core().V1().Nodes(), mine).ForBalancers(window, NewServices(factory.Core().V1().Services(), handover.Signs{}), nil)
	handler := targets.filter(handler(&log{}))
	theirs := node("theirs", "other://1", withIP("10.0.0.1"))
	for _, step := range []struct {
		name string
		play func()
		want bool
	}{
		{"new", func() { handler.OnAdd(theirs, false) }, true},
		{"heartbeat", func() {
			handler.OnUpdate(theirs, node("theirs", "other://1", withIP("10.0.0.1"), withReady(corev1.ConditionFalse)))
		}, false},
		{"address", func() { handler.OnUpdate(theirs, node("theirs", "other://1", withIP("10.0.0.2"))) }, true},
		{"gone", func() { handler.OnDelete(theirs) }, true},
	} {
		before := targets.Version()
		if step.play(); (targets.Version() != before) != step.want {
			t.Errorf("%s: version %d after %d", step.name, targets.Version(), before)
		}
	}
}

// The list hears of all that balancers depend on, also of what the service controller is not told.
func TestNodeListHearsOfChanges(t *testing.T) {
	factory := cluster(t)
	informer := factory.Core().V1().Nodes()
	targets := NewNodes(informer, mine).ForBalancers(window, NewServices(factory.Core().V1().Services(), handover.Signs{}), nil)
	told := targets.filter(handler(&log{}))
	before := node("a", "sim://1", withIP("10.0.0.1"))
	put(t, informer.Informer(), before)
	for name, test := range map[string]struct {
		change func(*corev1.Node)
		other  bool
	}{
		"heartbeat": {withReady(corev1.ConditionFalse), false},
		"addresses": {withIP("fd00::1"), true},
		"labels":    {withLabel("pool", "edge"), true},
	} {
		known := targets.All()
		after := node("a", "sim://1", withIP("10.0.0.1"), test.change)
		put(t, informer.Informer(), after)
		told.OnUpdate(before, after)
		if now := targets.All(); (now[0] == after) != test.other || (&now[0] != &known[0]) != test.other {
			t.Errorf("%s: another Node: %t, want %t", name, now[0] == after, test.other)
		}
		put(t, informer.Informer(), before)
		told.OnUpdate(after, before)
	}
}
