package framework

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// strip drops what nobody here reads from objects on their way into the informers: most of
// a Node's size. Updates don't lose it: the API server ignores the status in a Node's PUT,
// keeps managed fields that a request lacks, and patches are differences of stripped copies.
func strip(obj any) (any, error) {
	if object, err := meta.Accessor(obj); err == nil {
		object.SetManagedFields(nil)
	}
	if node, ok := obj.(*corev1.Node); ok {
		node.Status.Images = nil
		node.Status.VolumesInUse = nil
		node.Status.VolumesAttached = nil
	}
	return obj, nil
}
