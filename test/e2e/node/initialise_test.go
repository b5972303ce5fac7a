package node_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

func address(kind corev1.NodeAddressType, value string) corev1.NodeAddress {
	return corev1.NodeAddress{Type: kind, Address: value}
}

// A Node gets what the cloud says of its machine. All Nodes are there when the CCM starts.
func TestInitialiseEach(t *testing.T) {
	s := open(t)
	machines, types := s.machines.seed(3), s.Cloud.Facts().Can(testcloud.Types)
	for _, m := range machines {
		_, err := s.JoinNode(s.within(patience), m.Node())
		s.must(err)
	}
	s.start()
	for _, m := range machines {
		node := s.node(m.Name, addressed)
		if node.Spec.ProviderID != m.ProviderID || (node.Labels[corev1.LabelInstanceTypeStable] != "") != types ||
			node.Labels[corev1.LabelTopologyRegion] != m.Region || node.Labels[corev1.LabelTopologyZone] != m.Zone {
			t.Errorf("%+v: provider-ID %s, labels %v", m, node.Spec.ProviderID, node.Labels)
		}
		got := addressesOf(node)
		if got[corev1.NodeInternalIP] != m.Internal || m.External != "" && got[corev1.NodeExternalIP] != m.External {
			t.Errorf("%+v: addresses %v", m, node.Status.Addresses)
		}
	}
}

// What a kubelet says about itself, what the cloud says about the machine, and what the
// Node then has. All Nodes are there when the CCM starts.
func TestInitialise(t *testing.T) {
	const (
		private, public, reserved = "10.1.0.5", "203.0.113.5", "203.0.113.99"
		public6                   = "2001:db8:1::5"
	)
	full := digitalocean.Droplet{PrivateIPv4: private, PublicIPv4: public, Region: "nyc3", Size: "s-2vcpu-4gb"}
	tests := []struct {
		name    string
		droplet digitalocean.Droplet
		node    controlplane.NodeOptions
		// withID makes the kubelet know the provider-ID.
		withID    bool
		addresses []corev1.NodeAddress
		labels    map[string]string
	}{
		{
			name: "ordinary", droplet: full,
			addresses: []corev1.NodeAddress{address(corev1.NodeHostName, "ordinary"), address(corev1.NodeInternalIP, private), address(corev1.NodeExternalIP, public)},
			labels: map[string]string{
				corev1.LabelInstanceTypeStable: "s-2vcpu-4gb", corev1.LabelInstanceType: "s-2vcpu-4gb",
				corev1.LabelTopologyRegion: "nyc3", corev1.LabelFailureDomainBetaRegion: "nyc3", corev1.LabelTopologyZone: "",
			},
		},
		{
			name: "with-provider-id", droplet: full, withID: true,
			addresses: []corev1.NodeAddress{address(corev1.NodeHostName, "with-provider-id"), address(corev1.NodeInternalIP, private), address(corev1.NodeExternalIP, public)},
		},
		{
			name: "dual-stack", droplet: digitalocean.Droplet{PrivateIPv4: private, PublicIPv4: public, PublicIPv6: public6, Region: "nyc3"},
			addresses: []corev1.NodeAddress{
				address(corev1.NodeHostName, "dual-stack"), address(corev1.NodeInternalIP, private),
				address(corev1.NodeExternalIP, public), address(corev1.NodeExternalIP, public6),
			},
		},
		{
			name: "private-only", droplet: digitalocean.Droplet{PrivateIPv4: private, Region: "nyc3"},
			addresses: []corev1.NodeAddress{address(corev1.NodeHostName, "private-only"), address(corev1.NodeInternalIP, private)},
		},
		{
			name: "ipv6-only", droplet: digitalocean.Droplet{PublicIPv6: public6, Region: "nyc3"},
			addresses: []corev1.NodeAddress{address(corev1.NodeHostName, "ipv6-only"), address(corev1.NodeExternalIP, public6)},
		},
		{
			name: "reserved-ip", droplet: digitalocean.Droplet{PrivateIPv4: private, PublicIPv4: public, ReservedIPv4: reserved, Region: "nyc3"},
			addresses: []corev1.NodeAddress{address(corev1.NodeHostName, "reserved-ip"), address(corev1.NodeInternalIP, private), address(corev1.NodeExternalIP, public)},
		},
		{
			name: "no-region", droplet: digitalocean.Droplet{PrivateIPv4: private, PublicIPv4: public},
			addresses: []corev1.NodeAddress{address(corev1.NodeHostName, "no-region"), address(corev1.NodeInternalIP, private), address(corev1.NodeExternalIP, public)},
			labels:    map[string]string{corev1.LabelTopologyRegion: ""},
		},
		{
			name: "node-ip", droplet: full, node: controlplane.NodeOptions{ProvidedNodeIP: private},
			addresses: []corev1.NodeAddress{address(corev1.NodeInternalIP, private), address(corev1.NodeHostName, "node-ip"), address(corev1.NodeExternalIP, public)},
		},
		{
			name: "10.1.0.77", droplet: digitalocean.Droplet{Name: "named-otherwise", PrivateIPv4: "10.1.0.77", PublicIPv4: public, Region: "nyc3"},
			addresses: []corev1.NodeAddress{address(corev1.NodeHostName, "10.1.0.77"), address(corev1.NodeInternalIP, "10.1.0.77"), address(corev1.NodeExternalIP, public)},
		},
		{
			name: "upper-case", droplet: digitalocean.Droplet{Name: "Upper-Case", PrivateIPv4: private, Region: "nyc3"},
			addresses: []corev1.NodeAddress{address(corev1.NodeHostName, "upper-case"), address(corev1.NodeInternalIP, private)},
		},
	}
	s := openOwn(t, "what it says of a droplet")
	ids := map[string]int{}
	for _, tt := range tests {
		droplet := tt.droplet
		droplet.Status = digitalocean.DropletActive
		if droplet.Name == "" {
			droplet.Name = tt.name
		}
		ids[tt.name] = s.Cloud.Droplets.Add(droplet)
		tt.node.Name = tt.name
		if tt.withID {
			tt.node.ProviderID = fmt.Sprintf("digitalocean://%d", ids[tt.name])
		}
		_, err := s.JoinNode(s.within(patience), tt.node)
		s.must(err)
	}
	s.start()
	for _, tt := range tests {
		node := s.node(tt.name, initialised)
		if got, want := node.Spec.ProviderID, fmt.Sprintf("digitalocean://%d", ids[tt.name]); got != want {
			t.Errorf("%s: provider-ID %s, want %s", tt.name, got, want)
		}
		if diff := cmp.Diff(tt.addresses, node.Status.Addresses); diff != "" {
			t.Errorf("%s: addresses (-want +got):\n%s", tt.name, diff)
		}
		for key, want := range tt.labels {
			if got := node.Labels[key]; got != want {
				t.Errorf("%s: label %s is %q, want %q", tt.name, key, got, want)
			}
		}
	}
}

// Upstream's status loop takes a Node with two addresses of one type for changed, each time,
// and writes an empty patch.
func TestDualStackWritesNothingInStatusPasses(t *testing.T) {
	s := openOwn(t, "droplets with two addresses of one type")
	for i := range 5 {
		d := s.Cloud.Droplets.Seed(1, func(d *digitalocean.Droplet) { d.PublicIPv6 = digitalocean.PublicIPv6For(i) })[0]
		_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: d.Name, Ready: true})
		s.must(err)
	}
	p := s.start("--node-status-update-frequency=1s")
	for i := range 5 {
		s.node(fmt.Sprintf("node-%d", i), func(node *corev1.Node) error {
			if err := initialised(node); err != nil {
				return err
			}
			if n := len(node.Status.Addresses); n != 4 {
				return fmt.Errorf("%d addresses", n)
			}
			return nil
		})
	}
	since := time.Now()
	before := passes(p.Log())
	s.eventually(func() error {
		if n := passes(p.Log()) - before; n < 4 {
			return fmt.Errorf("%d status passes", n)
		}
		return nil
	})
	patches, err := s.AuditEvents(controlplane.AuditFilter{User: account, Verbs: controlplane.WriteVerbs(), Resource: "nodes/*", Since: since})
	s.must(err)
	for _, e := range patches {
		t.Errorf("%s %s %s", e.Verb, e.RequestURI, e.RequestObject)
	}
}

// Two machines have the name of one Node: it is told about, and neither is taken.
func TestAmbiguousName(t *testing.T) {
	s := open(t, testcloud.Chosen, testcloud.Twins)
	twins := append(s.machines.named("twin"), s.machines.named("twin")...)
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: "twin"})
	s.must(err)
	s.start()
	s.event("twin", "AmbiguousInstance")
	if node := s.node("twin", func(*corev1.Node) error { return nil }); node.Spec.ProviderID != "" {
		t.Errorf("the node got provider-ID %s", node.Spec.ProviderID)
	}
	s.machines.remove(twins[0])
	if node := s.node("twin", initialised); node.Spec.ProviderID != twins[1].ProviderID {
		t.Errorf("the node got provider-ID %s, want %s", node.Spec.ProviderID, twins[1].ProviderID)
	}
}

// A Node that no machine belongs to says so, and is initialised once there is one.
func TestMachineComesAfterNode(t *testing.T) {
	s := open(t, testcloud.API, testcloud.Chosen)
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: "early"})
	s.must(err)
	s.start()
	s.event("early", "InstanceNotFound")
	s.machines.named("early")
	s.node("early", initialised)
}

// The kubelet's --node-ip is not among the machine's addresses: the Node stays tainted.
func TestWrongNodeIPKeepsTheTaint(t *testing.T) {
	s := open(t, testcloud.API)
	d := s.machines.seed(1)[0]
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: d.Name, ProvidedNodeIP: "10.99.99.99"})
	s.must(err)
	p := s.start()
	s.eventually(func() error {
		if !contains(p.Log(), "10.99.99.99") {
			return fmt.Errorf("the log does not name the address")
		}
		return nil
	})
	if node := s.node(d.Name, func(*corev1.Node) error { return nil }); !tainted(node, controlplane.UninitializedTaint) {
		t.Error("the node lost its taint")
	}
}

// Nodes that are not ours are never written to, whatever their condition, whatever the
// cloud says about ids like theirs.
func TestOthersNodesAreNotTouched(t *testing.T) {
	s := open(t)
	d := s.machines.seed(1)[0]
	others := []controlplane.NodeOptions{
		{Name: "linode", ProviderID: "linode://42"},
		{Name: "linode-ready", ProviderID: "linode://43", Initialized: true, Ready: true},
		{Name: "k3s", ProviderID: "k3s://k3s", Initialized: true},
		{Name: "on-premises", Initialized: true},
		{Name: "opted-out", Labels: map[string]string{"multicloud-ccm.io/unmanaged": "true"}},
		{Name: "opted-out-gone", ProviderID: d.ProviderID + "0", Initialized: true, Labels: map[string]string{"multicloud-ccm.io/unmanaged": "true"}},
	}
	if !s.Cloud.Facts().BareIDs {
		others = append(others, controlplane.NodeOptions{Name: "no-scheme", ProviderID: d.ID})
	}
	versions := map[string]types.UID{}
	before := map[string]string{}
	for _, o := range others {
		node, err := s.JoinNode(s.within(patience), o)
		s.must(err)
		versions[o.Name], before[o.Name] = node.UID, node.ResourceVersion
	}
	_, err := s.JoinNode(s.within(patience), d.Node())
	s.must(err)
	s.start("--node-status-update-frequency=1s")
	s.node(d.Name, initialised)
	s.never(10*time.Second, func() error {
		for name, uid := range versions {
			node, err := s.Client().CoreV1().Nodes().Get(s.within(patience), name, metav1.GetOptions{})
			if err != nil {
				return fmt.Errorf("node %s: %w", name, err)
			}
			if node.UID != uid || node.ResourceVersion != before[name] {
				return fmt.Errorf("node %s was changed", name)
			}
		}
		return nil
	})
	for _, e := range s.audit(controlplane.AuditFilter{Verbs: controlplane.WriteVerbs(), Resource: "nodes/*"}) {
		if _, theirs := versions[e.Object.Name]; theirs {
			t.Errorf("%s %s", e.Verb, e.RequestURI)
		}
	}
	for _, r := range s.Cloud.Requests() {
		if r.Method == http.MethodGet && (strings.HasSuffix(r.Path, "/"+d.ID+"0") || strings.HasSuffix(r.Path, "/42")) {
			t.Errorf("the cloud was asked for %s", r.Path)
		}
	}
}
