package hcloud_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
)

const attach, detach = actions + "attach_to_network", actions + "detach_from_network"

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
	l := newLab(t, 1, map[string]string{"private-ipv4": "10.0.0.200", "use-private-ip": "true"})
	l.want("an address", writes(l.ensure()), "POST /load_balancers", attach, actions+"add_target", "PUT "+first)
	if at := l.balancer().PrivateNet; len(at) != 1 || at[0].IP != "10.0.0.200" {
		t.Errorf("attached %+v", at)
	}
	l.annotate(map[string]string{"private-ipv4": "10.0.0.201", "use-private-ip": "true"})
	l.want("another one", writes(l.ensure()), detach, attach, actions+"add_target")
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
				t.Parallel()
				annotations := map[string]string{"use-private-ip": "true"}
				if at != "" {
					annotations["private-ipv4"] = at
				}
				l := newLabWith(t, options, 3, annotations)
				l.ensure()
				annotations["private-ipv4"] = "10.0.0.201"
				l.annotate(annotations)
				l.ensure()
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

// newInternal is a load balancer that is reached and reaches its three nodes by private addresses alone.
func newInternal(t *testing.T, options emulator.Options) *lab {
	t.Helper()
	l := newLabWith(t, options, 3, map[string]string{"disable-public-network": "true", "private-ipv4": "10.0.0.200"})
	l.ensure()
	l.ensure() // the public interface goes
	return l
}

// serves checks that such a load balancer serves at its address.
func (l *lab) serves(ip string) {
	l.Helper()
	if at, targets := l.balancer().PrivateNet, l.targets(); len(at) != 1 || at[0].IP != ip || len(targets) != 3 {
		l.Errorf("attached %+v, targets %q", at, targets)
	}
	if got := l.addresses(); len(got) != 1 || got[0] != ip {
		l.Errorf("the Service is told %q", got)
	}
}

// TestAddressThatIsKnownToBeImpossible: the lists of the cloud say that the address cannot be had. Nothing is detached for it, plan and
// event say what is wrong, nodes come all the same, and the load balancer is as before when the annotation goes.
func TestAddressThatIsKnownToBeImpossible(t *testing.T) {
	for ip, why := range map[string]string{
		"10.0.0.11": "server node-1 has it", "10.0.0.77": "load balancer theirs has it", "10.0.0.1": "gateway", "10.77.0.1": "in a subnet of the network",
		"10.0.128.9": "another network zone",
	} {
		t.Run(ip, func(t *testing.T) {
			t.Parallel()
			l := newInternal(t, emulator.Options{})
			theirs := newLabOn(t, l.server, "theirs", "11111111-0000-4000-8000-123456789abc", map[string]string{"name": "theirs", "private-ipv4": "10.0.0.77"})
			theirs.nodes = l.nodes
			theirs.ensure()
			l.annotate(map[string]string{"disable-public-network": "true", "private-ipv4": ip})
			planned, err := l.manager.Forecast(t.Context(), l.svc, l.nodes)
			if err == nil || !strings.Contains(err.Error(), why) || len(planned.Plan.Executable())+len(planned.Plan.Steps) > 0 {
				t.Errorf("the plan: %v, %+v; want all of it blocked", err, planned.Plan)
			}
			for range 2 {
				requests, err := l.try()
				l.want("refused", writes(requests))
				if err == nil || !l.said(why) || !l.said(annotation.Address.Name) {
					t.Errorf("error %v, events %q", err, l.events)
				}
			}
			l.nodes = append(l.nodes, node(l.server.SeedMachines(1)[0]))
			requests, _ := l.try()
			l.want("a node that joins", writes(requests), actions+"add_target")
			l.nodes = l.nodes[:3]
			l.annotate(map[string]string{"disable-public-network": "true"})
			l.want("without the annotation", writes(l.ensure()), actions+"remove_target")
			theirs.leave()
			l.serves("10.0.0.200")
		})
	}
}

// TestAddressThatIsRefused: no list says that the address cannot be had. The load balancer is put back, and stays there until the
// Service changes.
func TestAddressThatIsRefused(t *testing.T) {
	for name, options := range detachments {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newInternal(t, options)
			l.server.AddFault(fault.Fault{
				Path: "/v1/load_balancers/*/actions/attach_to_network", Times: 1, Status: http.StatusUnprocessableEntity,
				Body: `{"error":{"code":"ip_not_available","message":"the address is reserved","details":null}}`,
			})
			l.annotate(map[string]string{"disable-public-network": "true", "private-ipv4": "10.0.0.201"})
			requests, err := l.try()
			for range 2 {
				if err == nil || !l.said("put back") || !l.said(annotation.Address.Name) {
					t.Fatalf("error %v, events %q", err, l.events)
				}
				var again []string
				again, err = l.try()
				requests = append(requests, again...)
			}
			add := actions + "add_target"
			want := []string{detach, attach, attach, add, add, add}
			if options.DetachKeepsTargets {
				want = want[:3]
			}
			l.want("refused", writes(requests), want...)
			l.serves("10.0.0.200")
			l.annotate(map[string]string{"disable-public-network": "true"})
			l.want("without the annotation", writes(l.ensure()))
			l.annotate(map[string]string{"disable-public-network": "true", "private-ipv4": "10.0.0.202"})
			l.ensure()
			l.serves("10.0.0.202")
		})
	}
}

// TestKilledBetweenDetachAndAttach: the next process does not know the former address, and the new one is refused. The load
// balancer has another one, rather than none.
func TestKilledBetweenDetachAndAttach(t *testing.T) {
	l := newInternal(t, emulator.Options{})
	l.edit(func(b *emulator.Balancer) { b.PrivateNet, b.Targets = nil, nil })
	l.annotate(map[string]string{"disable-public-network": "true", "private-ipv4": "10.0.0.11"})
	l.restart()
	if _, err := l.try(); err == nil || !l.said(annotation.Address.Name) {
		t.Errorf("error %v, events %q", err, l.events)
	}
	if at := l.balancer().PrivateNet; len(at) != 1 || len(l.targets()) != 3 {
		t.Errorf("attached %+v, targets %q", at, l.targets())
	}
}

// TestNetworkWithoutNodes: a process that is told another network, or none, takes no load balancer out of the network of its targets.
func TestNetworkWithoutNodes(t *testing.T) {
	l := newInternal(t, emulator.Options{})
	next := l.server.AddNetwork(emulator.Network{Name: "next", IPRange: "10.9.0.0/16"})
	for name, change := range map[string]func(){
		"no node is in it": func() {},
		"one of three is in it": func() {
			if err := l.server.Attach(l.server.State().Machines[0].ID, next.ID, "10.9.0.5"); err != nil {
				t.Fatal(err)
			}
		},
		"none": func() { l.env["HCLOUD_NETWORK"] = "" },
	} {
		l.env["HCLOUD_NETWORK"] = "next"
		change()
		l.restart()
		requests, err := l.try()
		l.want(name, writes(requests))
		if err == nil || !l.said("HCLOUD_NETWORK") {
			t.Errorf("%s: error %v, events %q", name, err, l.events)
		}
		_ = l.manager.UpdateTargets(t.Context(), l.svc, l.nodes)
		l.want("its targets alone", writes(l.requests()))
		l.serves("10.0.0.200")
	}
}

// TestAnotherNetwork: the load balancer leaves the network that we attached it to, and no other.
func TestAnotherNetwork(t *testing.T) {
	l := newLab(t, 1, nil)
	l.ensure()
	next := l.server.AddNetwork(emulator.Network{Name: "next", IPRange: "10.9.0.0/16"})
	if err := l.server.Attach(l.server.State().Machines[0].ID, next.ID, "10.9.0.5"); err != nil {
		t.Fatal(err)
	}
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
	l.want("attached by hand to another one", writes(l.ensure()), detach, attach)
	if at := l.balancer().PrivateNet; len(at) != 1 || at[0].Network != next.ID {
		t.Errorf("attached %+v", at)
	}
	l.want("again", writes(l.ensure()))
}

const networkLabel = annotation.Prefix + "network"

// elsewhere puts the load balancer into another network, where no node is, as somebody did by hand or with other settings.
func (l *lab) elsewhere() emulator.Network {
	l.Helper()
	other := l.server.AddNetwork(emulator.Network{Name: "other", IPRange: "10.8.0.0/16"})
	l.edit(func(b *emulator.Balancer) {
		b.PrivateNet = []emulator.BalancerAttached{{Network: other.ID, IP: "10.8.0.9"}}
	})
	return other
}

// TestUpstreamsInAnotherNetwork: a load balancer of upstream's that is in another network than that of the configuration moves, as
// the plan says beforehand. The label of the network comes when it is there, and the Service is told no address of another one.
func TestUpstreamsInAnotherNetwork(t *testing.T) {
	l := newLab(t, 2, nil)
	l.upstreamBalancer(nil)
	l.elsewhere()
	forecast, err := l.manager.Forecast(t.Context(), l.svc, l.nodes)
	if err != nil || !strings.Contains(fmt.Sprint(forecast.Plan.Operations), "network") || !strings.Contains(fmt.Sprint(forecast.Plan.Steps), "private") {
		t.Errorf("error %v, plan %+v", err, forecast.Plan)
	}
	l.want("it moves", writes(l.ensure()), "PUT "+first, detach, attach, "PUT "+first)
	b := l.balancer()
	if len(b.PrivateNet) != 1 || b.PrivateNet[0].Network != 4000001 || b.Labels[networkLabel] != "4000001" {
		t.Errorf("attached %+v, labels %v", b.PrivateNet, b.Labels)
	}
	if got := l.addresses(); slices.Contains(got, "10.8.0.9") || !slices.Contains(got, b.PrivateNet[0].IP) {
		t.Errorf("the Service is told %q", got)
	}
	l.want("again", writes(l.ensure()))
}

// TestUpstreamsStaysWhereNodesAre: it does not move where no node is in the network of the configuration. The Service is told so,
// each time, and the label does not say that it was attached.
func TestUpstreamsStaysWhereNodesAre(t *testing.T) {
	l := newLab(t, 2, nil)
	l.upstreamBalancer(nil)
	l.svc.Status.LoadBalancer.Ingress = nil
	l.server.AddNetwork(emulator.Network{Name: "next", IPRange: "10.9.0.0/16"})
	l.env["HCLOUD_NETWORK"] = "next"
	l.restart()
	for n, want := range [][]string{{"PUT " + first}, nil} {
		requests, err := l.try()
		l.want(fmt.Sprintf("look %d", n), writes(requests), want...)
		if err == nil || !l.said("HCLOUD_NETWORK") || !l.said("no node is in this network") {
			t.Errorf("error %v, events %q", err, l.events)
		}
		if b := l.balancer(); b.PrivateNet[0].Network != 4000001 || b.Labels[networkLabel] != "" || len(l.addresses()) > 0 {
			t.Errorf("attached %+v, labels %v, the Service is told %q", b.PrivateNet, b.Labels, l.addresses())
		}
	}
}

// TestAdoptedInAnotherNetwork: a load balancer that was there before the Service does not leave the network that somebody put it
// into. That is said, and refused where the Service needs a private address: it gets no label then.
func TestAdoptedInAnotherNetwork(t *testing.T) {
	l := newLab(t, 2, map[string]string{"name": "by-hand"})
	l.theirs("by-hand", nil)
	other := l.elsewhere()
	for annotation, value := range map[string]string{"use-private-ip": "true", "disable-public-network": "true"} {
		l.annotate(map[string]string{"name": "by-hand", annotation: value})
		requests, err := l.try()
		if err == nil || slices.Contains(requests, attach) || slices.Contains(requests, "PUT "+first) || !l.said("HCLOUD_NETWORK") || !l.said("was there before the Service") || len(l.balancer().Labels) > 0 {
			t.Errorf("%s: requests %q, error %v, events %q, labels %v", annotation, requests, err, l.events, l.balancer().Labels)
		}
	}
	l.annotate(map[string]string{"name": "by-hand"})
	requests := l.ensure()
	if slices.Contains(requests, attach) || slices.Contains(requests, detach) || !l.said("is in network "+fmt.Sprint(other.ID)) {
		t.Errorf("requests %q, events %q", requests, l.events)
	}
	if b := l.balancer(); len(b.PrivateNet) != 1 || b.PrivateNet[0].Network != other.ID || b.Labels[networkLabel] != "" || len(b.Services) != 3 {
		t.Errorf("attached %+v, labels %v, services %v", b.PrivateNet, b.Labels, b.Services)
	}
	if got := l.addresses(); len(got) == 0 || slices.Contains(got, "10.8.0.9") {
		t.Errorf("the Service is told %q", got)
	}
	l.want("again", writes(l.ensure()))
	l.leave()
	if at := l.balancer().PrivateNet; len(at) != 1 || at[0].Network != other.ID {
		t.Errorf("given back: attached %+v", at)
	}
}

// TestLabelOfTheNetworkAfterSuccess: where the load balancer cannot be attached its label does not say that it is.
func TestLabelOfTheNetworkAfterSuccess(t *testing.T) {
	l := newLab(t, 1, map[string]string{"private-ipv4": "10.0.0.200"})
	l.server.AddFault(fault.Fault{
		Path: "/v1/load_balancers/*/actions/attach_to_network", Status: http.StatusUnprocessableEntity,
		Body: `{"error":{"code":"no_subnet_available","message":"no subnet or IP is available","details":null}}`,
	})
	if _, err := l.try(); err == nil || l.balancer().Labels[networkLabel] != "" {
		t.Errorf("error %v, labels %v", err, l.balancer().Labels)
	}
	l.server.ClearFaults()
	l.ensure()
	if b := l.balancer(); len(b.PrivateNet) != 1 || b.Labels[networkLabel] != "4000001" {
		t.Errorf("attached %+v, labels %v", b.PrivateNet, b.Labels)
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
