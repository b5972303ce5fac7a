package framework

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// late is an empty cloud in which a machine is made later.
type late struct {
	empty
	made atomic.Bool
}

func (l *late) Instances() cloud.Instances { return l }

func (l *late) machines() []cloud.Instance {
	other := cloud.Instance{ID: "1", ProviderID: "sim://here/1", Name: "other", State: cloud.StateRunning, Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}}}
	if !l.made.Load() {
		return []cloud.Instance{other}
	}
	web := other
	web.ID, web.ProviderID, web.Name, web.Addresses = "2", "sim://here/2", "web", []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.2"}}
	return []cloud.Instance{other, web}
}

func (l *late) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Items: l.machines(), Complete: true}, nil
}

func (l *late) Get(_ context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, machine := range l.machines() {
		for _, id := range ids {
			if machine.ID == id {
				found[id] = machine
			}
		}
	}
	return found, nil
}

func (l *late) FindByName(_ context.Context, name string) (found []cloud.Instance, err error) {
	for _, machine := range l.machines() {
		if machine.Name == name {
			found = append(found, machine)
		}
	}
	return found, nil
}

// A Node with the taint of new Nodes whose name no machine has waits, whether its kubelet lives or not, and an event says so. It is never
// deleted, and it is initialised once a machine has its name.
func TestNodeWhoseNameNoMachineHas(t *testing.T) {
	for _, ready := range []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown} {
		t.Run("ready "+string(ready), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { waitsForItsMachine(t, ready) })
		})
	}
}

func waitsForItsMachine(t *testing.T, ready corev1.ConditionStatus) {
	frameworktest.Logged(t)
	driver := &late{}
	decorated := run.Decorate(cloudtest.Driver(driver), run.Options{Descriptor: cloud.Descriptor{Name: "sim", ProviderIDSchemes: []string{"sim"}}})
	server := runningOn(t, decorated, machinesOf(decorated), nil)
	web := node("web", "", withTaint(uninitializedTaint), withReady(ready))
	web.ResourceVersion, web.CreationTimestamp = "", metav1.NewTime(time.Now().Add(-time.Hour))
	nodes := server.CoreV1().Nodes()
	if _, err := nodes.Create(t.Context(), web, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	get := func() *corev1.Node {
		got, err := nodes.Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	time.Sleep(6 * time.Hour)
	synctest.Wait()
	if waiting := get(); !instance.Uninitialized(waiting) || waiting.Spec.ProviderID != "" {
		t.Fatalf("the node after six hours: %+v", waiting.Spec)
	}
	events, err := server.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
	if err != nil || !slices.ContainsFunc(events.Items, func(e corev1.Event) bool {
		return e.Reason == event.InstanceNotFound.Name && e.InvolvedObject.Name == "web"
	}) {
		t.Errorf("events %+v, %v, want %s", events.Items, err, event.InstanceNotFound.Name)
	}
	driver.made.Store(true)
	time.Sleep(time.Hour)
	synctest.Wait()
	if initialised := get(); instance.Uninitialized(initialised) || initialised.Spec.ProviderID != "sim://here/2" {
		t.Errorf("the node an hour after its machine was made: %+v", initialised.Spec)
	}
}
