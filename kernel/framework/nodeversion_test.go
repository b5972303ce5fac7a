package framework

import (
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Where Nodes tell of machines, an address that one of them gets makes what is known of machines another.
func TestNodesArePartOfWhatIsKnownOfMachines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fake.NewClientset()
		completed := completedConfig(t, server)
		decorated := run.Decorate(cloudtest.Driver(&racks{}), run.Options{Descriptor: cloud.Descriptor{Name: "sim", ProviderIDSchemes: []string{"sim"}}})
		c := assemble(&Driver{cloud: decorated, options: Options{Tuning: DefaultTuning()}})
		if err := c.connect(completed); err != nil {
			t.Fatal(err)
		}
		if known := c.inventory.Generation(); known != nil {
			t.Errorf("before anybody is told of Nodes: %v", known)
		}
		if _, err := c.targets.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
			t.Fatal(err)
		}
		startInformers(t, c, completed)
		rack := node("rack-1", "sim://here/rack-1", withIP("192.0.2.1"))
		rack.ResourceVersion = ""
		if _, err := server.CoreV1().Nodes().Create(t.Context(), rack, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		settle()
		before := c.inventory.Generation()
		if before == nil || c.inventory.Generation() != before {
			t.Errorf("while nothing changes: %v", before)
		}
		withIP("192.0.2.2")(rack)
		if _, err := server.CoreV1().Nodes().Update(t.Context(), rack, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		settle()
		if c.inventory.Generation() == before {
			t.Error("a Node has another address, and what is known of machines is the same")
		}
	})
}
