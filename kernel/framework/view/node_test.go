package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

func mine(n *corev1.Node) bool {
	simulated := run.Cloud{Descriptor: cloud.Descriptor{ProviderIDSchemes: []string{"sim"}}}
	return instance.Owner(n, simulated.Concerns) == instance.Mine
}

func TestNodeViewEvents(t *testing.T) {
	ours, theirs := node("ours", "sim://1"), node("theirs", "other://1")
	changed := func(n *corev1.Node, id string) *corev1.Node {
		c := n.DeepCopy()
		c.Spec.ProviderID = id
		return c
	}
	optedOut := node("ours", "sim://1", withLabel(instance.LabelUnmanaged, "true"))
	tests := []struct {
		name string
		play func(h cache.ResourceEventHandler)
		want []string
	}{
		{"add ours", func(h cache.ResourceEventHandler) { h.OnAdd(ours, false) }, []string{"add ours"}},
		{"add theirs", func(h cache.ResourceEventHandler) { h.OnAdd(theirs, false) }, nil},
		{"new, to be found by name", func(h cache.ResourceEventHandler) {
			h.OnAdd(node("new", "", withTaint(uninitializedTaint)), false)
		}, []string{"add new"}},
		{"of no cloud", func(h cache.ResourceEventHandler) { h.OnAdd(node("bare", ""), false) }, nil},
		{"update ours", func(h cache.ResourceEventHandler) { h.OnUpdate(ours, ours) }, []string{"update ours"}},
		{"update theirs", func(h cache.ResourceEventHandler) { h.OnUpdate(theirs, theirs) }, nil},
		{"leaves", func(h cache.ResourceEventHandler) { h.OnUpdate(ours, optedOut) }, []string{"delete ours"}},
		{"comes", func(h cache.ResourceEventHandler) { h.OnUpdate(theirs, changed(theirs, "sim://2")) }, []string{"add theirs"}},
		{"deleted", func(h cache.ResourceEventHandler) { h.OnDelete(ours) }, []string{"delete ours"}},
		{"tombstone of ours", func(h cache.ResourceEventHandler) {
			h.OnDelete(cache.DeletedFinalStateUnknown{Key: "ours", Obj: ours})
		}, []string{"delete ours"}},
		{"tombstone of theirs", func(h cache.ResourceEventHandler) {
			h.OnDelete(cache.DeletedFinalStateUnknown{Key: "theirs", Obj: theirs})
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen log
			v := NewNodes(nil, mine)
			tt.play(v.filter(handler(&seen)))
			if diff := cmp.Diff(tt.want, seen.Take()); diff != "" {
				t.Errorf("seen (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNodeViewLister(t *testing.T) {
	informer := cluster(t).Core().V1().Nodes()
	put(t, informer.Informer(), node("ours", "sim://1"), node("theirs", "other://1"), node("bare", ""))
	v := NewNodes(informer, mine)
	var names []string
	for _, n := range v.All() {
		names = append(names, n.Name)
	}
	if diff := cmp.Diff([]string{"ours"}, names); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if n, err := v.Lister().Get("ours"); err != nil || n.Name != "ours" {
		t.Errorf("got %v, %v", n, err)
	}
	for _, name := range []string{"theirs", "absent"} {
		if _, err := v.Lister().Get(name); !apierrors.IsNotFound(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
