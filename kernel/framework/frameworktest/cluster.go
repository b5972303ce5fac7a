package frameworktest

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
)

// Cluster is an informer factory over a fake API server whose caches are filled by hand.
func Cluster(t *testing.T) informers.SharedInformerFactory {
	t.Helper()
	return informers.NewSharedInformerFactory(fake.NewClientset(), 0)
}

// Put puts objects into the cache of an informer.
func Put(t *testing.T, informer cache.SharedIndexInformer, objects ...any) {
	t.Helper()
	for _, obj := range objects {
		if err := informer.GetIndexer().Add(obj); err != nil {
			t.Fatal(err)
		}
	}
}

// Said counts the events of Services by reason.
func Said(t *testing.T, server kubernetes.Interface) map[string]int {
	t.Helper()
	list, err := server.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, e := range list.Items {
		if e.InvolvedObject.Kind == "Service" {
			counts[e.Reason] += int(max(e.Count, 1))
		}
	}
	return counts
}
