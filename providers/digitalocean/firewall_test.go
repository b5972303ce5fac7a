package digitalocean

import (
	"testing"

	"github.com/digitalocean/godo"
	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/firewall"
)

func TestBalancerOpenings(t *testing.T) {
	everyone := []string{"0.0.0.0/0", "::/0"}
	tests := []struct {
		name        string
		annotations map[string]string
		edit        func(*cloud.Input)
		id          string
		want        []cloud.Opening
	}{
		{
			name: "network balancer", id: "lb",
			want: []cloud.Opening{
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 80, To: 80}, Sources: everyone},
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 443, To: 443}, Sources: everyone},
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 10256, To: 10256}, Balancers: []string{"lb"}},
			},
		},
		{
			name: "before it has an id",
			want: []cloud.Opening{
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 80, To: 80}, Sources: everyone},
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 443, To: 443}, Sources: everyone},
			},
		},
		{
			name: "overridden health check and source ranges", id: "lb",
			annotations: map[string]string{"override-health-check": ""},
			edit:        func(s *cloud.Input) { s.SourceRanges, s.Ports = prefixes("203.0.113.0/24"), s.Ports[:1] },
			want: []cloud.Opening{
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 80, To: 80}, Sources: []string{"203.0.113.0/24"}},
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 30080, To: 30080}, Balancers: []string{"lb"}},
			},
		},
		{
			name: "allow rules", id: "",
			annotations: map[string]string{"allow-rules": "ip:192.0.2.1,ip:2001:db8::1,cidr:10.0.0.0/8"},
			edit:        func(s *cloud.Input) { s.Ports = s.Ports[:1] },
			want: []cloud.Opening{
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 80, To: 80}, Sources: []string{"10.0.0.0/8", "192.0.2.1/32", "2001:db8::1/128"}},
			},
		},
		{name: "internal", id: "lb", annotations: map[string]string{"network": "INTERNAL"}},
		{name: "regional", id: "lb", annotations: map[string]string{"type": "REGIONAL"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := testSpec(t, test.annotations)
			if test.edit != nil {
				test.edit(&in)
			}
			d := testDriver()
			b, _, err := d.Normalize(in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, d.BalancerOpenings(b, test.id)); diff != "" {
				t.Errorf("openings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFirewallLimit: what the kernel may ask for is what the API stores: 50 rules, those that let
// everything out included, of 1,000 sources each.
func TestFirewallLimit(t *testing.T) {
	c := Descriptor().Capabilities
	if n := c.FirewallRules + len(firewall.Outbound()); n != 50 || c.FirewallSources != 1000 {
		t.Errorf("%d rules of %d sources, want 50 of 1000", n, c.FirewallSources)
	}
}

func TestObservedOpenings(t *testing.T) {
	from := func(addresses ...string) *godo.Sources { return &godo.Sources{Addresses: addresses} }
	tests := []struct {
		name  string
		rules []godo.InboundRule
		want  []cloud.Opening
		known bool
	}{
		{
			name: "ours, in any order",
			rules: []godo.InboundRule{
				{Protocol: "udp", PortRange: "53", Sources: from("::/0", "0.0.0.0/0")},
				{Protocol: "tcp", PortRange: "80-90", Sources: &godo.Sources{LoadBalancerUIDs: []string{"b", "a"}}},
			},
			want: []cloud.Opening{
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 80, To: 90}, Balancers: []string{"a", "b"}},
				{PortRange: cloud.PortRange{Protocol: cloud.ProtocolUDP, From: 53, To: 53}, Sources: []string{"0.0.0.0/0", "::/0"}},
			},
			known: true,
		},
		{name: "all ports", rules: []godo.InboundRule{{Protocol: "tcp", PortRange: "0", Sources: from("10.0.0.0/8")}}, want: []cloud.Opening{{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 1, To: 65535}, Sources: []string{"10.0.0.0/8"}}}, known: true},
		{name: "from a tag", rules: []godo.InboundRule{{Protocol: "tcp", PortRange: "1", Sources: &godo.Sources{Tags: []string{"x"}}}}},
		{name: "denied", rules: []godo.InboundRule{{Protocol: "tcp", PortRange: "1", Sources: from("::/0"), Action: "deny"}}},
		{name: "icmp", rules: []godo.InboundRule{{Protocol: "icmp", PortRange: "0", Sources: from("::/0")}}},
		{name: "unreadable", rules: []godo.InboundRule{{Protocol: "tcp", PortRange: "x", Sources: from("::/0")}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, known := firewall.ObservedOpenings(test.rules)
			if known != test.known {
				t.Errorf("known = %v, want %v", known, test.known)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("openings (-want +got):\n%s", diff)
			}
			if again, _ := firewall.ObservedOpenings(firewall.InboundRules(got)); known && cmp.Diff(got, again) != "" {
				t.Errorf("openings change on the way to the API and back: %v", again)
			}
		})
	}
}

func TestOpensOutbound(t *testing.T) {
	answered := firewall.Outbound()
	for i := range answered {
		answered[i].PortRange = "0" // as the API answers all of them
	}
	closed := firewall.Outbound()[:2]
	narrow := firewall.Outbound()
	narrow[0].PortRange = "443"
	for name, test := range map[string]struct {
		rules []godo.OutboundRule
		want  bool
	}{"as sent": {firewall.Outbound(), true}, "as answered": {answered, true}, "one missing": {closed, false}, "narrowed": {narrow, false}} {
		if got := firewall.OpensOutbound(test.rules); got != test.want {
			t.Errorf("%s: opensOutbound = %v, want %v", name, got, test.want)
		}
	}
}

func FuzzParsePorts(f *testing.F) {
	for _, seed := range []string{"80", "1-65535", "0", "all", "", "90-80", "-", "80-", "65536"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		from, to, ok := firewall.ParsePorts(text)
		if !ok {
			return
		}
		if from < 1 || to > 65535 || from > to {
			t.Fatalf("parsePorts(%q) = %d-%d", text, from, to)
		}
		if again, last, ok := firewall.ParsePorts(firewall.FormatPorts(from, to)); !ok || again != from || last != to {
			t.Errorf("%q: %d-%d is written as %q", text, from, to, firewall.FormatPorts(from, to))
		}
	})
}
