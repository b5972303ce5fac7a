package octavia

import (
	"errors"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/resource"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

func specOf(options map[string]string) cloud.Input {
	return cloud.Input{
		Spec: cloud.Spec{
			Owner:      web,
			Options:    options,
			HealthPort: 10256,
			Ports:      []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}, {Protocol: cloud.ProtocolUDP, Port: 53, NodePort: 30053}},
		},
	}
}

func TestProtocols(t *testing.T) {
	const ref = "https://host/v1/containers/0e6f1c1e-5b0c-4a52-9a4f-0b2a3a1d8a11"
	for name, test := range map[string]struct {
		options        map[string]string
		listener, pool cloud.Protocol
	}{
		"plain":         {nil, "TCP", "TCP"},
		"proxy":         {map[string]string{option.ProxyProtocol.Name: "v1"}, "TCP", "PROXY"},
		"proxy v2":      {map[string]string{option.ProxyProtocol.Name: "v2"}, "TCP", "PROXYV2"},
		"forwarded":     {map[string]string{option.ForwardedFor.Name: "true"}, "HTTP", "HTTP"},
		"TLS":           {map[string]string{option.TLS.Name: ref}, "TERMINATED_HTTPS", "HTTP"},
		"TLS and proxy": {map[string]string{option.TLS.Name: ref, option.ProxyProtocol.Name: "v1"}, "TERMINATED_HTTPS", "PROXY"},
		"TLS and xff":   {map[string]string{option.TLS.Name: ref, option.ForwardedFor.Name: "true"}, "TERMINATED_HTTPS", "HTTP"},
	} {
		b, _, err := unconnected().Normalize(specOf(test.options))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tcp, udp := b.Listeners[1], b.Listeners[0]
		if tcp.Protocol != test.listener || tcp.TargetProtocol != test.pool {
			t.Errorf("%s: %s to %s, want %s to %s", name, tcp.Protocol, tcp.TargetProtocol, test.listener, test.pool)
		}
		if udp.Protocol != "UDP" || udp.TargetProtocol != "UDP" {
			t.Errorf("%s: the UDP port is %s to %s", name, udp.Protocol, udp.TargetProtocol)
		}
		// Clients in the cluster go through the balancer (ipMode: Proxy) wherever it changes the connection.
		if proxy := unconnected().Terminates(specOf(test.options).Spec); proxy != (name != "plain") {
			t.Errorf("%s: clients in the cluster go through the balancer: %t", name, proxy)
		}
	}
}

func TestMonitors(t *testing.T) {
	monitored := map[string]string{option.Monitor.Name: "true"}
	for name, test := range map[string]struct {
		version  api.Version
		provider string
		local    bool
		tcp, udp cloud.Protocol
	}{
		"cluster":            {api.V(2, 26), "amphora", false, "TCP", "UDP-CONNECT"},
		"local":              {api.V(2, 26), "amphora", true, "HTTP", "HTTP"},
		"local, before 2.16": {api.V(2, 15), "amphora", true, "HTTP", "UDP-CONNECT"},
		"local, ovn":         {api.V(2, 26), "ovn", true, "TCP", "UDP-CONNECT"},
	} {
		d := unconnected()
		d.Version, d.Config.Provider = test.version, test.provider
		in := specOf(monitored)
		in.Local = test.local
		b, _, err := d.Normalize(in)
		if err != nil {
			t.Fatal(err)
		}
		if tcp, udp := b.Listeners[1].Health.Protocol, b.Listeners[0].Health.Protocol; tcp != test.tcp || udp != test.udp {
			t.Errorf("%s: %s and %s, want %s and %s", name, tcp, udp, test.tcp, test.udp)
		}
	}
	_, _, err := unconnected().Normalize(specOf(map[string]string{option.Monitor.Name: "true", option.MonitorDelay.Name: "2"}))
	if invalid, ok := errors.AsType[*cloud.Invalid](err); !ok || invalid.Field != option.MonitorDelay.Name {
		t.Errorf("a UDP check every 2 s: %v", err)
	}
}

func TestSourceRanges(t *testing.T) {
	both := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}
	for name, test := range map[string]struct {
		ranges     []netip.Prefix
		ipv6, dual bool
		want       string
	}{
		"none":                    {nil, false, false, "0.0.0.0/0"},
		"none, IPv6, address":     {nil, true, false, "::/0"},
		"none, IPv6, IPv4 subnet": {nil, true, false, "0.0.0.0/0"},
		"none on both":            {nil, false, true, ""},
		"none, IPv6":              {nil, true, false, ""},
		"both on IPv4":            {both, false, false, "10.0.0.0/8"},
		"both on IPv6":            {both, true, false, "2001:db8:1::/48"},
		"both on both":            {both, false, true, "10.0.0.0/8,2001:db8:1::/48"},
		"only the other, on IPv4": {both[1:], false, false, "192.0.2.0/32"},
		"only the other, on IPv6": {both[:1], true, false, "2001:db8::/128"},
	} {
		in := specOf(nil)
		in.SourceRanges, in.IPv6, in.DualStack = test.ranges, test.ipv6, test.dual
		if ipv6, known := map[string]bool{"none, IPv6, address": true, "none, IPv6, IPv4 subnet": false}[name]; known {
			in.Findings = desired.Found.Seal(desired.Findings{HasAddress: true, IPv6: ipv6})
		}
		if got := strings.Join(unconnected().Allowed(in), ","); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// TestRefusals: a Service that asks for what can't be is refused, and told which key is wrong.
func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		options map[string]string
		found   desired.Findings
		field   string
	}{
		"unknown class":            {map[string]string{option.Class.Name: "gold"}, desired.Findings{}, option.Class.Name},
		"proxy and forwarded":      {map[string]string{option.ProxyProtocol.Name: "v1", option.ForwardedFor.Name: "true"}, desired.Findings{}, option.ForwardedFor.Name},
		"no certificate":           {map[string]string{option.TLS.Name: "x"}, desired.Findings{WrongTLS: "there is none"}, option.TLS.Name},
		"a port that is taken":     {nil, desired.Findings{Taken: []string{"tcp/80", "tcp/81"}}, "spec.ports"},
		"too many share it":        {nil, desired.Findings{Full: 2}, option.ID.Name},
		"internal on an outer one": {map[string]string{option.Internal.Name: "true"}, desired.Findings{Tenant: true, Scope: cloud.ScopeExternal}, option.Internal.Name},
	} {
		in := specOf(test.options)
		in.Findings = desired.Found.Seal(test.found)
		_, _, err := unconnected().Normalize(in)
		if invalid, ok := errors.AsType[*cloud.Invalid](err); !ok || invalid.Field != test.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlacement(t *testing.T) {
	d := unconnected()
	d.Config.Placement = config.Placement{Network: "net-c", Subnet: "sub-c", MemberSubnet: "mem-c", FloatingNetwork: "fip-c", FloatingSubnetTags: "tag-c"}
	d.Classes = map[string]config.Class{"gold": {Placement: config.Placement{Network: "net-k", Subnet: "sub-k", MemberSubnet: "mem-k", FloatingNetwork: "fip-k", FloatingSubnetName: "name-k"}}}
	own := map[string]string{
		option.Network.Name: "net-a", option.Subnet.Name: "sub-a", option.MemberSubnet.Name: "mem-a", option.FloatingNetwork.Name: "fip-a", option.FloatingSubnet.Name: "id-a",
	}
	with := func(more ...string) map[string]string {
		all := map[string]string{}
		for key, value := range own {
			all[key] = value
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	class := map[string]string{option.Class.Name: "gold"}
	for name, test := range map[string]struct {
		options map[string]string
		want    config.Placement
	}{
		"configured":         {nil, config.Placement{Network: "net-c", Subnet: "sub-c", MemberSubnet: "mem-c", FloatingNetwork: "fip-c", FloatingSubnetTags: "tag-c"}},
		"class":              {class, config.Placement{Network: "net-k", Subnet: "sub-k", MemberSubnet: "mem-k", FloatingNetwork: "fip-k", FloatingSubnetName: "name-k"}},
		"annotations":        {own, config.Placement{Network: "net-a", Subnet: "sub-a", MemberSubnet: "mem-a", FloatingNetwork: "fip-a", FloatingSubnet: "id-a"}},
		"both, external":     {with(option.Class.Name, "gold"), config.Placement{Network: "net-k", Subnet: "sub-k", MemberSubnet: "mem-a", FloatingNetwork: "fip-k", FloatingSubnetName: "name-k"}},
		"both, internal":     {with(option.Class.Name, "gold", option.Internal.Name, "true"), config.Placement{Network: "net-a", Subnet: "sub-a", MemberSubnet: "mem-a", FloatingNetwork: "fip-k", FloatingSubnetName: "name-k"}},
		"a port of its own":  {map[string]string{option.Port.Name: "p"}, config.Placement{MemberSubnet: "mem-c", FloatingNetwork: "fip-c", FloatingSubnetTags: "tag-c"}},
		"look for a network": {map[string]string{option.FloatingNetwork.Name: ""}, config.Placement{Network: "net-c", Subnet: "sub-c", MemberSubnet: "mem-c", FloatingSubnetTags: "tag-c"}},
	} {
		if diff := cmp.Diff(test.want, d.PlaceOf(specOf(test.options)).Placement); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNotes(t *testing.T) {
	d := unconnected()
	d.Config.Provider = config.ProviderOVN
	in := specOf(map[string]string{option.Flavor.Name: "0e6f1c1e-5b0c-4a52-9a4f-0b2a3a1d8a11", option.ClientData.Name: "7", option.ProxyProtocol.Name: "v1"})
	in.Findings = desired.Found.Seal(desired.Findings{NoNetwork: true})
	var fields []string
	for _, note := range d.Notes(in) {
		fields = append(fields, note.Field)
	}
	want := []string{option.Flavor.Name, option.FloatingNetwork.Name, option.ClientData.Name, "spec.ports"}
	slices.Sort(want)
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if scope := d.PlaceOf(in).Scope; scope != cloud.ScopeInternal {
		t.Errorf("without an external network the balancer is %s", scope)
	}
}

func TestMembers(t *testing.T) {
	address := func(kind cloud.AddressType, ip string) cloud.Address { return cloud.Address{Type: kind, Address: ip} }
	node := cloud.Target{Addresses: []cloud.Address{
		address(cloud.AddressExternalIP, "192.0.2.1"), address(cloud.AddressInternalIP, "fd00::1"), address(cloud.AddressInternalIP, "10.0.0.1"), address(cloud.AddressInternalIP, "10.0.0.2"),
	}}
	if four, six := desired.MemberAddress(node, false), desired.MemberAddress(node, true); four != "10.0.0.1" || six != "fd00::1" {
		t.Errorf("addresses %s and %s", four, six)
	}
	outer := cloud.Target{Addresses: node.Addresses[:1]}
	if four, six := desired.MemberAddress(outer, false), desired.MemberAddress(outer, true); four != "192.0.2.1" || six != "" {
		t.Errorf("addresses %q and %q", four, six)
	}
	good := object.Member{Address: "10.0.0.1", Port: 30080, Weight: 1, Enabled: true}
	for name, edit := range map[string]func(*object.Member){
		"port": func(m *object.Member) { m.Port = 1 }, "weight 0": func(m *object.Member) { m.Weight = 0 }, "backup": func(m *object.Member) { m.Backup = true },
		"off": func(m *object.Member) { m.Enabled = false }, "check": func(m *object.Member) { m.MonitorPort = 9 },
	} {
		bad := good
		edit(&bad)
		if desired.ObservedTargets([]object.Member{bad}, 30080, 0)[0] == cloud.UnknownInstance("10.0.0.1") {
			t.Errorf("a member with another %s is as it should be", name)
		}
		if alike([]object.Member{bad}, []object.Member{good}) {
			t.Errorf("a member with another %s is the same", name)
		}
	}
	if desired.ObservedTargets([]object.Member{good}, 30080, 0)[0] != cloud.UnknownInstance("10.0.0.1") || !alike([]object.Member{good}, []object.Member{good}) {
		t.Error("a good member is not known by its address")
	}
}

// TestDoubtfulMembersStay: what the kernel keeps because it can't read the machine, the driver
// finds again, whatever is wrong with it.
func TestDoubtfulMembersStay(t *testing.T) {
	present := []object.Member{{Address: "10.0.0.1", Port: 30080, Weight: 1, Enabled: true}, {Address: "10.0.0.2", Port: 30081, Weight: 1, Enabled: true, MonitorPort: 9}}
	targets := desired.ObservedTargets(present, 30080, 0)
	change := cloud.Change{Input: specOf(nil), After: &cloud.Balancer{Targets: targets}}
	if got := resource.WantedMembers(cloud.Listener{TargetPort: 30080}, change, present, ""); !alike(present, got) {
		t.Errorf("of %v stay %v", present, got)
	}
}

// alike reports whether nothing that is compared of these members differs.
func alike(a, b []object.Member) bool {
	resources := func(list []object.Member) (all []cloud.Resource) {
		for _, m := range list {
			all = append(all, resource.MemberResource(m, resource.ThePool("tcp/80", "TCP")))
		}
		return all
	}
	return reflect.DeepEqual(resources(a), resources(b))
}

// TestGuardedPorts: networks can have the same addresses.
func TestGuardedPorts(t *testing.T) {
	at := func(id, network string) neutron.Port {
		return neutron.Port{ID: id, Network: network, FixedIPs: []neutron.FixedIP{{Address: netip.MustParseAddr("10.0.0.5")}}}
	}
	for name, test := range map[string]struct {
		ports []neutron.Port
		want  string
	}{
		"one":                           {[]neutron.Port{at("a", "far")}, "a"},
		"one in the balancer's network": {[]neutron.Port{at("a", "far"), at("b", "near")}, "b"},
		"nobody knows which":            {[]neutron.Port{at("a", "far"), at("b", "farther")}, ""},
	} {
		g := object.Security{Groups: []object.SecurityGroup{{ID: "g"}}, Ports: test.ports, Network: "near"}
		got := slices.Sorted(maps.Keys(secgroup.Behind(g, []string{"10.0.0.5"})))
		if strings.Join(got, ",") != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// A check of the Service's own port asks each member at its monitor port, whatever the listener.
func TestOwnCheck(t *testing.T) {
	d := unconnected()
	values, problems := option.All().Parse(map[string]string{"multicloud-ccm.io/health-check-path": "/ready"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	in := specOf(values)
	b, notes, err := d.Normalize(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range b.Listeners {
		if l.Health == nil || l.Health.Protocol != "HTTP" || l.Health.Port != 30080 || l.Health.Path != "/ready" || desired.MonitorPort(l, in.Spec) != 30080 {
			t.Errorf("%s is checked with %+v at %d, notes %v; want HTTP at 30080", l.Key(), l.Health, desired.MonitorPort(l, in.Spec), notes)
		}
	}
	tcp := cloud.Listener{Protocol: "TCP", Port: 80}
	for name, test := range map[string]struct {
		members []object.Member
		want    int
	}{
		"no members":     {nil, 30080},
		"as wanted":      {[]object.Member{{MonitorPort: 9}, {MonitorPort: 30080}}, 30080},
		"somewhere else": {[]object.Member{{MonitorPort: 9}}, 9},
		"at their own":   {[]object.Member{{}}, 0},
	} {
		if got := d.ObservedPort(tcp, test.members, in.Spec); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
	if got := d.ObservedPort(tcp, nil, specOf(nil).Spec); got != 0 {
		t.Errorf("without portable keys: %d, want 0", got)
	}
}
