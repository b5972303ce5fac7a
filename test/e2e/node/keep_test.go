package node_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The CCM holds Nodes without most of their status and writes them back: what it does not
// hold must survive that, and so must what somebody else wrote.
func TestInitialiseKeepsTheRest(t *testing.T) {
	s := open(t)
	d := s.machines.seed(1)[0]
	joins := d.Node()
	joins.Ready, joins.Labels, joins.Annotations = true, map[string]string{"team": "blue"}, map[string]string{"csi": "state"}
	joins.Taints = []corev1.Taint{{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}}
	_, err := s.JoinNode(s.within(patience), joins)
	s.must(err)
	nodes := s.Client().CoreV1().Nodes()
	node, err := nodes.Get(s.within(patience), d.Name, metav1.GetOptions{})
	s.must(err)
	node.Status.Images = []corev1.ContainerImage{{Names: []string{"registry/image:1"}, SizeBytes: 1}}
	node.Status.VolumesInUse = []corev1.UniqueVolumeName{"driver/volume"}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = 10250
	before, err := nodes.UpdateStatus(s.within(patience), node, metav1.UpdateOptions{})
	s.must(err)

	s.start()
	after := s.node(d.Name, addressed)

	status := before.Status.DeepCopy()
	status.Addresses = after.Status.Addresses
	if diff := cmp.Diff(*status, after.Status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before.Annotations, after.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	for key, want := range before.Labels {
		if got := after.Labels[key]; got != want {
			t.Errorf("label %s is %q, want %q", key, got, want)
		}
	}
	if !tainted(after, "dedicated") {
		t.Errorf("taints %v", after.Spec.Taints)
	}
	if len(after.ManagedFields) <= len(before.ManagedFields) {
		t.Errorf("%d managers of fields, before there were %d", len(after.ManagedFields), len(before.ManagedFields))
	}
}
