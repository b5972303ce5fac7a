package digitalocean

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

func itoa(n int) string { return strconv.Itoa(n) }

func prefixes(texts ...string) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

func fieldsOf(notes []cloud.Warning) []string {
	var fields []string
	for _, n := range notes {
		fields = append(fields, n.Field)
	}
	slices.Sort(fields)
	return fields
}

func TestShape(t *testing.T) {
	v4, dual := target("1", "10.0.0.1", "192.0.2.1"), target("2", "10.0.0.2", "192.0.2.2", "2001:db8::2")
	v6, private := target("3", "10.0.0.3", "2001:db8::3"), target("4", "10.0.0.4")
	tests := []struct {
		name        string
		annotations map[string]string
		nodes       []cloud.Target
		found       desired.Findings
		preserved   map[string]string
		defaultType string
		single      bool
		ipv6        bool
		want        desired.Shape
		refused     string
	}{
		{name: "default, no nodes", want: desired.Shape{Kind: config.TypeNetwork}},
		{name: "all nodes are dual-stack", nodes: []cloud.Target{dual, dual}, want: desired.Shape{Kind: config.TypeNetwork, Dual: true}},
		{name: "the Service has IPv4 only", single: true, nodes: []cloud.Target{dual, dual}, want: desired.Shape{Kind: config.TypeNetwork}},
		{name: "the Service has IPv6 only", single: true, ipv6: true, nodes: []cloud.Target{dual, dual}, want: desired.Shape{Kind: config.TypeNetwork}},
		{name: "DUALSTACK, the Service has IPv4 only", single: true, annotations: map[string]string{"network-stack": "DUALSTACK"}, nodes: []cloud.Target{dual}, want: desired.Shape{Kind: config.TypeNetwork, Dual: true}},
		{
			name: "the Service has IPv4 only, what exists stays", single: true, found: desired.Findings{Type: config.TypeNetwork, Stack: option.StackDual},
			nodes: []cloud.Target{dual}, want: desired.Shape{Kind: config.TypeNetwork, Dual: true},
		},
		{name: "regional, the Service has IPv4 only", single: true, annotations: map[string]string{"type": "REGIONAL"}, nodes: []cloud.Target{dual}, want: desired.Shape{Kind: config.TypeRegional, Dual: true}},
		{name: "one is not", nodes: []cloud.Target{dual, v4}, want: desired.Shape{Kind: config.TypeNetwork}},
		{name: "unusable nodes don't count", nodes: []cloud.Target{dual, v6, private}, want: desired.Shape{Kind: config.TypeNetwork, Dual: true}},
		{name: "default type of the environment", defaultType: config.TypeRegional, nodes: []cloud.Target{v4}, want: desired.Shape{Kind: config.TypeRegional, Dual: true}},
		{name: "regional is dual-stack", annotations: map[string]string{"type": "REGIONAL"}, nodes: []cloud.Target{v4}, want: desired.Shape{Kind: config.TypeRegional, Dual: true}},
		{name: "internal is not", annotations: map[string]string{"type": "REGIONAL", "network": "INTERNAL"}, want: desired.Shape{Kind: config.TypeRegional, Internal: true}},
		{name: "portable spelling of internal", annotations: map[string]string{"multicloud-ccm.io/internal": "true"}, want: desired.Shape{Kind: config.TypeNetwork, Internal: true}},
		{name: "IPV4", annotations: map[string]string{"network-stack": "IPV4"}, nodes: []cloud.Target{dual}, want: desired.Shape{Kind: config.TypeNetwork}},
		{name: "DUALSTACK", annotations: map[string]string{"network-stack": "DUALSTACK"}, nodes: []cloud.Target{dual}, want: desired.Shape{Kind: config.TypeNetwork, Dual: true}},
		{name: "DUALSTACK with an IPv4 node", annotations: map[string]string{"network-stack": "DUALSTACK"}, nodes: []cloud.Target{dual, v4}, refused: "node-1"},
		{
			name: "DUALSTACK with an IPv4 node that came later", annotations: map[string]string{"network-stack": "DUALSTACK"},
			nodes: []cloud.Target{dual, v4}, found: desired.Findings{Stack: option.StackDual, Type: config.TypeNetwork}, want: desired.Shape{Kind: config.TypeNetwork, Dual: true},
		},
		{name: "DUALSTACK and INTERNAL", annotations: map[string]string{"network-stack": "DUALSTACK", "network": "INTERNAL"}, refused: "network-stack"},
		{name: "what exists stays", found: desired.Findings{Type: config.TypeRegional, Stack: option.StackIPv4}, nodes: []cloud.Target{dual}, want: desired.Shape{Kind: config.TypeRegional}},
		{name: "unless annotated", annotations: map[string]string{"type": config.TypeNetwork, "network-stack": option.StackDual}, found: desired.Findings{Type: config.TypeRegional, Stack: option.StackIPv4}, want: desired.Shape{Kind: config.TypeNetwork, Dual: true}},
		{
			name: "preserved wins", annotations: map[string]string{"type": config.TypeNetwork, "network": "INTERNAL"},
			preserved: map[string]string{object.FieldType: config.TypeRegional, cloud.FieldScope: string(cloud.ScopeExternal), cloud.FieldDualStack: "true"},
			want:      desired.Shape{Kind: config.TypeRegional, Dual: true},
		},
		{name: "an existing GLOBAL balancer", found: desired.Findings{Type: "GLOBAL"}, refused: "GLOBAL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := testDriver(func(s *config.Settings) {
				if test.defaultType != "" {
					s.DefaultType = test.defaultType
				}
			})
			in := testSpec(t, test.annotations, func(s *cloud.Input) {
				s.Candidates, s.Findings, s.Preserved = test.nodes, desired.Found.Seal(test.found), test.preserved
				s.DualStack, s.IPv6 = !test.single, test.ipv6
			})
			got, err := d.ShapeOf(in)
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) {
					t.Fatalf("error = %v, want one about %q", err, test.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("shape (-want +got):\n%s", diff)
			}
		})
	}
}

// What passes packets through reaches nodes in the family of the packet.
func TestFamilies(t *testing.T) {
	four, both := cloud.Families{IPv4: true}, cloud.Families{IPv4: true, IPv6: true}
	for _, test := range []struct {
		kind             string
		scope            cloud.Scope
		dual             bool
		clients, targets cloud.Families
	}{
		{config.TypeNetwork, cloud.ScopeExternal, false, four, four},
		{config.TypeNetwork, cloud.ScopeExternal, true, both, both},
		{config.TypeNetwork, cloud.ScopeInternal, false, four, four},
		{config.TypeRegional, cloud.ScopeExternal, false, four, four},
		{config.TypeRegional, cloud.ScopeExternal, true, both, four},
	} {
		b := cloud.Balancer{Scope: test.scope, DualStack: test.dual, ProviderFields: map[string]string{object.FieldType: test.kind}}
		if clients, targets := testDriver().Families(cloud.Input{}, b); clients != test.clients || targets != test.targets {
			t.Errorf("%s, %s, dual-stack %v: clients %s, targets %s; want %s and %s", test.kind, test.scope, test.dual, clients, targets, test.clients, test.targets)
		}
	}
}

func TestEligible(t *testing.T) {
	network, regional := map[string]string{object.FieldType: config.TypeNetwork}, map[string]string{object.FieldType: config.TypeRegional}
	external := cloud.Balancer{Scope: cloud.ScopeExternal, ProviderFields: network}
	dualStack := cloud.Balancer{Scope: cloud.ScopeExternal, ProviderFields: network, DualStack: true}
	tests := []struct {
		name                            string
		target                          cloud.Target
		internal, regional, plain, dual bool
	}{
		{"nothing", target("1"), true, false, false, false},
		{"private only", target("1", "10.0.0.1"), true, true, false, false},
		{"private and public IPv6", target("1", "10.0.0.1", "2001:db8::1"), true, true, false, false},
		{"public IPv6 only", target("1", "2001:db8::1"), true, false, false, false},
		{"public IPv4", target("1", "192.0.2.1"), true, true, true, false},
		{"public IPv4 and IPv6", target("1", "192.0.2.1", "2001:db8::1"), true, true, true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, c := range []struct {
				name string
				b    cloud.Balancer
				want bool
			}{
				{"internal", cloud.Balancer{Scope: cloud.ScopeInternal, ProviderFields: network}, test.internal},
				{"regional", cloud.Balancer{Scope: cloud.ScopeExternal, ProviderFields: regional}, test.regional},
				{"network", external, test.plain},
				{"dual-stack network", dualStack, test.dual},
			} {
				if why := testDriver().Eligible(c.b, test.target); (why == "") != c.want {
					t.Errorf("%s: Eligible = %q, want eligible %v", c.name, why, c.want)
				}
			}
		})
	}
}

func TestHealth(t *testing.T) {
	tests := []struct {
		name        string
		annotations map[string]string
		edit        func(*cloud.Input)
		want        string
		refused     string
	}{
		{name: "default", want: "HTTP 10256 /healthz"},
		{name: "keys without override", annotations: map[string]string{"healthcheck-port": "443", "healthcheck-protocol": "tcp"}, want: "HTTP 10256 /healthz"},
		{name: "override", annotations: map[string]string{"override-health-check": ""}, want: "TCP 30080 "},
		{name: "port", annotations: map[string]string{"override-health-check": "", "healthcheck-port": "443"}, want: "TCP 30443 "},
		{name: "path", annotations: map[string]string{"override-health-check": "", "healthcheck-path": "/x"}, want: "HTTP 30080 /x"},
		{name: "protocol", annotations: map[string]string{"override-health-check": "", "healthcheck-protocol": "https"}, want: "HTTPS 30080 /"},
		{name: "path of a TCP check", annotations: map[string]string{"override-health-check": "", "healthcheck-protocol": "tcp", "healthcheck-path": "/x"}, want: "TCP 30080 "},
		{name: "unknown port", annotations: map[string]string{"override-health-check": "", "healthcheck-port": "81"}, refused: "81"},
		{name: "UDP only", annotations: map[string]string{"override-health-check": ""}, edit: func(s *cloud.Input) {
			s.Ports = []cloud.Port{{Protocol: cloud.ProtocolUDP, Port: 53, NodePort: 30053}}
		}, refused: "no TCP port"},
		{name: "no node port", annotations: map[string]string{"override-health-check": ""}, edit: func(s *cloud.Input) { s.Ports[0].NodePort = 0 }, refused: "node port"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := testSpec(t, test.annotations)
			if test.edit != nil {
				test.edit(&in)
			}
			h, err := desired.Health(in.Spec)
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) {
					t.Fatalf("error = %v, want one about %q", err, test.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := string(h.Protocol) + " " + itoa(h.Port) + " " + h.Path; got != test.want {
				t.Errorf("check = %q, want %q", got, test.want)
			}
			if diff := cmp.Diff(h, viewOf(cloud.Balancer{Health: h}).Health); diff != "" {
				t.Errorf("the check changes on the way to the API and back (-want +got):\n%s", diff)
			}
		})
	}
}
