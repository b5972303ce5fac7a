package digitalocean_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

func TestFirewall(t *testing.T) {
	l := newLab(t, 1, map[string]string{"PUBLIC_ACCESS_FIREWALL_NAME": "k8s-public", "PUBLIC_ACCESS_FIREWALL_TAGS": "k8s-node"}, nil)
	l.server.Tags.Add("k8s-node")
	l.ensure()
	firewalls := l.driver.Firewalls
	if firewalls == nil {
		t.Fatal("not enabled")
	}
	observe := func() cloud.ObservedFirewall {
		t.Helper()
		o, err := firewalls.ObserveFirewall(t.Context())
		l.must(err)
		return o
	}
	if observe().Found {
		t.Fatal("found before it was made")
	}
	openings := append(firewalls.BalancerOpenings(l.observe().Balancer, l.input.ID), cloud.Opening{
		PortRange: cloud.PortRange{Protocol: cloud.ProtocolUDP, From: 30000, To: 30010}, Sources: []string{"0.0.0.0/0", "::/0"},
	})
	openings, err := firewalls.NormalizeFirewall(openings)
	l.must(err)
	apply := func() {
		t.Helper()
		l.must(firewalls.ApplyFirewall(t.Context(), observe(), openings))
		if diff := cmp.Diff(openings, observe().Openings); diff != "" {
			t.Errorf("openings (-want +got):\n%s", diff)
		}
		if observe().Drifted {
			t.Error("drifted")
		}
	}
	apply()
	fw := l.server.State().Firewalls[0]
	for name, edit := range map[string]func(*emulator.Firewall){
		"tags":     func(f *emulator.Firewall) { f.Tags = nil },
		"outbound": func(f *emulator.Firewall) { f.OutboundRules = f.OutboundRules[:1] },
		"a rule that is not ours": func(f *emulator.Firewall) {
			f.InboundRules = append(f.InboundRules, emulator.InboundRule{Protocol: "tcp", Ports: "22", Sources: &emulator.Peers{Tags: []string{"bastion"}}})
		},
	} {
		l.must(l.server.Firewalls.Edit(fw.ID, edit))
		if !observe().Drifted {
			t.Errorf("%s: not drifted", name)
		}
		apply()
	}
	droplet := l.server.State().Droplets[0].ID
	l.must(l.server.Firewalls.Edit(fw.ID, func(f *emulator.Firewall) { f.DropletIDs = []int{droplet} }))
	openings = openings[:1]
	apply()
	if got := l.server.State().Firewalls[0].DropletIDs; len(got) != 1 {
		t.Errorf("droplets put there by hand = %v", got)
	}
	if n := len(l.server.State().Firewalls); n != 1 {
		t.Errorf("there are %d firewalls", n)
	}
}

// TestFirewallListMustBeWhole: a firewall missed on a cut list would be made a second time.
func TestFirewallListMustBeWhole(t *testing.T) {
	l := newLab(t, 0, map[string]string{"PUBLIC_ACCESS_FIREWALL_NAME": "fw", "PUBLIC_ACCESS_FIREWALL_TAGS": "x"}, nil)
	l.server.Tags.Add("x")
	firewalls := l.driver.Firewalls
	l.must(firewalls.ApplyFirewall(t.Context(), cloud.ObservedFirewall{}, nil))
	l.server.AddFault(fault.Fault{Path: "/v2/firewalls", List: &fault.List{}})
	if o, err := firewalls.ObserveFirewall(t.Context()); err == nil {
		t.Errorf("a cut list gave %+v", o)
	}
}
