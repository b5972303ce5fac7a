package framework

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestNodeNetworks(t *testing.T) {
	const vpn = "100.64.0.7"
	made := func(name, nodeIP string, age time.Duration, change ...func(*corev1.Node)) *corev1.Node {
		n := node(name, "", change...)
		n.UID, n.CreationTimestamp = types.UID(name), metav1.NewTime(time.Unix(1e9, 0).Add(-age))
		if nodeIP != "" {
			n.Annotations = map[string]string{cloudproviderapi.AnnotationAlphaProvidedIPAddr: nodeIP}
		}
		return n
	}
	shows := func(address string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}}
		}
	}
	fresh, initialised := withTaint(uninitializedTaint), func(n *corev1.Node) { n.Spec.ProviderID = "sim://" + n.Name }
	own := []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.5"}, {Type: cloud.AddressExternalIP, Address: "203.0.113.5"}}
	networks := []string{"100.64.0.0/10", "fd7a::/32", "10.0.0.0/8"}
	for name, tt := range map[string]struct {
		node     *corev1.Node
		networks []string
		others   []*corev1.Node
		holders  map[string]cloud.InstanceID
		failure  error
		want     string // the addresses of the Node, or a part of the error
		fails    bool
	}{
		"without the flag":                        {node: made("n", vpn, 0, fresh), want: "name the VPN's network in --node-networks", fails: true},
		"a VPN's address":                         {node: made("n", vpn, 0, fresh), networks: networks, want: "ExternalIP 203.0.113.5, InternalIP 100.64.0.7"},
		"of another network":                      {node: made("n", "192.0.2.1", 0, fresh), networks: networks, want: "is not an address of the machine", fails: true},
		"the machine's own":                       {node: made("n", "10.0.0.5", 0, fresh), networks: networks, want: "ExternalIP 203.0.113.5, InternalIP 10.0.0.5"},
		"no --node-ip":                            {node: made("n", "", 0, fresh), networks: networks, want: "ExternalIP 203.0.113.5, InternalIP 10.0.0.5"},
		"no address":                              {node: made("n", "here", 0, fresh), networks: networks, want: "--node-ip here", fails: true},
		"of both families":                        {node: made("n", vpn+",fd7a::7", 0, fresh), networks: networks, want: "ExternalIP 203.0.113.5, InternalIP 100.64.0.7, InternalIP fd7a::7"},
		"the VPN's and the machine's":             {node: made("n", "10.0.0.5,fd7a::7", 0, fresh), networks: networks, want: "ExternalIP 203.0.113.5, InternalIP 10.0.0.5, InternalIP fd7a::7"},
		"the second is of no network":             {node: made("n", vpn+",2001:db8::1", 0, fresh), networks: networks, want: "is not an address of the machine", fails: true},
		"another machine's":                       {node: made("n", "10.0.0.6", 0, fresh), networks: networks, holders: map[string]cloud.InstanceID{"10.0.0.6": "6"}, want: "machine 6 has it", fails: true},
		"nobody knows whose":                      {node: made("n", vpn, 0, fresh), networks: networks, holders: map[string]cloud.InstanceID{vpn: "?"}, want: "it is not known which machine", fails: true},
		"machines that cannot be listed":          {node: made("n", vpn, 0, fresh), networks: networks, failure: errors.New("no answer"), want: "finding out who has", fails: true},
		"another Node shows it":                   {node: made("n", vpn, time.Hour, fresh), networks: networks, others: []*corev1.Node{made("o", "", 0, initialised, shows(vpn))}, want: "Node o has it", fails: true},
		"another Node shows it in another form":   {node: made("n", "fd7a::7", time.Hour, fresh), networks: networks, others: []*corev1.Node{made("o", "", 0, initialised, shows("FD7A:0::7"))}, want: "Node o has it", fails: true},
		"another Node's kubelet was given it":     {node: made("n", vpn, 0, fresh), networks: networks, others: []*corev1.Node{made("o", vpn, 0, initialised)}, want: "Node o has it", fails: true},
		"an older Node waits with it":             {node: made("n", vpn, 0, fresh), networks: networks, others: []*corev1.Node{made("o", vpn, time.Hour, fresh, shows(vpn))}, want: "Node o has it", fails: true},
		"a younger Node waits with it":            {node: made("n", vpn, time.Hour, fresh), networks: networks, others: []*corev1.Node{made("o", vpn, 0, fresh, shows(vpn))}, want: "ExternalIP 203.0.113.5, InternalIP 100.64.0.7"},
		"of two of one age the first by name":     {node: made("n", vpn, 0, fresh), networks: networks, others: []*corev1.Node{made("o", vpn, 0, fresh)}, want: "ExternalIP 203.0.113.5, InternalIP 100.64.0.7"},
		"a younger one shows it":                  {node: made("n", vpn, time.Hour, initialised), networks: networks, others: []*corev1.Node{made("o", vpn, 0, initialised, shows(vpn))}, want: "Node o has it", fails: true},
		"both show it":                            {node: made("n", vpn, time.Hour, initialised, shows(vpn)), networks: networks, others: []*corev1.Node{made("o", vpn, 0, initialised, shows(vpn))}, want: "Node o has it", fails: true},
		"it shows what an older one wants":        {node: made("n", vpn, 0, initialised, shows(vpn)), networks: networks, others: []*corev1.Node{made("o", vpn, time.Hour, initialised)}, want: "ExternalIP 203.0.113.5, InternalIP 100.64.0.7"},
		"an older one that waits, and one has it": {node: made("n", vpn, 0, initialised), networks: networks, others: []*corev1.Node{made("o", vpn, time.Hour, fresh)}, want: "ExternalIP 203.0.113.5, InternalIP 100.64.0.7"},
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := ParseNodeNetworks(tt.networks)
			if err != nil {
				t.Fatal(err)
			}
			n := NodeIPs{Networks: parsed, Nodes: func() []*corev1.Node { return append(tt.others, tt.node) },
				Machines: func(_ context.Context, addresses []netip.Addr) (map[netip.Addr]cloud.InstanceID, error) {
					known := map[netip.Addr]cloud.InstanceID{}
					for _, a := range addresses {
						if holder := tt.holders[a.String()]; holder != "?" {
							known[a] = holder
						}
					}
					return known, tt.failure
				}}
			machine, err := n.Complete(t.Context(), tt.node, cloud.Instance{ID: "5", ProviderID: "sim://5", Addresses: own})
			if tt.fails {
				if err == nil || !strings.Contains(err.Error(), tt.want) || len(machine.Addresses) != len(own) {
					t.Errorf("error %v with %v, want one that says %q", err, machine.Addresses, tt.want)
				}
				return
			}
			addresses, failed := NodeAddresses(tt.node, machine)
			if got := AddressText(addresses); err != nil || failed != nil || got != tt.want {
				t.Errorf("%s, %v, %v; want %s", got, err, failed, tt.want)
			}
		})
	}
}

// Of two Nodes whose kubelets were given one address, and whose machines nobody else knows, the first keeps it.
func TestAddressOfTwoDescribedNodes(t *testing.T) {
	made := func(name string, age time.Duration, change ...func(*corev1.Node)) *corev1.Node {
		n := node(name, "")
		n.UID, n.CreationTimestamp = types.UID(name), metav1.NewTime(time.Unix(1e9, 0).Add(-age))
		n.Annotations = map[string]string{cloudproviderapi.AnnotationAlphaProvidedIPAddr: "192.168.1.5"}
		for _, apply := range change {
			apply(n)
		}
		return n
	}
	fresh := withTaint(uninitializedTaint)
	done := func(n *corev1.Node) { n.Spec.ProviderID = "static://" + n.Name }
	for name, tt := range map[string]struct {
		node, other *corev1.Node
		shared      cloud.AddressType
		fails       bool
	}{
		"the older one waits too":    {made("n", 0, fresh), made("o", time.Hour, fresh), cloud.AddressInternalIP, true},
		"the younger one waits too":  {made("n", time.Hour, fresh), made("o", 0, fresh), cloud.AddressInternalIP, false},
		"another one is initialised": {made("n", time.Hour, fresh), made("o", 0, done), cloud.AddressInternalIP, true},
		"it is initialised":          {made("n", 0, done), made("o", time.Hour, fresh), cloud.AddressInternalIP, false},
		"another one has it as its ExternalIP": {made("n", 0, fresh), made("o", time.Hour, done, func(o *corev1.Node) {
			o.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr] = "192.168.1.6"
			o.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeExternalIP, Address: "192.168.1.5"}}
		}), cloud.AddressInternalIP, false},
		"another one has it in the form of IPv6": {made("n", 0, fresh), made("o", time.Hour, done, func(o *corev1.Node) {
			o.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr] = "::ffff:192.168.1.5"
		}), cloud.AddressInternalIP, true},
		"another kubelet claims many": {made("n", 0, fresh), made("o", time.Hour, done, func(o *corev1.Node) {
			o.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr] = "192.168.1.4,192.168.1.5"
		}), cloud.AddressInternalIP, false},
		"a public address behind a NAT": {made("n", 0, fresh), made("o", time.Hour, done), cloud.AddressExternalIP, false},
	} {
		t.Run(name, func(t *testing.T) {
			machine := cloud.Instance{ID: cloud.DescribedInstance("n"), ProviderID: "static://n", Addresses: []cloud.Address{{Type: tt.shared, Address: "192.168.1.5"}}}
			said := &saidEvents{}
			i := instancesOf(&fakeInventory{machine: machine})
			i.events, i.nodeIPs = said, NodeIPs{Nodes: func() []*corev1.Node { return []*corev1.Node{tt.other, tt.node} }}
			_, err := i.InstanceMetadata(t.Context(), tt.node)
			events := said.Take()
			if (err != nil) != tt.fails || (len(events) == 1) != tt.fails || tt.fails && !strings.Contains(events[0], "that Node o has") {
				t.Errorf("error %v, events %q", err, events)
			}
		})
	}
}

// What the cloud cannot say is no reason to write a Node's addresses, and none to blame its --node-ip.
func TestNodeNetworksWithoutAnswer(t *testing.T) {
	said := &saidEvents{}
	i := instancesOf(&fakeInventory{machine: cloud.Instance{ID: "1", ProviderID: "sim://1", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.5"}}}})
	i.events = said
	i.nodeIPs = NodeIPs{Networks: []netip.Prefix{netip.MustParsePrefix("100.64.0.0/10")}, Nodes: func() []*corev1.Node { return nil },
		Machines: func(context.Context, []netip.Addr) (map[netip.Addr]cloud.InstanceID, error) { panic("no answer") }}
	n := node("n", "", withTaint(uninitializedTaint))
	n.Annotations = map[string]string{cloudproviderapi.AnnotationAlphaProvidedIPAddr: "100.64.0.7"}
	got, err := i.InstanceMetadata(t.Context(), n)
	if events := said.Take(); err == nil || len(events) != 1 || !strings.HasPrefix(events[0], "NodeNotInitialised") {
		t.Errorf("metadata %v, error %v, events %q", got, err, events)
	}
}

func TestParseNodeNetworks(t *testing.T) {
	if got, err := ParseNodeNetworks([]string{" 10.8.0.0/24"}); err != nil || len(got) != 1 {
		t.Errorf("a space before a network: %v, %v", got, err)
	}
	if got, err := ParseNodeNetworks([]string{"100.64.0.0/10", ""}); err != nil || len(got) != 1 {
		t.Errorf("a comma at the end: %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"100.64.0.0/10":          "",
		"10.0.0.0/8":             "",
		"fd7a:115c:a1e0::/48":    "",
		"2001:db8::/32":          "",
		"100.64.0.7":             "is no network",
		"vpn":                    "is no network",
		strings.Repeat("a", 1e5): "characters more",
		"10.8.0.1/24":            "want 10.8.0.0/24, or 10.8.0.1/32",
		"0.0.0.0/0":              "too wide",
		"8.0.0.0/7":              "too wide",
		"::/0":                   "too wide",
		"fd00::/8":               "want /8 or narrower for IPv4 and /32 for IPv6",
		"::ffff:10.8.0.0/120":    "want 10.8.0.0/24",
		"127.0.0.0/8":            "addresses at which nobody reaches",
		"169.254.0.0/16":         "addresses at which nobody reaches",
		"224.0.0.0/8":            "addresses at which nobody reaches",
		"fe80::/64":              "addresses at which nobody reaches",
		"169.0.0.0/8":            "addresses at which nobody reaches",
	} {
		got, err := ParseNodeNetworks([]string{text})
		switch {
		case want == "" && (err != nil || len(got) != 1):
			t.Errorf("%q: %v, %v", text, got, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 1000):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
