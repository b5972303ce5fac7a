package instance

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// addressesOf reads "i10.0.0.1 x192.0.2.1 hname": internal and external addresses, and host names.
func addressesOf(text string) []cloud.Address {
	kinds := map[byte]cloud.AddressType{'i': cloud.AddressInternalIP, 'x': cloud.AddressExternalIP, 'h': cloud.AddressHostname}
	var list []cloud.Address
	for _, word := range strings.Fields(text) {
		list = append(list, cloud.Address{Type: kinds[word[0]], Address: word[1:]})
	}
	return list
}

func textOf(addresses []cloud.Address) string {
	var words []string
	for _, a := range addresses {
		words = append(words, map[cloud.AddressType]string{cloud.AddressInternalIP: "i", cloud.AddressExternalIP: "x", cloud.AddressHostname: "h"}[a.Type]+a.Address)
	}
	return strings.Join(words, " ")
}

// withAddresses is a Node with these addresses.
func withAddresses(node *corev1.Node, text string) *corev1.Node {
	node = node.DeepCopy()
	node.Status.Addresses = nil
	for _, a := range addressesOf(text) {
		node.Status.Addresses = append(node.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeAddressType(a.Type), Address: a.Address})
	}
	return node
}

func TestComplete(t *testing.T) {
	fresh := []corev1.Taint{{Key: taintUninitialized}}
	for _, test := range []struct {
		name            string
		can             cloud.Capabilities
		taints          []corev1.Taint
		node, has, want string
	}{
		{"another card comes first", cloud.Capabilities{}, nil, "i10.0.0.5 x192.0.2.5", "i10.9.0.5 i10.0.0.5 x192.0.2.5", "i10.0.0.5 x192.0.2.5 i10.9.0.5"},
		{"two come, in the cloud's order", cloud.Capabilities{}, nil, "i10.0.0.5", "i10.9.0.5 i10.8.0.5 i10.0.0.5", "i10.0.0.5 i10.9.0.5 i10.8.0.5"},
		{"the first one goes", cloud.Capabilities{}, nil, "i10.0.0.5 i10.9.0.5", "i10.9.0.5", "i10.9.0.5"},
		{"all are others", cloud.Capabilities{}, nil, "i10.0.0.5", "i10.9.0.5 i10.8.0.5", "i10.9.0.5 i10.8.0.5"},
		{"the cloud shuffles", cloud.Capabilities{}, nil, "ifd00::1 i10.0.0.1 x192.0.2.1", "x192.0.2.1 i10.0.0.1 ifd00::1", "ifd00::1 i10.0.0.1 x192.0.2.1"},
		{"an address of another type is another one", cloud.Capabilities{}, nil, "x10.0.0.5", "i10.9.0.5 i10.0.0.5", "i10.9.0.5 i10.0.0.5"},
		{"a new Node", cloud.Capabilities{}, fresh, "i10.0.0.5", "i10.9.0.5 i10.0.0.5", "i10.9.0.5 i10.0.0.5"},
		{"none", cloud.Capabilities{}, nil, "i10.0.0.5", "", ""},
		{"renamed in the console", cloud.Capabilities{}, nil, "hn i10.0.0.5", "hweb i10.0.0.5", "hn i10.0.0.5"},
		{"renamed before", cloud.Capabilities{}, nil, "hold i10.0.0.5", "hweb i10.0.0.5", "i10.0.0.5 hn"},
		{"a new Node of another name", cloud.Capabilities{}, fresh, "", "hweb i10.0.0.5", "hn i10.0.0.5"},
		{"host names of the cloud", cloud.Capabilities{Hostnames: true}, nil, "hn", "hip-10-0-0-5.internal i10.0.0.5", "hip-10-0-0-5.internal i10.0.0.5"},
		{"no host name", cloud.Capabilities{}, nil, "hkubelet i10.0.0.5", "i10.0.0.5", "i10.0.0.5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			node := withAddresses(&corev1.Node{Spec: corev1.NodeSpec{Taints: test.taints}}, test.node)
			node.Name = "n"
			has := addressesOf(test.has)
			got := Complete(&run.Cloud{Descriptor: cloud.Descriptor{Capabilities: test.can}}, cloud.Instance{ID: "1", Addresses: has}, node)
			if text := textOf(got.Addresses); text != test.want {
				t.Errorf("%s, want %s", text, test.want)
			}
			if !slices.Equal(has, addressesOf(test.has)) {
				t.Errorf("what is in the cache has become %v", has)
			}
		})
	}
}

// A Node, its targets and its routes have the same first address, and it stays when the cloud shows another one first.
func TestOrderOfAddresses(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		i := w.inventory(nil)
		w.members("n", 2, true)
		node := w.put(withAddresses(w.nodes["n-0"], "i10.0.0.5"))
		w.change("id-n-0", func(machine *cloud.Instance) { machine.Addresses = addressesOf("i10.9.0.5 i10.0.0.5") })
		const want = "i10.0.0.5 i10.9.0.5"
		machine, err := i.Metadata(t.Context(), node)
		if text := textOf(machine.Addresses); err != nil || text != want {
			t.Errorf("the Node's: %s, %v", text, err)
		}
		found, err := i.Lookup(t.Context(), []cloud.InstanceID{"id-n-0", "id-n-1"})
		if text := textOf(found["id-n-0"].Addresses); err != nil || text != want {
			t.Errorf("a target's: %s, %v", text, err)
		}
	})
}

// A new machine whose only addresses reach nobody has none yet, and one that had an address keeps no such one.
func TestAddressesOfNobody(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		i := w.inventory(nil)
		id := w.boot("new")
		w.change(id, func(machine *cloud.Instance) { machine.Addresses = addressesOf("i0.0.0.0 x127.0.0.1 x::") })
		node := w.join("new")
		if _, err := i.Metadata(t.Context(), node); err == nil || !strings.Contains(err.Error(), "no address yet") {
			t.Errorf("error %v", err)
		}
		time.Sleep(time.Minute)
		w.change(id, func(machine *cloud.Instance) { machine.Addresses = addressesOf("i0.0.0.0 i10.0.0.7 x::1") })
		machine, err := i.Metadata(t.Context(), node)
		if text := textOf(machine.Addresses); err != nil || text != "i10.0.0.7" {
			t.Errorf("%s, %v", text, err)
		}
	})
}
