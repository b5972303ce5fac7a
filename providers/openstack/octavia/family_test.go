package octavia

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/check"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/resource"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// TestUnenforcedRanges: better no balancer than one that is open to everyone.
func TestUnenforcedRanges(t *testing.T) {
	old, young := api.V(2, 10), api.V(2, 26)
	four, six := cloud.Spec{}, cloud.Spec{IPv6: true}
	unknown, onIPv4 := desired.Findings{}, desired.Findings{HasAddress: true}
	for name, test := range map[string]struct {
		provider string
		version  api.Version
		managed  bool
		spec     cloud.Spec
		ranges   []string
		vip      desired.Findings // of the address of the present balancer
		refused  string           // a part of the error
	}{
		"ovn, nothing enforces them":                {"ovn", young, false, four, []string{"10.0.0.0/8"}, unknown, "manage-security-groups in [LoadBalancer] enforces it"},
		"ovn, everybody may connect":                {"ovn", young, false, four, []string{"0.0.0.0/0"}, unknown, ""},
		"ovn, a security group does":                {"ovn", young, true, four, []string{"10.0.0.0/8"}, unknown, ""},
		"ovn, everybody of the other family":        {"ovn", young, false, four, []string{"10.0.0.0/8", "::/0"}, unknown, "the balancer would be open"},
		"ovn, everybody of the other family, IPv6":  {"ovn", young, false, six, []string{"0.0.0.0/0", "2001:db8::/32"}, unknown, "the balancer would be open"},
		"ovn, everybody, IPv6":                      {"ovn", young, false, six, []string{"10.0.0.0/8", "::/0"}, unknown, ""},
		"ovn, everybody of the address there is":    {"ovn", young, false, six, []string{"0.0.0.0/0"}, onIPv4, ""},
		"ovn, two families, one address":            {"ovn", young, false, cloud.Spec{DualStack: true}, []string{"0.0.0.0/0"}, unknown, ""},
		"amphora":                                   {"amphora", young, false, four, []string{"10.0.0.0/8", "::/0"}, unknown, ""},
		"old amphora":                               {"amphora", old, false, four, []string{"10.0.0.0/8"}, unknown, "older than v2.12"},
		"old amphora, a security group":             {"amphora", old, true, four, []string{"10.0.0.0/8"}, unknown, "the nodes see the balancer, not its clients"},
		"old amphora, the other family":             {"amphora", old, true, four, []string{"10.0.0.0/8", "::/0"}, unknown, "10.0.0.0/8,::/0"},
		"old amphora, everybody may connect":        {"amphora", old, true, four, []string{"0.0.0.0/0"}, unknown, ""},
		"old amphora, everybody may connect (IPv6)": {"amphora", old, true, six, []string{"::/0"}, unknown, ""},
	} {
		d := New(Clients{}, Settings{Version: test.version, Balancer: config.Balancer{Provider: test.provider, ManageSecurityGroups: test.managed}})
		in := specOf(nil)
		in.IPv6, in.DualStack, in.Findings = test.spec.IPv6, test.spec.DualStack, desired.Found.Seal(test.vip)
		for _, text := range test.ranges {
			in.SourceRanges = append(in.SourceRanges, netip.MustParsePrefix(text))
		}
		_, _, err := d.Normalize(in)
		invalid, ok := errors.AsType[*cloud.Invalid](err)
		if ok != (test.refused != "") || ok && (invalid.Field != "spec.loadBalancerSourceRanges" || !strings.Contains(err.Error(), test.refused)) {
			t.Errorf("%s: %v, want %q", name, err, test.refused)
		}
	}
}

// Before Octavia 2.26 a balancer has one address, and the API refuses ranges of the other family.
func TestSourceRangesOfOneAddress(t *testing.T) {
	d := New(Clients{}, Settings{Version: api.V(2, 20), Balancer: config.Balancer{Provider: "amphora"}})
	in := specOf(nil)
	in.DualStack, in.SourceRanges = true, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}
	if got := d.Allowed(in); !slices.Equal(got, []string{"10.0.0.0/8"}) {
		t.Errorf("allowed %v", got)
	}
}

// Nodes answer for a Service in its own families: members are reached in these, whatever the family of the address. What the ovn
// provider passes through stays in its family.
func TestFamilies(t *testing.T) {
	four, six, both := cloud.Families{IPv4: true}, cloud.Families{IPv6: true}, cloud.Families{IPv4: true, IPv6: true}
	unknown, onIPv4, onIPv6 := desired.Findings{}, desired.Findings{HasAddress: true}, desired.Findings{HasAddress: true, IPv6: true}
	for name, test := range map[string]struct {
		provider         string
		ipv6, dual       bool
		vip              desired.Findings
		clients, targets cloud.Families
	}{
		"IPv4":                     {"amphora", false, false, unknown, four, four},
		"IPv6":                     {"amphora", true, false, unknown, six, six},
		"both":                     {"amphora", true, true, unknown, both, six},
		"both, one address":        {"amphora", true, true, onIPv4, four, four},
		"IPv6 behind IPv4":         {"amphora", true, false, onIPv4, four, six},
		"IPv4 behind IPv6":         {"amphora", false, false, onIPv6, six, four},
		"ovn, IPv6":                {"ovn", true, false, unknown, six, six},
		"ovn, IPv6 behind IPv4":    {"ovn", true, false, onIPv4, four, four},
		"ovn, both, has one alone": {"ovn", false, true, unknown, four, four},
	} {
		d := New(Clients{}, Settings{Version: api.V(2, 26), Balancer: config.Balancer{Provider: test.provider}})
		in := specOf(nil)
		in.IPv6, in.DualStack, in.Findings = test.ipv6, test.dual, desired.Found.Seal(test.vip)
		b, _, err := d.Normalize(in)
		if clients, targets := d.Families(in, b); err != nil || clients != test.clients || targets != test.targets {
			t.Errorf("%s: clients %s, targets %s, %v; want %s and %s", name, clients, targets, err, test.clients, test.targets)
		}
	}
}

// A member that serves at an address of the other family stays where its machine has none of the Service's.
func TestMembersOfAnotherFamily(t *testing.T) {
	machine := func(addresses ...string) cloud.Target {
		target := cloud.Target{InstanceID: "m", NodeName: "n"}
		for _, a := range addresses {
			target.Addresses = append(target.Addresses, cloud.Address{Type: cloud.AddressInternalIP, Address: a})
		}
		return target
	}
	present := []object.Member{{Address: "10.0.0.1", Port: 30080}}
	for want, test := range map[string]struct {
		machine cloud.Target
		present []object.Member
	}{
		"fd00::1":  {machine("10.0.0.1", "fd00::1"), present},
		"10.0.0.1": {machine("10.0.0.1"), present},
		"":         {machine("10.0.0.1"), nil},
		"fd00::2":  {machine("fd00::1", "fd00::2"), []object.Member{{Address: "fd00::2", Port: 30080}}}, // in whatever order the Node has them
	} {
		change := cloud.Change{Input: specOf(nil), After: &cloud.Balancer{Targets: []cloud.InstanceID{"m"}, ProviderFields: map[string]string{desired.FieldFamily: "6"}}}
		change.Input.Candidates = []cloud.Target{test.machine}
		got := ""
		for _, m := range resource.WantedMembers(cloud.Listener{TargetPort: 30080}, change, test.present, "") {
			got += m.Address
		}
		if got != want {
			t.Errorf("members %q, want %q", got, want)
		}
	}
}

// The ovn provider leads from a family to the same one: a subnet of the other family would serve nobody. Listeners of amphorae end
// connections.
func TestSubnetOfAnotherFamily(t *testing.T) {
	for name, test := range map[string]struct {
		provider   string
		ipv6, dual bool
		refused    bool
	}{
		"ovn, IPv4":     {"ovn", false, false, false},
		"ovn, IPv6":     {"ovn", true, false, true},
		"ovn, both":     {"ovn", true, true, false},
		"amphora, IPv6": {"amphora", true, false, false},
	} {
		c := newCase(t, checked())
		c.driver.Config.Provider = test.provider
		in := specOf(map[string]string{option.Subnet.Name: idNode, option.Internal.Name: "true"})
		in.IPv6, in.DualStack = test.ipv6, test.dual
		err := c.driver.Check(t.Context(), in, cloud.Observed{})
		if check.IsInvalid(err) != test.refused || test.refused && !strings.Contains(err.Error(), option.Subnet.Name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Octavia puts a balancer into a subnet of IPv4 where the network has one.
func TestNetworkOfBothFamilies(t *testing.T) {
	const four, six = `{"id": "four", "network_id": "` + idNodes + `", "cidr": "10.0.0.0/16", "ip_version": 4}`, `{"id": "six", "network_id": "` + idNodes + `", "cidr": "fd00::/64", "ip_version": 6}`
	for name, test := range map[string]struct {
		ipv6, dual    bool
		given         string // the subnet that is asked for
		subnet, other string
	}{
		"IPv4":                 {false, false, "", "", ""},
		"IPv6":                 {true, false, "", "six", ""},
		"both":                 {true, true, "", "six", "four"},
		"both, a given subnet": {true, true, idNode, idNode, "six"},
	} {
		answers := checked()
		answers["GET /subnets"], answers["GET /subnets/six"] = `{"subnets": [`+four+`, `+six+`]}`, `{"subnet": `+six+`}`
		c := newCase(t, answers)
		in := specOf(map[string]string{option.Network.Name: idNodes, option.Internal.Name: "true"})
		in.IPv6, in.DualStack = test.ipv6, test.dual
		if test.given != "" {
			in.Options[option.Subnet.Name] = test.given
		}
		made, err := c.driver.Resources(t.Context(), cloud.Change{Input: in, Before: cloud.Observed{Native: object.Native.Seal(&object.Snapshot{})}, After: &cloud.Balancer{Scope: cloud.ScopeInternal, DualStack: test.dual}})
		if err != nil {
			t.Fatal(err)
		}
		body, other := sentBody(resource.Find(made.Wanted, resource.TheBalancer(in.Spec)).Fields), ""
		if all, ok := body["additional_vips"].([]object.AdditionalIP); ok {
			other = all[0].Subnet
		}
		if body["vip_subnet_id"] != test.subnet || body["vip_network_id"] != idNodes || other != test.other {
			t.Errorf("%s: made in %v of %v and in %q", name, body["vip_subnet_id"], body["vip_network_id"], other)
		}
	}
}

// A port without port security has no group: nothing keeps clients out there, which is said.
// Source ranges of a family that the balancer has no address of are named.
func TestUnfamiliarRanges(t *testing.T) {
	d := New(Clients{}, Settings{Version: api.V(2, 26), Balancer: config.Balancer{Provider: "amphora"}})
	in := specOf(nil)
	for _, text := range []string{"10.0.0.0/8", "2001:db8::/48", "2001:db8:1::/48", "2001:db8:2::/48", "2001:db8:3::/48"} {
		in.SourceRanges = append(in.SourceRanges, netip.MustParsePrefix(text))
	}
	const want = "the balancer has no address of the family of 2001:db8:1::/48, 2001:db8:2::/48, 2001:db8:3::/48 and 1 more"
	if notes := d.Notes(in); !slices.ContainsFunc(notes, func(w cloud.Warning) bool { return w.Message == want }) {
		t.Errorf("said %v, want %q", notes, want)
	}
}

func TestUnguardedNodes(t *testing.T) {
	off, on := false, true
	port := func(address string, security *bool) neutron.Port {
		return neutron.Port{ID: address, Security: security, FixedIPs: []neutron.FixedIP{{Address: netip.MustParseAddr(address)}}}
	}
	s := &object.Snapshot{Security: object.Security{Ports: []neutron.Port{port("10.0.0.1", &off), port("10.0.0.2", &on), port("10.0.0.3", nil)}}}
	for name, test := range map[string]struct {
		provider, ranges string
		want             bool
	}{
		"restricted":   {"ovn", "10.0.0.0/8", true},
		"everyone":     {"ovn", "0.0.0.0/0", false},
		"the listener": {"amphora", "10.0.0.0/8", false},
	} {
		d := New(Clients{}, Settings{Version: api.V(2, 26), Balancer: config.Balancer{Provider: test.provider, ManageSecurityGroups: true}})
		in := specOf(nil)
		in.SourceRanges = []netip.Prefix{netip.MustParsePrefix(test.ranges)}
		for i, node := range []string{"a", "b", "c"} {
			in.Candidates = append(in.Candidates, cloud.Target{NodeName: node, Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: fmt.Sprintf("10.0.0.%d", i+1)}}})
		}
		var found desired.Findings
		d.exploreGuards(s, &found, in)
		in.Findings = desired.Found.Seal(found)
		said := slices.ContainsFunc(d.Notes(in), func(w cloud.Warning) bool {
			return w.Field == "spec.loadBalancerSourceRanges" && strings.HasSuffix(w.Message, "no port security: a")
		})
		if said != test.want {
			t.Errorf("%s: said %v", name, d.Notes(in))
		}
	}
}
