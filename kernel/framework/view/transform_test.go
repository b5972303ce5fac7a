package view

import (
	"strconv"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// whole is a Node with something in every field of its status.
func whole() *corev1.Node {
	now := metav1.Now()
	amount := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}
	n := node("n", "sim://1", withIP("10.0.0.1"), withLabel("arch", "amd64"), withTaint("t"))
	n.Annotations = map[string]string{"a": "b"}
	n.Spec.Taints[0].Value, n.Spec.Taints[0].Effect = "yes", corev1.TaintEffectNoSchedule
	n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
	n.Status = corev1.NodeStatus{
		Capacity: amount, Allocatable: amount, Phase: corev1.NodeRunning,
		Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse},
			{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "m", LastHeartbeatTime: now, LastTransitionTime: now},
			{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionTrue, Reason: "NoRouteCreated"},
		},
		Addresses:        n.Status.Addresses,
		DaemonEndpoints:  corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
		NodeInfo:         corev1.NodeSystemInfo{Architecture: "amd64"},
		Images:           []corev1.ContainerImage{{SizeBytes: 1}},
		VolumesInUse:     []corev1.UniqueVolumeName{"v"},
		VolumesAttached:  []corev1.AttachedVolume{{Name: "v"}},
		Config:           &corev1.NodeConfigStatus{Error: "e"},
		RuntimeHandlers:  []corev1.NodeRuntimeHandler{{Name: "r"}},
		Features:         &corev1.NodeFeatures{},
		DeclaredFeatures: []string{"f"},
	}
	return n
}

func TestStrip(t *testing.T) {
	n := whole()
	want := n.DeepCopy()
	want.ManagedFields = nil
	want.Status = corev1.NodeStatus{
		Addresses: want.Status.Addresses,
		Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"},
			{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionTrue, Reason: "NoRouteCreated"},
		},
	}
	strip := Transform()
	// Informers transform some objects twice.
	for range 2 {
		got, err := strip(n)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stripped (-want +got):\n%s", diff)
		}
	}
	missed := cache.DeletedFinalStateUnknown{Key: "n"}
	if got, err := strip(missed); err != nil || got != missed {
		t.Errorf("tombstone: %v, %v", got, err)
	}
}

// TestTransformShares decodes two Nodes, which gives each strings of its own, and transforms them.
func TestTransformShares(t *testing.T) {
	encoded, err := whole().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	strip := Transform()
	decode := func() (strings map[string]*byte) {
		var n corev1.Node
		if err := n.Unmarshal(encoded); err != nil {
			t.Fatal(err)
		}
		if _, err := strip(&n); err != nil {
			t.Fatal(err)
		}
		ready, taint := n.Status.Conditions[0], n.Spec.Taints[0]
		strings = map[string]*byte{}
		for _, s := range []string{
			string(ready.Type), string(ready.Status), ready.Reason, string(n.Status.Addresses[0].Type), taint.Key, taint.Value, string(taint.Effect),
		} {
			strings[s] = unsafe.StringData(s)
		}
		for _, m := range []map[string]string{n.Labels, n.Annotations} {
			for key, value := range m {
				strings[key], strings[value] = unsafe.StringData(key), unsafe.StringData(value)
			}
		}
		return strings
	}
	first, second := decode(), decode()
	if len(first) < 11 {
		t.Fatalf("only %d strings", len(first))
	}
	for s, memory := range first {
		if second[s] != memory {
			t.Errorf("%q is in memory twice", s)
		}
	}
}

// TestTransformKeepsANameOnce looks at where else a Node has its name.
func TestTransformKeepsANameOnce(t *testing.T) {
	const name = "node-with-a-name"
	encoded, err := (&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status:     corev1.NodeStatus{Addresses: []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}}},
	}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var n corev1.Node
	if err := n.Unmarshal(encoded); err != nil {
		t.Fatal(err)
	}
	if _, err := Transform()(&n); err != nil {
		t.Fatal(err)
	}
	for what, s := range map[string]string{"label": n.Labels[corev1.LabelHostname], "address": n.Status.Addresses[0].Address} {
		if s != name || unsafe.StringData(s) != unsafe.StringData(n.Name) {
			t.Errorf("the %s is %q, in memory of its own", what, s)
		}
	}
}

func TestVocabularyIsBounded(t *testing.T) {
	v := &stringInterner{words: map[string]string{}}
	for n := range 2 * maxWords {
		word := strconv.Itoa(n)
		if got := v.intern(word); got != word {
			t.Fatalf("%q became %q", word, got)
		}
	}
	if len(v.words) != maxWords {
		t.Errorf("%d words, want %d", len(v.words), maxWords)
	}
	if v.all(nil, "n") != nil {
		t.Error("no labels became some")
	}
}
