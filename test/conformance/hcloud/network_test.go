package hcloud_test

import (
	"fmt"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
)

// TestPrivateTargets: one target after the other is replaced, so that the load balancer always has one.
func TestPrivateTargets(t *testing.T) {
	l := newLab(t, 3, nil)
	l.ensure()
	l.annotate(map[string]string{"use-private-ip": "true"})
	remove, add := actions+"remove_target", actions+"add_target"
	l.want("private targets", writes(l.ensure()), remove, add, remove, add, remove, add)
	for _, target := range l.balancer().Targets {
		if !target.UsePrivateIP {
			t.Errorf("target %+v", target)
		}
	}
	l.want("again", writes(l.ensure()))
}

// TestPrivateAddress: an address or a subnet that is asked for takes an action of its own.
func TestPrivateAddress(t *testing.T) {
	const attach, detach = actions + "attach_to_network", actions + "detach_from_network"
	l := newLab(t, 1, map[string]string{"private-ipv4": "10.0.0.200", "use-private-ip": "true"})
	l.want("an address", writes(l.ensure()), "POST /load_balancers", attach, actions+"add_target")
	if at := l.balancer().PrivateNet; len(at) != 1 || at[0].IP != "10.0.0.200" {
		t.Errorf("attached %+v", at)
	}
	l.annotate(map[string]string{"private-ipv4": "10.0.0.201", "use-private-ip": "true"})
	l.want("another one", writes(l.ensure()), detach, attach)
	l.annotate(map[string]string{"use-private-ip": "true"})
	l.want("taken away", writes(l.ensure()))

	l = newLab(t, 1, map[string]string{"private-subnet-ip-range": "10.0.64.0/18"})
	l.ensure()
	if at := l.balancer().PrivateNet; len(at) != 1 || at[0].IP[:len("10.0.64.")] != "10.0.64." {
		t.Errorf("attached %+v", at)
	}
	l.annotate(map[string]string{"private-subnet-ip-range": "10.0.0.0/18"})
	l.want("another subnet", writes(l.ensure()))
	if !l.said("LoadBalancerImmutableChange") {
		t.Errorf("events %q", l.events)
	}
}

// detachments are both guesses of what becomes of targets with private addresses when a load balancer leaves its network, and
// of how soon an action ends.
var detachments = map[string]emulator.Options{
	"they go": {}, "they stay": {DetachKeepsTargets: true}, "they go at once": {AtOnce: true}, "they stay, at once": {AtOnce: true, DetachKeepsTargets: true},
}

// targets are those of the load balancer.
func (l *lab) targets() (list []string) {
	l.Helper()
	for _, target := range l.balancer().Targets {
		list = append(list, fmt.Sprintf("%d %t", target.Server.ID, target.UsePrivateIP))
	}
	return list
}

// TestAddressOfServingBalancer: when the private address changes, the load balancer has all its targets before anybody says
// that it is ensured, whatever the detachment takes along, and however soon actions end.
func TestAddressOfServingBalancer(t *testing.T) {
	for name, options := range detachments {
		for _, at := range []string{"", "10.0.0.200"} {
			t.Run(name+" from "+at, func(t *testing.T) {
				annotations := map[string]string{"use-private-ip": "true"}
				if at != "" {
					annotations["private-ipv4"] = at
				}
				l := newLabWith(t, options, 3, annotations)
				l.ensure()
				annotations["private-ipv4"] = "10.0.0.201"
				l.annotate(annotations)
				t.Log(l.ensure())
				if at := l.balancer().PrivateNet; len(at) != 1 || at[0].IP != "10.0.0.201" {
					t.Errorf("attached %+v", at)
				}
				if targets := l.targets(); len(targets) != 3 {
					t.Errorf("targets %q", targets)
				}
				l.want("again", writes(l.ensure()))
			})
		}
	}
}

// TestAnotherNetwork: the load balancer leaves the network that we attached it to, and no other.
func TestAnotherNetwork(t *testing.T) {
	l := newLab(t, 1, nil)
	l.ensure()
	next := l.server.AddNetwork(emulator.Network{Name: "next", IPRange: "10.9.0.0/16"})
	l.env["HCLOUD_NETWORK"] = "next"
	l.restart()
	l.want("another network", writes(l.ensure()), actions+"detach_from_network", actions+"attach_to_network", "PUT "+first)
	if at := l.balancer().PrivateNet; len(at) != 1 || at[0].Network != next.ID {
		t.Errorf("attached %+v", at)
	}
	l.want("again", writes(l.ensure()))

	by := l.server.AddNetwork(emulator.Network{Name: "by-hand", IPRange: "10.8.0.0/16"})
	l.edit(func(b *emulator.Balancer) {
		b.PrivateNet = []emulator.BalancerAttached{{Network: by.ID, IP: "10.8.0.9"}}
	})
	requests, err := l.try()
	l.want("attached by hand to another one", writes(requests), actions+"attach_to_network")
	if err == nil || l.balancer().PrivateNet[0].Network != by.ID {
		t.Errorf("error %v, attached %+v", err, l.balancer().PrivateNet)
	}
}

// TestDedicatedTargets: a dedicated server is a target by its address.
func TestDedicatedTargets(t *testing.T) {
	l := newLab(t, 1, nil)
	l.server.Robot.Add(robot.Machine{Number: 2000001, Name: "metal", IPv4: "198.51.100.7"})
	robots(l.env)
	metal := node(emulator.Machine{ID: 1, Name: "metal"})
	metal.Spec.ProviderID = "hrobot://2000001"
	l.nodes = append(l.nodes, metal)
	l.restart()
	l.ensure()
	targets := l.balancer().Targets
	if len(targets) != 2 || targets[1].IP == nil || targets[1].IP.IP != "198.51.100.7" {
		t.Errorf("targets %+v", targets)
	}
	l.want("again", writes(l.ensure()))
	l.env["HCLOUD_INSTANCES_ADDRESS_FAMILY"] = "ipv6" // Nodes do not have the address then
	l.restart()
	l.want("with IPv6 Nodes", writes(l.ensure()))
	l.annotate(map[string]string{annotation.NodeSelector.Name: "pool=none"})
	l.nodes[0].Labels = map[string]string{"pool": "none"}
	l.want("not selected", writes(l.ensure()), actions+"remove_target")
}

// TestForeignTargets: what labels select stays, and an address of nobody goes.
func TestForeignTargets(t *testing.T) {
	l := newLab(t, 2, nil)
	l.ensure()
	l.edit(func(b *emulator.Balancer) {
		b.Targets = append(b.Targets,
			emulator.Target{Type: "label_selector", LabelSelector: &emulator.TargetSelector{Selector: "pool=edge"}},
			emulator.Target{Type: "ip", IP: &emulator.TargetIP{IP: "198.51.100.9"}})
	})
	l.want("targets by hand", writes(l.ensure()), actions+"remove_target")
	if targets := l.balancer().Targets; len(targets) != 3 || targets[2].LabelSelector == nil {
		t.Errorf("targets %+v", targets)
	}
	l.annotate(map[string]string{"use-private-ip": "true"})
	l.ensure()
	l.want("again", writes(l.ensure()))
}
