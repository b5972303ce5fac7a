package app

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
)

// A command on a laptop knows the inventory of the running controller manager, or says why it does not: without it, it would say of
// Nodes that wait that they become static.
func TestInventoryOfTheRunningManager(t *testing.T) {
	pod := corev1.PodSpec{
		Containers: []corev1.Container{{VolumeMounts: []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}, {Name: "inventory", MountPath: "/etc/ccm/inventory/"}}}},
		Volumes: []corev1.Volume{
			{Name: "tmp"},
			{Name: "inventory", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "machines"}}}},
		},
	}
	client := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ccm", Name: "machines"}, Data: map[string]string{"inventory.yaml": "kind: Inventory"}})
	for flag, want := range map[string]struct{ content, wrong string }{
		"": {},
		"--cloud-config=/etc/ccm/inventory/inventory.yaml": {content: "kind: Inventory"},
		"--cloud-config=/etc/ccm/inventory/other.yaml":     {wrong: "the ConfigMap machines has no key other.yaml"},
		"--cloud-config=/etc/other.yaml":                   {wrong: "it is of no ConfigMap; give it with --cloud-config, or run the command in a Pod: kubectl -n ccm exec deployment/ccm"},
	} {
		read, err := inventoryOf(t.Context(), client, &doctor.Workload{Kind: "Deployment", Namespace: "ccm", Name: "ccm", Args: []string{flag}, Pod: pod})
		content := ""
		if read != nil {
			text, _ := read()
			content = string(text)
		}
		if content != want.content || (err != nil) != (want.wrong != "") || err != nil && !strings.Contains(err.Error(), want.wrong) {
			t.Errorf("%s: %q, %v", flag, content, err)
		}
	}
	if read, err := inventoryOf(t.Context(), client, nil); read != nil || err != nil {
		t.Errorf("without a controller manager: %v", err)
	}
}
