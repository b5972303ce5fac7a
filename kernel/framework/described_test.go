package framework

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// racks is a cloud without machines whose cluster has servers in a rack.
type racks struct{ empty }

func (r *racks) FromNode(node cloud.NodeAttributes) (cloud.Instance, bool) {
	if !strings.HasPrefix(node.Name, "rack-") {
		return cloud.Instance{}, false
	}
	return cloud.Instance{ID: cloud.DescribedInstance(node.Name), ProviderID: "sim://here/" + node.Name, Zone: "cellar", Addresses: node.Addresses}, true
}

// A Node that describes its machine is initialised with the addresses of its kubelet, offered as a
// target, and stays although it is lost for an hour: no cloud is asked about it.
func TestDescribedNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		driver, balancers, errs := &racks{}, &balancing{}, frameworktest.Logged(t)
		decorated := run.Decorate(cloudtest.Driver(driver), run.Options{Descriptor: cloud.Descriptor{Name: "sim", ProviderIDSchemes: []string{"sim"}}})
		server := runningOn(t, decorated, machinesOf(decorated), balancers)
		rack := node("rack-1", "", withTaint(uninitializedTaint), withReady(corev1.ConditionTrue), withIP("192.0.2.1"))
		rack.ResourceVersion, rack.CreationTimestamp = "", metav1.Now()
		nodes := server.CoreV1().Nodes()
		if _, err := nodes.Create(t.Context(), rack, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		svc := service("web")
		svc.ResourceVersion = ""
		if _, err := server.CoreV1().Services("shop").Create(t.Context(), svc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		settle()
		rack, err := nodes.Get(t.Context(), "rack-1", metav1.GetOptions{})
		if err != nil || instance.Uninitialized(rack) || rack.Spec.ProviderID != "sim://here/rack-1" || rack.Labels[corev1.LabelTopologyZone] != "cellar" ||
			len(rack.Status.Addresses) != 1 || rack.Status.Addresses[0].Address != "192.0.2.1" {
			t.Fatalf("node %+v, %v", rack, err)
		}
		rack.Status.Conditions[0].Status = corev1.ConditionUnknown
		if _, err := nodes.UpdateStatus(t.Context(), rack, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if _, err := nodes.Get(t.Context(), "rack-1", metav1.GetOptions{}); err != nil {
			t.Errorf("the node after an hour: %v", err)
		}
		if asked := driver.asked.Load(); asked > 0 {
			t.Errorf("the cloud was asked %d times", asked)
		}
		if logged := errs.Take(); len(logged) > 0 {
			t.Errorf("logged as errors: %q", logged)
		}
		if lines := strings.Join(balancers.Take(), ", "); !strings.Contains(lines, "web 1") {
			t.Errorf("not offered as a target: %s", lines)
		}
	})
}
