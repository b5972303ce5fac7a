package packetfilter

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var ten = Network("10.0.0.0/8")

func tcp(port int, peer Peer) Rule { return Port(cloud.ProtocolTCP, port, peer) }

// texts are rules in their order.
func texts(rules Rules) (list []string) {
	for _, r := range rules.Sorted() {
		list = append(list, r.String())
	}
	return list
}

// What people read tells any two rules apart: it is the key.
func TestText(t *testing.T) {
	ports := func(protocol cloud.Protocol, from, to int) Rule {
		return Rule{PortRange: cloud.PortRange{Protocol: protocol, From: from, To: to}, Peer: ten}
	}
	group := Rule{PortRange: cloud.AllPorts(cloud.ProtocolTCP), Peer: Peer{Group: "g"}, Family: "IPv6"}
	out, copied := All(ten), All(ten)
	out.Egress, copied.Copy = true, 1
	texts := map[string]bool{}
	for want, r := range map[string]Rule{
		"all from sg-1":                  All(Peer{Group: "sg-1"}),
		"all from 10.0.0.0/8":            All(ten),
		"all from 10.0.0.0/8 (copy 1)":   copied,
		"egress all to 10.0.0.0/8":       out,
		"tcp/80 from pl-1":               tcp(80, Peer{List: "pl-1"}),
		"udp/1-9 from 10.0.0.0/8":        ports(cloud.ProtocolUDP, 1, 9),
		"tcp IPv6 from g":                group,
		"icmp from 10.0.0.0/8":           ports(cloud.ProtocolICMP, -1, -1),
		"icmp/3 from 10.0.0.0/8":         ports(cloud.ProtocolICMP, 3, 3),
		"icmp/3-any from 10.0.0.0/8":     ports(cloud.ProtocolICMP, 3, -1),
		"icmp/3-4 from 10.0.0.0/8":       Fragmentation(ten),
		"icmpv6/2-0 from 2001:db8::/32":  Fragmentation(Network("2001:db8::/32")),
		"tcp/80 from 10.0.0.0/8":         tcp(80, ten),
		"tcp/0-65535 from 10.0.0.0/8":    ports(cloud.ProtocolTCP, 0, 65535),
		"112 from 10.0.0.0/8":            ports("112", -1, -1),
		"tcp/80 from something for once": tcp(80, Network("something for once")),
	} {
		if got := r.String(); got != want || texts[got] {
			t.Errorf("%q, want %q and no other like it", got, want)
		}
		texts[want] = true
	}
}

// What is spelled in two ways is the same rule; what lets something else through is not, however alike.
func TestSpelling(t *testing.T) {
	for name, test := range map[string]struct {
		a, b Rule
		same bool
	}{
		"bits of a host":               {tcp(80, Network("10.1.2.3/8")), tcp(80, ten), true},
		"IPv6, long and in upper case": {tcp(80, Network("2001:0DB8:0:0::/32")), tcp(80, Network("2001:db8::/32")), true},
		"an IPv4 network in IPv6":      {tcp(80, Network("::ffff:10.0.0.0/104")), tcp(80, ten), false},
		"a wider network":              {tcp(80, Network("10.0.0.0/7")), tcp(80, ten), false},
		"no network at all":            {tcp(80, Network("")), tcp(80, Network("0.0.0.0/0")), false},
		"everyone of another family":   {tcp(80, Network("::/0")), tcp(80, Network("0.0.0.0/0")), false},
		"a group that looks like one":  {tcp(80, Peer{Group: "10.0.0.0/8"}), tcp(80, ten), false},
		"a number":                     {Port(Protocol("6"), 80, ten), tcp(80, ten), true},
		"any protocol, two words":      {Rule{PortRange: cloud.AllPorts(Protocol("ANY")), Peer: ten}, Rule{PortRange: cloud.AllPorts(Protocol("-1")), Peer: ten}, true},
		"ICMP of IPv6, two words":      {Port(Protocol("ipv6-icmp"), 1, ten), Port(Protocol("58"), 1, ten), true},
		"ICMP of two families":         {Port(Protocol("icmp"), 1, ten), Port(Protocol("icmpv6"), 1, ten), false},
		"no protocol is not any":       {Rule{PortRange: cloud.AllPorts(Protocol("")), Peer: ten}, All(ten), false},
		"a number without a name":      {Port(Protocol("0"), 1, ten), Port(Protocol("any"), 1, ten), false},
		"all ports, and each of them":  {Rule{PortRange: cloud.AllPorts(cloud.ProtocolTCP), Peer: ten}, Rule{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: 0, To: 65535}, Peer: ten}, false},
	} {
		if same := test.a == test.b; same != test.same {
			t.Errorf("%s: %s and %s are the same: %t", name, test.a, test.b, same)
		}
	}
}

func TestRules(t *testing.T) {
	egress := All(ten)
	egress.Egress = true
	rules := Rules{egress: {}, tcp(80, Peer{Group: "sg-1"}): {}, tcp(80, ten): {}, Port(cloud.ProtocolUDP, 7, ten): {}, tcp(9, ten): {}, All(ten): {}, Fragmentation(ten): {}}
	want := []string{
		"all from 10.0.0.0/8", "icmp/3-4 from 10.0.0.0/8", "tcp/9 from 10.0.0.0/8", "tcp/80 from 10.0.0.0/8", "tcp/80 from sg-1", "udp/7 from 10.0.0.0/8",
		"egress all to 10.0.0.0/8",
	}
	if got := texts(rules); !slices.Equal(got, want) {
		t.Errorf("in order: %q, want %q", got, want)
	}
	if peers := rules.Peers(); !slices.Equal(peers, []string{"10.0.0.0/8", "sg-1"}) {
		t.Errorf("peers %q", peers)
	}
	if left := texts(rules.Without(Rules{egress: {}, tcp(9, ten): {Description: "another's"}})); len(left) != 5 || slices.Contains(left, "tcp/9 from 10.0.0.0/8") {
		t.Errorf("left: %q", left)
	}
	rules = Rules{}
	rules.Add(tcp(80, ten), "first")
	rules.Add(tcp(80, ten), "second")
	rules.AddObserved(tcp(80, Network("10.9.9.9/8")), "id")
	if got := texts(rules); rules[tcp(80, ten)] != (Attributes{Description: "first"}) || !slices.Equal(got, []string{"tcp/80 from 10.0.0.0/8", "tcp/80 from 10.0.0.0/8 (copy 1)"}) {
		t.Errorf("added: %v, %q", rules, got)
	}
}

// A network is one in its shortest form, or what it was given as: nothing becomes a network that is none.
func FuzzNetwork(f *testing.F) {
	for _, text := range []string{"10.1.2.3/8", "2001:DB8::1/32", "::ffff:1.2.3.4/104", "0.0.0.0/0", "fe80::1%eth0/64", "10.0.0.0", "sg-1", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		peer := Network(text)
		given, err := netip.ParsePrefix(text)
		if err != nil {
			if peer.Network != text {
				t.Errorf("%q became %q", text, peer.Network)
			}
			return
		}
		got, err := netip.ParsePrefix(peer.Network)
		if err != nil || got != given.Masked() || Network(peer.Network) != peer || peer.IsIPv6() != given.Addr().Is6() {
			t.Errorf("%q became %q, %v", text, peer.Network, err)
		}
	})
}
