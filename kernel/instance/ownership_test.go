package instance

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

func TestOwner(t *testing.T) {
	two := run.Cloud{Descriptor: cloud.Descriptor{ProviderIDSchemes: []string{"test", "alias"}}}
	tests := []struct {
		name       string
		providerID string
		taint      bool
		labels     map[string]string
		want       Ownership
	}{
		{name: "ours", providerID: "test://1", want: Mine},
		{name: "ours, not initialised", providerID: "test://1", taint: true, want: Mine},
		{name: "second scheme", providerID: "alias://1", want: Mine},
		{name: "scheme is a prefix", providerID: "testing://1", want: Foreign},
		{name: "another cloud's", providerID: "other://1", want: Foreign},
		{name: "another cloud's, not initialised", providerID: "other://1", taint: true, want: Foreign},
		{name: "no scheme", providerID: "test", want: Foreign},
		{name: "new", taint: true, want: Mine},
		{name: "no cloud's", want: Unmanaged},
		{name: "opted out", providerID: "test://1", labels: map[string]string{LabelUnmanaged: "true"}, want: OptedOut},
		{name: "opted out while new", taint: true, labels: map[string]string{LabelUnmanaged: "true"}, want: OptedOut},
		{name: "opt-out says false", providerID: "test://1", labels: map[string]string{LabelUnmanaged: "false"}, want: Mine},
		{name: "azure", providerID: "test://1", labels: map[string]string{"kubernetes.azure.com/managed": "false"}, want: OptedOut},
		{name: "azure, managed", providerID: "test://1", labels: map[string]string{"kubernetes.azure.com/managed": "true"}, want: Mine},
		{name: "gke", providerID: "test://1", labels: map[string]string{"components.gke.io/gke-unmanaged-node": "true"}, want: OptedOut},
		{name: "scaleway", providerID: "test://1", labels: map[string]string{"k8s.scw.cloud/disable-lifecycle": ""}, want: OptedOut},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: test.labels}, Spec: corev1.NodeSpec{ProviderID: test.providerID}}
			if test.taint {
				node.Spec.Taints = []corev1.Taint{{Key: "other"}, {Key: taintUninitialized}}
			}
			if got := Owner(node, two.Concerns); got != test.want {
				t.Errorf("Owner() = %s, want %s", got, test.want)
			}
		})
	}
}
