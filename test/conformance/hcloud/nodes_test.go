package hcloud_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
)

const (
	hostname, internal, external = cloud.AddressHostname, cloud.AddressInternalIP, cloud.AddressExternalIP
	providedBy                   = "instance.hetzner.cloud/provided-by"
)

// What a Node of a cloud server shows, by the address family of the configuration.
func TestCloudServer(t *testing.T) {
	for family, public := range map[string][]cloud.Address{
		"ipv4":      {{Type: external, Address: "203.0.113.7"}},
		"ipv6":      {{Type: external, Address: "2001:db8:7::1"}},
		"dualstack": {{Type: external, Address: "203.0.113.7"}, {Type: external, Address: "2001:db8:7::1"}},
	} {
		t.Run(family, func(t *testing.T) {
			server, network := start(t, emulator.Options{})
			other := server.AddNetwork(emulator.Network{Name: "other", IPRange: "10.9.0.0/16"})
			id := server.AddMachine(emulator.Machine{Name: "node-1", IPv4: "203.0.113.7", IPv6: "2001:db8:7::/64", Private: []emulator.Attachment{
				{Network: other.ID, IP: "10.9.0.5"}, {Network: network.ID, IP: "10.0.0.5"},
			}})
			values := variables(server)
			values["HCLOUD_INSTANCES_ADDRESS_FAMILY"] = family
			got := one(t, mustConnect(t, values), "node-1")
			number := strings.TrimPrefix(got.ProviderID, "hcloud://")
			want := cloud.Instance{
				ID: cloud.InstanceID(number), ProviderID: got.ProviderID, Name: "node-1", Type: got.Type, Region: "fsn1", Zone: "fsn1-dc14", State: cloud.StateRunning,
				Addresses: append(append([]cloud.Address{{Type: hostname, Address: "node-1"}}, public...), cloud.Address{Type: internal, Address: "10.0.0.5"}),
				Labels:    map[string]string{providedBy: "cloud"},
			}
			if family == "ipv6" { // a load balancer reaches it there all the same
				want.Attributes = map[string]string{"public-ipv4": "203.0.113.7"}
			}
			if difference := cmp.Diff(want, got); difference != "" || number != strconv.FormatInt(id, 10) || got.Type == "" {
				t.Errorf("machine %d (-want +got):\n%s", id, difference)
			}
		})
	}
}

// A server without addresses has none, whatever the family (S22). A location that came later is its zone.
func TestBareServer(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.AddMachine(emulator.Machine{Name: "bare", Location: "nbg1"})
	values := variables(server)
	values["HCLOUD_INSTANCES_ADDRESS_FAMILY"] = "dualstack"
	got := one(t, mustConnect(t, values), "bare")
	if difference := cmp.Diff([]cloud.Address{{Type: hostname, Address: "bare"}}, got.Addresses); difference != "" || got.Zone != "nbg1-dc3" {
		t.Errorf("zone %q, addresses (-want +got):\n%s", got.Zone, difference)
	}
	values["HCLOUD_INSTANCES_ZONE_LABEL_ENABLED"] = "false"
	if got := one(t, mustConnect(t, values), "bare"); got.Zone != "" || got.Region != "nbg1" {
		t.Errorf("without zones: zone %q, region %q", got.Zone, got.Region)
	}
}

// one finds the machine of a name, which is the same however it is read.
func one(t *testing.T, driver *cloud.Driver, name string) cloud.Instance {
	t.Helper()
	found, err := driver.Machines.FindByName(t.Context(), name)
	if err != nil || len(found) != 1 {
		t.Fatalf("%d machines, %v", len(found), err)
	}
	list, err := driver.Machines.List(t.Context())
	if err != nil || !list.Complete {
		t.Fatalf("list: %+v, %v", list, err)
	}
	listed := false
	for _, i := range list.Items {
		if i.ID == found[0].ID {
			listed = true
			if difference := cmp.Diff(found[0], i); difference != "" {
				t.Errorf("listed (-found +listed):\n%s", difference)
			}
		}
	}
	if !listed {
		t.Errorf("%s is not in the list", found[0].ID)
	}
	return found[0]
}

// What a Node of a dedicated server shows. IPv6 stands first, as upstream has it.
func TestDedicatedServer(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.SeedMachines(1)
	server.Robot.Add(robot.Machine{Number: 321, Name: "metal-1", Product: "AX41 NVMe (2)", DC: "FSN1-DC16", IPv4: "192.0.2.7", IPv6Net: "2001:db8:3::"})
	values := robots(variables(server))
	values["HCLOUD_INSTANCES_ADDRESS_FAMILY"] = "dualstack"
	driver := mustConnect(t, values)
	got := one(t, driver, "metal-1")
	want := cloud.Instance{
		ID: "robot-321", ProviderID: "hrobot://321", Name: "metal-1", Type: "AX41-NVMe-2", Region: "fsn1", Zone: "fsn1-dc16",
		Addresses: []cloud.Address{{Type: hostname, Address: "metal-1"}, {Type: external, Address: "2001:db8:3::1"}, {Type: external, Address: "192.0.2.7"}},
		Labels:    map[string]string{providedBy: "robot"},
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("machine (-want +got):\n%s", difference)
	}
	for state, off := range map[string]bool{robot.Running: false, robot.ShutOff: true, robot.NotSupported: false} {
		if err := server.Robot.Edit(321, func(m *robot.Machine) { m.Operating = state }); err != nil {
			t.Fatal(err)
		}
		if read := get(t, driver, "robot-321"); (read.State == cloud.StateStopped) != off || read.State == cloud.StateUnknown {
			t.Errorf("%s: state %q", state, read.State)
		}
	}
	if err := server.Robot.Edit(321, func(m *robot.Machine) { m.NoReset, m.IPv4, m.IPv6Net = true, "", "" }); err != nil {
		t.Fatal(err)
	}
	if read := get(t, driver, "robot-321"); read.State != cloud.StateRunning || len(read.Addresses) != 1 {
		t.Errorf("without reset and addresses: %+v", read)
	}
	if err := server.Robot.Remove(321); err != nil {
		t.Fatal(err)
	}
	if found, err := driver.Machines.Get(t.Context(), "robot-321"); err != nil || len(found) != 0 {
		t.Errorf("one that is gone: %v, %v", found, err)
	}
	if list, err := driver.Machines.List(t.Context()); err != nil || !list.Complete || len(list.Items) != 1 {
		t.Errorf("an account without servers: %+v, %v", list, err)
	}
}

func get(t *testing.T, driver *cloud.Driver, id cloud.InstanceID) cloud.Instance {
	t.Helper()
	found, err := driver.Machines.Get(t.Context(), id)
	if err != nil || len(found) != 1 {
		t.Fatalf("reading %s: %v, %v", id, found, err)
	}
	return found[id]
}

// A dedicated server whose name differs from its Node's is not gone (S12): it is read by its number. Ids of
// both kinds do not collide.
func TestSameNumberAndOtherName(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.AddMachine(emulator.Machine{ID: 321, Name: "node-1"})
	server.Robot.Add(robot.Machine{Number: 321, Name: "renamed"})
	driver := mustConnect(t, robots(variables(server)))
	for providerID, name := range map[string]string{"hcloud://321": "node-1", "hrobot://321": "renamed", "hcloud://bm-321": "renamed"} {
		id, err := driver.Machines.ParseProviderID(providerID)
		if err != nil {
			t.Fatal(err)
		}
		if got := get(t, driver, id); got.Name != name {
			t.Errorf("%s is %q, want %q", providerID, got.Name, name)
		}
	}
	list, err := driver.Machines.List(t.Context())
	if want := []cloud.InstanceID{"321", "robot-321"}; err != nil || cmp.Diff(want, ids(list.Items)) != "" {
		t.Errorf("listed %v, %v", ids(list.Items), err)
	}
}

// With upstream's rule a dedicated server of another name than its Node is another machine: the Node's is gone.
func TestNameMustMatch(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.Robot.Add(robot.Machine{Number: 321, Name: "metal-1"})
	values := robots(variables(server))
	values["ROBOT_NAME_MUST_MATCH"] = "true"
	driver := mustConnect(t, values)
	c := run.Decorate(driver, run.Options{Descriptor: hcloud.Descriptor()})
	id, err := instance.ID(c, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "metal-1"}, Spec: corev1.NodeSpec{ProviderID: "hcloud://bm-321"}})
	if err != nil || one(t, driver, "metal-1").ID != id || get(t, driver, id).ProviderID != "hrobot://321" {
		t.Errorf("%q, %v", id, err)
	}
	if err := server.Robot.Edit(321, func(m *robot.Machine) { m.Name = "free" }); err != nil {
		t.Fatal(err)
	}
	if found, err := driver.Machines.Get(t.Context(), id); err != nil || len(found) > 0 {
		t.Errorf("it was renamed: %v, %v", found, err)
	}
	if same, err := instance.ID(c, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}, Spec: corev1.NodeSpec{ProviderID: "hcloud://321"}}); err != nil || same != "321" {
		t.Errorf("a cloud server is %q, %v", same, err)
	}
}

// Unless they are switched on dedicated servers are somebody else's, whoever wrote their provider-IDs.
func TestDedicatedServersAreOff(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	values := variables(server)
	for _, enabled := range []string{"false", "true"} {
		values["ROBOT_ENABLED"] = enabled
		c := run.Decorate(mustConnect(t, values), run.Options{Descriptor: hcloud.Descriptor()})
		for id, dedicated := range map[string]bool{"hcloud://321": false, "hcloud://x": false, "hrobot://321": true, "hcloud://bm-321": true, "hrobot://x": true} {
			if got := c.Concerns(id); got != (!dedicated || enabled == "true") {
				t.Errorf("ROBOT_ENABLED=%s: %s concerns us: %t", enabled, id, got)
			}
		}
	}
}

// A cloud server and a dedicated server of the same name are two machines, which the kernel refuses.
func TestAmbiguousName(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.AddMachine(emulator.Machine{Name: "twin"})
	server.Robot.Add(robot.Machine{Number: 1, Name: "twin"})
	found, err := mustConnect(t, robots(variables(server))).Machines.FindByName(t.Context(), "twin")
	if err != nil || len(found) != 2 {
		t.Errorf("%v, %v", ids(found), err)
	}
}

func TestMalformedProviderIDs(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	driver := mustConnect(t, robots(variables(server)))
	for _, id := range []string{
		"hcloud://", "hcloud://-1", "hcloud://+1", "hcloud://01", "hcloud://0", "hcloud://1x", "hcloud://hcloud://1", "hcloud://1/2", "hcloud://bm-", "hcloud://bm--1",
		"hrobot://bm-1", "hrobot://", "hrobot://x", "1", "hcloud:1", "hcloud://99999999999999999999",
	} {
		if got, err := driver.Machines.ParseProviderID(id); err == nil {
			t.Errorf("%s is %q", id, got)
		}
	}
}

// While Robot's limit is used up the cloud servers are listed all the same, and nobody counts as gone.
func TestRobotLocked(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.SeedMachines(3)
	server.Robot.Seed(2)
	driver := mustConnect(t, robots(variables(server)))
	server.Robot.SetLimits(1, 1)
	if list, err := driver.Machines.List(t.Context()); err != nil || !list.Complete || len(list.Items) != 5 {
		t.Fatalf("before: %+v, %v", list, err)
	}
	list, err := driver.Machines.List(t.Context())
	if err != nil || list.Complete || len(list.Items) != 3 {
		t.Errorf("while locked: complete %t, %d machines, %v", list.Complete, len(list.Items), err)
	}
	_, err = driver.Machines.FindByName(t.Context(), "node-0")
	if got := driver.Classify(err); got.Class != cloud.FailureThrottled || got.RetryAfter == 0 {
		t.Errorf("looking for a name: %+v of %v", got, err)
	}
	server.Robot.SetLogin("robot-user", "another")
	if _, err = driver.Machines.Get(t.Context(), "robot-2000001"); driver.Classify(err).Class != cloud.FailureUnauthorized {
		t.Errorf("a wrong password: %v", err)
	}
}

// The Node of a dedicated server without credentials for Robot is all there is to know of it.
func TestDedicatedServerWithoutCredentials(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	values := variables(server)
	values["ROBOT_ENABLED"] = "true"
	driver := mustConnect(t, values)
	node := cloud.NodeAttributes{Name: "metal-1", ProviderID: "hrobot://321", Addresses: []cloud.Address{{Type: internal, Address: "10.1.0.5"}}}
	machine, described := driver.Machines.Describer.FromNode(node)
	if !described || machine.ID != cloud.DescribedInstance("robot-321") || machine.Labels[providedBy] != "robot" {
		t.Errorf("described %t: %+v", described, machine)
	}
	if _, err := driver.Machines.Get(t.Context(), "robot-321"); err == nil || driver.Classify(err).Class == cloud.FailureNotFound {
		t.Errorf("whose Node is gone: %v", err)
	}
	if len(server.Robot.Requests()) > 0 {
		t.Error("Robot was asked")
	}
	if _, described := mustConnect(t, robots(values)).Machines.Describer.FromNode(node); described {
		t.Error("described although Robot can be asked")
	}
}

// The internal address of a dedicated server is what its kubelet says, in the families of the configuration.
func TestForwardedAddresses(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	values := robots(variables(server))
	machine := cloud.Instance{ID: "robot-321", Addresses: []cloud.Address{{Type: external, Address: "192.0.2.7"}}}
	node := cloud.NodeAttributes{Addresses: []cloud.Address{
		{Type: hostname, Address: "metal-1"}, {Type: internal, Address: "10.1.0.5"}, {Type: internal, Address: "fd00::5"}, {Type: internal, Address: "192.0.2.7"}, {Type: external, Address: "192.0.2.9"},
	}}
	kept := func() []cloud.Address {
		return mustConnect(t, values).Machines.Completer.FromNodeAddresses(machine, node)
	}
	if got := kept(); len(got) != 1 || got[0].Address != "10.1.0.5" {
		t.Errorf("ipv4: %v", got)
	}
	values["HCLOUD_INSTANCES_ADDRESS_FAMILY"] = "dualstack"
	if got := kept(); len(got) != 2 || got[1].Address != "fd00::5" {
		t.Errorf("dualstack: %v", got)
	}
	values["ROBOT_FORWARD_INTERNAL_IPS"] = "false"
	if got := kept(); len(got) != 0 {
		t.Errorf("switched off: %v", got)
	}
	values["ROBOT_FORWARD_INTERNAL_IPS"], machine.ID = "true", "321"
	if got := kept(); len(got) != 0 {
		t.Errorf("a cloud server: %v", got)
	}
}
