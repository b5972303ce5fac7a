package framework

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	file "github.com/multicloud-ccm/multicloud-ccm/kernel/inventory"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/static"
)

const machinesHead = "apiVersion: static.multicloud-ccm.io/v1\nkind: Inventory\n"

// A Node that has waited for hours, so that its controller looks at it every quarter of an hour, is initialised seconds after the
// inventory has an entry for it. A file that is wrong in between changes nothing.
func TestInventoryIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text atomic.Pointer[string]
		write := func(content string) { text.Store(&content) }
		write(machinesHead)
		listed, err := file.Open(func() ([]byte, error) { return []byte(*text.Load()), nil })
		if err != nil {
			t.Fatal(err)
		}
		driver, err := static.New(t.Context(), cloud.Config{Cloud: "static", Default: true, Inventory: listed, Lookup: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		frameworktest.Logged(t)
		decorated := run.Decorate(driver, run.Options{Descriptor: static.Descriptor(), Inventory: listed})
		server := runningOn(t, decorated, machinesOf(decorated), nil)
		waiting := node("nas-1", "", withTaint(uninitializedTaint), withReady(corev1.ConditionTrue), withIP("192.0.2.1"))
		waiting.ResourceVersion, waiting.CreationTimestamp = "", metav1.Now()
		nodes := server.CoreV1().Nodes()
		if _, err := nodes.Create(t.Context(), waiting, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		get := func() *corev1.Node {
			got, err := nodes.Get(t.Context(), "nas-1", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		time.Sleep(3*time.Hour + time.Second)
		write(machinesHead + "machines: [{nam: nas-1}]\n")
		time.Sleep(time.Minute)
		synctest.Wait()
		if !instance.Uninitialized(get()) {
			t.Error("it is initialised without an entry")
		}
		write(machinesHead + "machines: [{name: nas-1, zone: cellar}]\n")
		time.Sleep(reloadEvery + time.Second)
		synctest.Wait()
		if got := get(); instance.Uninitialized(got) || got.Labels[corev1.LabelTopologyZone] != "cellar" {
			t.Errorf("%s after the file has its entry: %+v", reloadEvery, got)
		}
	})
}
