package view

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
)

// Transform returns the transformation of objects on their way into the informers. It drops
// what nobody here reads, most of a Node's size, and shares what all Nodes repeat. Of the managed fields those stay that say
// who put the finalizer and the address of a Service.
//
// Updates don't lose it: the API server ignores the status in a Node's PUT, keeps managed
// fields that a request lacks, and patches are differences of stripped copies. Labels,
// annotations and spec are in that PUT, so they must stay whole.
func Transform() cache.TransformFunc {
	shared := &stringInterner{words: map[string]string{}}
	return func(obj any) (any, error) {
		if object, err := meta.Accessor(obj); err == nil {
			kept := []metav1.ManagedFieldsEntry(nil)
			if svc, ok := obj.(*corev1.Service); ok {
				kept = handover.Kept(svc)
			}
			object.SetManagedFields(kept)
		}
		if node, ok := obj.(*corev1.Node); ok {
			node.Labels = shared.all(node.Labels, node.Name)
			node.Annotations = shared.all(node.Annotations, node.Name)
			for n := range node.Spec.Taints {
				shareTaint(&node.Spec.Taints[n], shared)
			}
			node.Status = trimStatus(node.Status, node.Name, shared)
		}
		return obj, nil
	}
}

// shareTaint shares the words of a taint: those of a cloud's new Nodes are the same.
func shareTaint(taint *corev1.Taint, shared *stringInterner) {
	taint.Key, taint.Effect = shared.intern(taint.Key), corev1.TaintEffect(shared.intern(string(taint.Effect)))
	if len(taint.Value) <= maxWord {
		taint.Value = shared.intern(taint.Value)
	}
}

// trimStatus keeps the addresses, and of the conditions what the controllers look at. Both
// are in arrays of their own: a slice of the old one would keep all of it.
func trimStatus(status corev1.NodeStatus, name string, shared *stringInterner) corev1.NodeStatus {
	kept := corev1.NodeStatus{Addresses: slices.Clone(status.Addresses)}
	for n := range kept.Addresses {
		address := &kept.Addresses[n]
		address.Type = corev1.NodeAddressType(shared.intern(string(address.Type)))
		if address.Address == name {
			address.Address = name
		}
	}
	for _, c := range status.Conditions {
		if c.Type == corev1.NodeReady || c.Type == corev1.NodeNetworkUnavailable {
			kept.Conditions = append(kept.Conditions, corev1.NodeCondition{
				Type:   corev1.NodeConditionType(shared.intern(string(c.Type))),
				Status: corev1.ConditionStatus(shared.intern(string(c.Status))),
				Reason: shared.intern(c.Reason),
			})
		}
	}
	return kept
}

// maxWords bounds an interner: a cluster has some dozen label keys. Whatever comes when it
// is full stays as it is.
const maxWords = 1024

// maxWord is how long a word is that many objects may repeat, such as a zone.
const maxWord = 63

// stringInterner gives equal strings the same memory. Decoding makes a new string for each label
// key of each Node. unique.Make is not for this: it forgets what nobody holds a handle of.
type stringInterner struct {
	mu    sync.Mutex
	words map[string]string
}

// intern returns s, in the memory of the first one that was equal.
func (v *stringInterner) intern(s string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, ok := v.words[s]
	switch {
	case ok:
		return known
	case len(v.words) < maxWords:
		v.words[s] = s
	}
	return s
}

// all returns a copy of the map with shared keys and, if they are not longer than a word, values. The name of the
// object, which no other has, is in memory once for the object.
func (v *stringInterner) all(m map[string]string, name string) map[string]string {
	if m == nil {
		return nil
	}
	shared := make(map[string]string, len(m))
	for key, value := range m {
		switch {
		case value == name:
			value = name
		case len(value) <= maxWord:
			value = v.intern(value)
		}
		shared[v.intern(key)] = value
	}
	return shared
}
