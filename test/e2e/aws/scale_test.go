package aws_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
)

// TestFiveThousandNodes join at once, by provider-ID: what they cost is counted in calls. A page
// has 1,000 machines. Of the topology, which is asked for by id, there is one call for each batch. moto does not
// say the ids of zones with the machines, so that there is one more for each 500.
func TestFiveThousandNodes(t *testing.T) {
	const count, pages, topologyPages, zones = 5000, 5, 50, 10
	world := aws.NewWorld(t, aws.WorldOptions{Zones: 1})
	s := on(t, world, nil, siteOptions{})
	world.Boot(t, aws.MachineOptions{})
	s.proxy.Fleet(count)
	inventory := instance.New(instance.Options{Cloud: s.cloud, Nodes: func() []*corev1.Node { return nil }})
	from := len(s.proxy.Calls())
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() {
			id := proxy.FleetID(i)
			node := uninitialized(fmt.Sprintf("node-%d", i), "aws:///"+world.Zone(0)+"/"+id)
			machine, err := inventory.Metadata(t.Context(), node)
			// The node controller asks again too, while a slow machine still reads the list.
			for tries := 1; err != nil && tries < 60; tries++ {
				time.Sleep(time.Second)
				machine, err = inventory.Metadata(t.Context(), node)
			}
			if err != nil || machine.ID != cloud.InstanceID(id) || machine.Type == "" || machine.Zone == "" || len(machine.Addresses) == 0 {
				t.Errorf("%s: %+v, %v", id, machine, err)
			}
		})
	}
	all.Wait()
	calls := s.proxy.Calls()[from:]
	if most := pages + topologyPages + zones + 10; len(calls) > most || len(calls) < pages {
		t.Errorf("%d calls for %d nodes, want at most %d", len(calls), count, most)
	}
	kinds := map[string]int{}
	for _, call := range calls {
		kinds[call.String()]++
	}
	t.Logf("%d nodes with %d calls: %v", count, len(calls), kinds)
}

func uninitialized(name, providerID string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{
		ProviderID: providerID, Taints: []corev1.Taint{{Key: cloudproviderapi.TaintExternalCloudProvider, Effect: corev1.TaintEffectNoSchedule}},
	}}
}
