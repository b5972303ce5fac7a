package instance

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// rackWorld has Nodes that describe their machines: those whose names begin with "rack-".
type rackWorld struct{ *world }

func (w rackWorld) FromNode(node cloud.NodeFacts) (cloud.Instance, bool) {
	if !strings.HasPrefix(node.Name, "rack-") {
		return cloud.Instance{}, false
	}
	return cloud.Instance{ID: cloud.DescribedInstance(node.Name), ProviderID: "test://" + node.Name, Addresses: node.Addresses}, true
}

func TestDescribedMachines(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventoryOf(rackWorld{w}, nil)
		ordinary := w.member("node-1", false)
		rack := w.joinAs("rack-1", "test://rack-1")
		if _, err := i.Metadata(t.Context(), rack); err == nil || !strings.Contains(err.Error(), "--node-ip") {
			t.Errorf("a new node without an address: %v", err)
		}
		rack = rack.DeepCopy()
		rack.Spec.Taints, rack.Status.Addresses = nil, []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.0.2.1"}}
		w.put(rack)
		for range 10 { // it is lost, and young no more
			if exists, err := i.Exists(t.Context(), rack); !exists || err != nil {
				t.Fatalf("exists: %t, %v", exists, err)
			}
			time.Sleep(time.Minute)
		}
		if w.requests > 0 {
			t.Errorf("%d requests", w.requests)
		}
		if count := i.nodes.count(); count.total != 1 || len(count.watched) != 1 || count.watched[0].Name != ordinary.Name {
			t.Errorf("counted: %+v", count)
		}
		found, err := i.Lookup(t.Context(), []cloud.InstanceID{"id-node-1", cloud.DescribedInstance("rack-1"), cloud.DescribedInstance("rack-2")})
		if err != nil || len(found) != 2 {
			t.Errorf("looked up: %v, %v", found, err)
		}
		addresses, err := i.Addresses(t.Context())
		if err != nil || !addresses["192.0.2.1"] || !addresses["10.0.0.1"] {
			t.Errorf("addresses: %v, %v", addresses, err)
		}
		if machine, described := i.nodes.fromNode(ordinary); described {
			t.Errorf("an ordinary node: %+v", machine)
		}
	})
}
