package instance

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func ip(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 1, byte(n)}) }

// at gives a machine an internal address, and a public one.
func (w *world) at(id cloud.InstanceID, n int) {
	w.change(id, func(machine *cloud.Instance) {
		machine.Addresses = []cloud.Address{
			{Type: cloud.AddressExternalIP, Address: fmt.Sprintf("10.0.1.%d", n+100)}, {Type: cloud.AddressInternalIP, Address: ip(n).String()},
		}
	})
}

// The machines of Nodes are known by their addresses for as long as lists are read anyway. Who has another address
// is read anew, and nobody is said to have it only by a list that is believed.
func TestAt(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		i := w.inventory(nil)
		w.members("n", 3, true)
		for n := range 3 {
			w.at(cloud.InstanceID(fmt.Sprintf("id-n-%d", n)), n)
		}
		other := w.boot("other")
		w.at(other, 9)
		at := func(want map[netip.Addr]cloud.InstanceID, lists int, addresses ...netip.Addr) {
			t.Helper()
			before := w.called("list")
			got, err := i.At(t.Context(), addresses)
			if err != nil || !maps.Equal(got, want) {
				t.Errorf("%v, %v; want %v", got, err, want)
			}
			if read := w.called("list") - before; read != lists {
				t.Errorf("%d lists, want %d", read, lists)
			}
		}
		own := map[netip.Addr]cloud.InstanceID{ip(0): "id-n-0", ip(1): "id-n-1"}
		at(own, 1, ip(0), ip(1), ip(1))
		time.Sleep(9 * time.Minute)
		at(own, 0, ip(0), ip(1))
		at(map[netip.Addr]cloud.InstanceID{ip(9): other, ip(109): ""}, 1, ip(9), ip(109)) // a public one is none of the network
		at(map[netip.Addr]cloud.InstanceID{ip(9): other, ip(50): ""}, 0, ip(9), ip(50))
		w.terminate(other)
		time.Sleep(5 * time.Minute)
		at(map[netip.Addr]cloud.InstanceID{ip(9): ""}, 1, ip(9)) // no Node has it: it is read anew
		w.at("id-n-2", 60)
		w.mu.Lock()
		w.onList = func(_ context.Context, list *cloud.InstanceList) error { list.Complete = false; return nil }
		w.mu.Unlock()
		time.Sleep(5 * time.Minute)
		at(map[netip.Addr]cloud.InstanceID{ip(60): "id-n-2"}, 1, ip(60), ip(50)) // who is in a part of the list has it
		w.mu.Lock()
		w.onList = func(context.Context, *cloud.InstanceList) error { return errDown }
		w.mu.Unlock()
		time.Sleep(5 * time.Minute)
		at(own, 0, ip(0), ip(1))
		if got, err := i.At(t.Context(), []netip.Addr{ip(50)}); err == nil {
			t.Errorf("without a list: %v", got)
		}
	})
}

// An address that two machines have is neither's, and is not nobody's, until a list has it once.
func TestAtOfTwoMachines(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		i := w.inventory(nil)
		w.members("n", 2, true)
		twin := w.boot("twin")
		w.at("id-n-0", 1)
		w.at(twin, 1)
		w.at("id-n-1", 2)
		at := func(want map[netip.Addr]cloud.InstanceID) {
			t.Helper()
			if got, err := i.At(t.Context(), []netip.Addr{ip(1), ip(2)}); err != nil || !maps.Equal(got, want) {
				t.Errorf("%v, %v; want %v", got, err, want)
			}
		}
		at(map[netip.Addr]cloud.InstanceID{ip(2): "id-n-1"})
		at(map[netip.Addr]cloud.InstanceID{ip(2): "id-n-1"})
		w.terminate(twin)
		time.Sleep(5 * time.Minute)
		at(map[netip.Addr]cloud.InstanceID{ip(1): "id-n-0", ip(2): "id-n-1"})
	})
}

// Clouds write an IPv6 address in several forms.
func TestAtOfIPv6(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(hetzner)
		i := w.inventory(nil)
		id := w.boot("six")
		w.change(id, func(machine *cloud.Instance) {
			machine.Addresses = []cloud.Address{{Type: cloud.AddressInternalIP, Address: "2600:1900:4000:ABCD:0:0:0:7"}}
		})
		address := netip.MustParseAddr("2600:1900:4000:abcd::7")
		if got, err := i.At(t.Context(), []netip.Addr{address}); err != nil || got[address] != id {
			t.Errorf("%v, %v; want %s", got, err, id)
		}
	})
}
