package instance

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// rackWorld has Nodes that describe their machines: those whose names begin with "rack-".
type rackWorld struct{ *world }

func (w rackWorld) FromNode(node cloud.NodeAttributes) (cloud.Instance, bool) {
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
		for _, has := range [][]corev1.NodeAddress{nil, {{Type: corev1.NodeHostName, Address: "rack-1"}}} {
			rack = rack.DeepCopy()
			rack.Status.Addresses = has
			w.put(rack)
			if _, err := i.Metadata(t.Context(), rack); err == nil || !strings.Contains(err.Error(), "--node-ip") {
				t.Errorf("a new node with the addresses %v: %v", has, err)
			}
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

// vlans is a cloud that does not know the internal addresses of its machines.
type vlans struct{ *world }

func (v vlans) FromNodeAddresses(machine cloud.Instance, node cloud.NodeAttributes) []cloud.Address {
	for _, a := range node.Addresses {
		if a.Address == "172.16.0.5" {
			return []cloud.Address{a}
		}
	}
	return nil
}

// An address that only the Node knows stays on it, at the first look and later, and is one of the target. The Node's order stays.
func TestAddressesOfTheNode(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventoryOf(vlans{w}, nil)
		w.member("other", true)
		node := w.member("node-1", true).DeepCopy()
		node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "172.16.0.5"}}
		w.put(node)
		for range 2 {
			machine, err := i.Metadata(t.Context(), node)
			if err != nil || len(machine.Addresses) < 2 || machine.Addresses[0].Address != "172.16.0.5" {
				t.Errorf("metadata: %+v, %v", machine.Addresses, err)
			}
		}
		found, err := i.Lookup(t.Context(), []cloud.InstanceID{"id-node-1", "id-other"})
		if err != nil || found["id-node-1"].Addresses[0].Address != "172.16.0.5" || len(found["id-other"].Addresses) != len(found["id-node-1"].Addresses)-1 {
			t.Errorf("looked up: %+v, %v", found, err)
		}
	})
}

// One that a second Node has too is there once, in the order of the first by name, whichever the informer has first.
func TestAddressesOfTwoNodesWithOneMachine(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventoryOf(vlans{w}, nil)
		first := w.member("node-1", true)
		for _, name := range []string{"node-1", "node-1-again", "node-0"} {
			node := first.DeepCopy()
			node.Name, node.UID = name, types.UID(name)
			if name != "node-0" {
				node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "172.16.0.5"}}
			}
			w.put(node)
		}
		for n, want := range []int{1, 2} { // node-0 knows no address
			found, err := i.Lookup(t.Context(), []cloud.InstanceID{"id-node-1"})
			if got := len(found["id-node-1"].Addresses); err != nil || got != want {
				t.Errorf("%d nodes: %+v, %v; want %d addresses", len(w.listNodes()), found, err, want)
			}
			if n == 0 {
				w.mu.Lock()
				delete(w.nodes, "node-0")
				w.mu.Unlock()
			}
		}
	})
}

// A machine that is found by name is completed as well.
func TestAddressesOfTheNodeByName(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventoryOf(vlans{w}, nil)
		w.boot("plain")
		node := bare("plain")[0]
		node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "172.16.0.5"}}
		for range 2 { // by a search, then from what it left
			found, err := i.ByName(t.Context(), []*corev1.Node{node})
			all := found["plain"].Addresses
			if err != nil || len(all) != 2 || all[0].Address != "172.16.0.5" {
				t.Errorf("found: %+v, %v", found, err)
			}
		}
	})
}
