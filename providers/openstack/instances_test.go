package openstack

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

func addressesOf(words ...string) (list []cloud.Address) {
	kinds := map[byte]cloud.AddressType{'i': cloud.AddressInternalIP, 'e': cloud.AddressExternalIP, 'h': cloud.AddressHostname}
	for _, word := range words {
		list = append(list, cloud.Address{Type: kinds[word[0]], Address: word[2:]})
	}
	return list
}

// machines makes three servers: one with a floating address, metadata and an address to be
// reached by, one in two networks, and one that is off.
func machines(l *lab) {
	l.change(func(w *world) {
		front, frontSubnets := w.network("front 10.10.0.0/24 fd00:10::/64")
		back, _ := w.network("back 10.20.0.0/24")
		router := w.router(frontSubnets[0])
		var public struct{ Networks []struct{ ID string } }
		w.call("GET", "network", "networks?name=public", nil, &public)
		w.call("PUT", "network", "routers/"+router, object{"router": object{"external_gateway_info": object{"network_id": public.Networks[0].ID}}}, nil)
		first := w.port(front, "10.10.0.11", "fd00:10::11")
		l.facts["floating"] = w.floating(public.Networks[0].ID, first)
		l.facts["one"] = w.server("one", object{"metadata": object{"hostname": "one.example"}, "accessIPv4": "198.51.100.1", "availability_zone": "az1"}, first)
		two := w.port(front, "10.10.0.12", "fd00:10::12")
		other := w.port(back, "10.20.0.12")
		l.facts["two"] = w.server("two", object{"availability_zone": "az2"}, two, other)
		l.facts["ports in order"] = "front"
		if other < two {
			l.facts["ports in order"] = "back"
		}
		l.facts["three"] = w.server("Three.x", object{"availability_zone": "az3"}, w.port(front, "10.10.0.13"))
		w.act(l.facts["three"], "os-stop", "SHUTOFF")
	})
}

func TestMachines(t *testing.T) {
	l := newLab(t, config.Config{})
	machines(l)
	id := func(name string) cloud.InstanceID {
		return cloud.InstanceID(l.fact(name, func(*world) string { return l.facts[name] }))
	}
	one, two, three, floating := id("one"), id("two"), id("three"), string(id("floating"))
	front := []string{"i 10.10.0.12", "i fd00:10::12"}
	both := slices.Concat(front, []string{"i 10.20.0.12"})
	if id("ports in order") == "back" {
		both = slices.Concat([]string{"i 10.20.0.12"}, front)
	}
	want := []cloud.Instance{
		{ID: three, ProviderID: "openstack:///" + string(three), Name: "Three.x", Type: "m1.tiny", Region: "RegionOne", Zone: "az3", State: cloud.StateStopped, Addresses: addressesOf("i 10.10.0.13")},
		{
			ID: one, ProviderID: "openstack:///" + string(one), Name: "one", Type: "m1.tiny", Region: "RegionOne", Zone: "az1", State: cloud.StateRunning,
			Addresses: addressesOf("i 10.10.0.11", "i fd00:10::11", "e 198.51.100.1", "h one.example", "e "+floating),
		},
		{ID: two, ProviderID: "openstack:///" + string(two), Name: "two", Type: "m1.tiny", Region: "RegionOne", Zone: "az2", State: cloud.StateRunning, Addresses: addressesOf(both...)},
	}
	if diff := cmp.Diff(want, l.list()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	// Two pages of servers, three of ports; Neutron says at once which is the last.
	l.cost("list", "GET /servers/detail", "GET /servers/detail", "GET /ports", "GET /ports", "GET /ports")

	for _, machine := range want {
		found, err := l.driver.Get(t.Context(), machine.ID)
		l.must(err)
		if diff := cmp.Diff(map[cloud.InstanceID]cloud.Instance{machine.ID: machine}, found); diff != "" {
			t.Errorf("get (-want +got):\n%s", diff)
		}
		if machine.ID == one {
			l.requests = nil
		}
	}
	for name, want := range map[string]cloud.InstanceID{"one": one, "three.x": three, "Three.x": three, "on": "", "on.": "", "three-x": ""} {
		found, err := l.driver.FindByName(t.Context(), name)
		l.must(err)
		if len(found) > 1 || len(found) == 1 && found[0].ID != want || len(found) == 0 && want != "" {
			t.Errorf("%s: found %v, want %q", name, found, want)
		}
	}
	l.change(func(w *world) { w.deleteServer(string(one)) })
	found, err := l.driver.Get(t.Context(), one)
	if err != nil || len(found) != 0 {
		t.Errorf("get of a deleted server: %v, %v", found, err)
	}
	l.cost("get of a deleted server", "GET /servers/*")
}
