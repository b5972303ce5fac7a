package hcloud_test

import (
	"net"
	"testing"

	sdk "github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
)

func TestTargetsChange(t *testing.T) {
	a := start(t, hcloud.Options{})
	seeded := a.SeedMachines(30, func(m *hcloud.Machine) { m.Labels = map[string]string{"pool": "a"} })
	metal := a.Robot.Seed(1)[0]
	b := a.balancerOf(sdk.LoadBalancerCreateOpts{Name: "web"})
	server := &sdk.Server{ID: seeded[0].ID}
	a.done(a.LoadBalancer.AddServerTarget(t.Context(), b, sdk.LoadBalancerAddServerTargetOpts{Server: server}))
	a.done(a.LoadBalancer.AddIPTarget(t.Context(), b, sdk.LoadBalancerAddIPTargetOpts{IP: net.ParseIP(metal.IPv4)}))
	if _, _, err := a.LoadBalancer.AddServerTarget(t.Context(), b, sdk.LoadBalancerAddServerTargetOpts{Server: server}); code(err) != sdk.ErrorCodeTargetAlreadyDefined {
		t.Errorf("a target twice: %v", err)
	}
	if _, _, err := a.LoadBalancer.AddLabelSelectorTarget(t.Context(), b, sdk.LoadBalancerAddLabelSelectorTargetOpts{Selector: "pool=a"}); code(err) != sdk.ErrorCodeResourceLimitExceeded {
		t.Errorf("30 servers by label: %v", err)
	}
	a.done(a.LoadBalancer.ChangeType(t.Context(), b, sdk.LoadBalancerChangeTypeOpts{LoadBalancerType: &sdk.LoadBalancerType{ID: 2}}))
	a.done(a.LoadBalancer.AddLabelSelectorTarget(t.Context(), b, sdk.LoadBalancerAddLabelSelectorTargetOpts{Selector: "pool=a"}))
	got := a.now(b)
	if len(got.Targets) != 3 || got.Targets[1].IP.IP != metal.IPv4 || len(got.Targets[2].Targets) != 30 {
		t.Errorf("targets: %+v", got.Targets)
	}
	if _, _, err := a.LoadBalancer.ChangeType(t.Context(), b, sdk.LoadBalancerChangeTypeOpts{LoadBalancerType: &sdk.LoadBalancerType{Name: "lb11"}}); code(err) != sdk.ErrorCodeInvalidLoadBalancerType {
		t.Errorf("a type that is too small: %v", err)
	}
	if err := a.PowerOff(seeded[0].ID); err != nil {
		t.Fatal(err)
	}
	a.done(a.LoadBalancer.RemoveLabelSelectorTarget(t.Context(), b, "pool=a"))
	a.done(a.LoadBalancer.RemoveIPTarget(t.Context(), b, net.ParseIP(metal.IPv4)))
	a.done(a.LoadBalancer.RemoveServerTarget(t.Context(), b, server))
	if got := a.now(b).Targets; len(got) != 0 {
		t.Errorf("after the removals: %+v", got)
	}
	if _, _, err := a.LoadBalancer.RemoveServerTarget(t.Context(), b, server); code(err) != sdk.ErrorCodeInvalidInput {
		t.Errorf("a target that is gone: %v", err)
	}
	a.refused("target/absent", "POST", path(b, "remove_target"), object{"type": "ip", "ip": object{"ip": metal.IPv4}})
}

func TestTargetsThatAreRefused(t *testing.T) {
	a := start(t, hcloud.Options{})
	network := a.AddNetwork(hcloud.Network{IPRange: "10.0.0.0/16", Subnets: []hcloud.Subnet{{IPRange: "10.0.0.0/24"}, {IPRange: "10.0.9.0/24", Type: "vswitch"}}})
	bare := a.AddMachine(hcloud.Machine{Name: "bare"})
	cloud := a.SeedMachines(1)[0]
	a.Robot.Add(robot.Machine{Number: 9, IPv4: "192.0.2.9"})
	b := a.balancerOf(sdk.LoadBalancerCreateOpts{Name: "web"})
	add := func(rule string, body object) {
		t.Helper()
		a.refused(rule, "POST", path(b, "add_target"), body)
	}
	server := func(id int64) object { return object{"type": "server", "server": object{"id": id}} }
	ip := func(ip string) object { return object{"type": "ip", "ip": object{"ip": ip}} }
	add("target/form", object{"type": "cow"})
	add("target/form", object{"type": "server"})
	add("target/form", server(cloud.ID).with(object{"ip": object{"ip": "192.0.2.9"}}))
	add("target/form", ip("nonsense"))
	add("target/form", ip("192.0.2.9").with(object{"use_private_ip": true}))
	add("target/form", object{"type": "label_selector", "label_selector": object{"selector": "a=,"}})
	add("target/server", server(1))
	add("target/no-ipv4", server(bare))
	add("target/cloud-ip", ip(cloud.IPv4))
	add("target/owned", ip("192.0.2.10"))
	add("target/no-network", ip("10.0.9.4"))
	add("target/no-network", server(cloud.ID).with(object{"use_private_ip": true}))
	a.refused("target/removal", "POST", path(b, "remove_target"), server(cloud.ID).with(object{"use_private_ip": false}))
	a.refused("public/network", "POST", path(b, "disable_public_interface"), nil)

	a.done(a.LoadBalancer.AttachToNetwork(t.Context(), b, sdk.LoadBalancerAttachToNetworkOpts{Network: &sdk.Network{ID: network.ID}}))
	add("target/other-network", server(bare).with(object{"use_private_ip": true}))
	add("target/in-vswitch", ip("10.0.8.4"))
	a.want(201, "POST", path(b, "add_target"), ip("10.0.9.4"))
	a.want(201, "POST", path(b, "add_target"), ip("192.0.2.9"))
	a.refused("public/targets", "POST", path(b, "disable_public_interface"), object{})
	a.want(201, "POST", path(b, "remove_target"), ip("192.0.2.9"))
	a.done(a.LoadBalancer.DisablePublicInterface(t.Context(), b))
	add("target/no-public", server(cloud.ID))
	add("target/no-public", ip("192.0.2.9"))
	if err := a.EditNetwork(network.ID, func(n *hcloud.Network) { n.Subnets = n.Subnets[:1] }); err != nil {
		t.Fatal(err)
	}
	add("target/no-vswitch", ip("10.0.9.5"))
	a.done(a.LoadBalancer.EnablePublicInterface(t.Context(), b))
	if !a.now(b).PublicNet.Enabled {
		t.Error("the public interface is off")
	}
}
