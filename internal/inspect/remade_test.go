package inspect

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// machines are those of a cloud.
type machines []cloud.Instance

func (m machines) Identity(context.Context) (cloud.Identity, error) {
	return cloud.Identity{Account: "a"}, nil
}
func (machines) Classify(error) cloud.Failure { return cloud.Failure{} }
func (m machines) Instances() cloud.Instances { return m }

func (machines) ParseProviderID(id string) (cloud.InstanceID, error) {
	return cloud.InstanceID(strings.TrimPrefix(id, "fake://")), nil
}

func (m machines) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Items: m, Complete: true}, nil
}

func (m machines) Get(_ context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, machine := range m {
		for _, id := range ids {
			if machine.ID == id {
				found[id] = machine
			}
		}
	}
	return found, nil
}

func (m machines) FindByName(_ context.Context, name string) ([]cloud.Instance, error) {
	var found []cloud.Instance
	for _, machine := range m {
		if machine.Name == name {
			found = append(found, machine)
		}
	}
	return found, nil
}

// TestMachineMadeAgain: of a machine that was made again under the name of a Node both ids are told, and the command that helps.
func TestMachineMadeAgain(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker", UID: "n"}, Spec: corev1.NodeSpec{ProviderID: "fake://17"}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	const want = "its provider-ID is that of machine 17, and machine 42 has its name now: it was made again, and a provider-ID never changes; " +
		"kubectl delete node worker, then restart its kubelet"
	for name, is := range map[string]bool{"worker": true, "other": false} {
		i := New(Options{
			Cloud:   run.Decorate(cloudtest.Driver(machines{{ID: "42", Name: name, ProviderID: "fake://42"}}), run.Options{Descriptor: cloud.Descriptor{Name: "fake", ProviderIDSchemes: []string{"fake"}}}),
			Cluster: Cluster{Nodes: []*corev1.Node{node}}, Tuning: framework.DefaultTuning(),
		})
		var explained, planned strings.Builder
		if err := i.ExplainNode(t.Context(), node).Text(&explained, layout.Page{}); err != nil {
			t.Fatal(err)
		}
		if err := plan.NewReport("fake", nil, i.Nodes(t.Context())).Text(&planned, layout.Page{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(strings.Fields(explained.String()), " "), "! by name 42 ("+want+")"); got != is {
			t.Errorf("machine %s: explain says it %t, want %t:\n%s", name, got, is, &explained)
		}
		if got := strings.Contains(planned.String(), "note: "+want); got != is {
			t.Errorf("machine %s: plan says it %t, want %t:\n%s", name, got, is, &planned)
		}
	}
}
