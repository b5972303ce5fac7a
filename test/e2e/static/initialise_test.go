package static_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// Whatever waits for its cloud is a static machine, with the region and the zone of the settings, in two writes at the most.
func TestEveryWaitingNodeIsStaticWithoutAFile(t *testing.T) {
	s := open(t)
	all := map[string]struct {
		node       controlplane.NodeOptions
		providerID string
		addresses  []string
	}{
		"told":          {controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.5"}, "static://told", []string{"InternalIP 192.168.1.5"}},
		"both-families": {controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.6,fd00::6"}, "static://both-families", []string{"InternalIP 192.168.1.6", "InternalIP fd00::6"}},
		"vpn":           {controlplane.NodeOptions{ProvidedNodeIP: "100.64.0.7", Ready: true}, "static://vpn", []string{"InternalIP 100.64.0.7"}},
		"of-deckhouse":  {controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.8", ProviderID: "static:///0d4c8f0a$"}, "static:///0d4c8f0a$", []string{"InternalIP 192.168.1.8"}},
		"given-an-id":   {controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.9", ProviderID: "static://rack-7"}, "static://rack-7", []string{"InternalIP 192.168.1.9"}},
	}
	for name, tt := range all {
		tt.node.Name = name
		s.join(tt.node)
	}
	s.start(nil)
	for name, tt := range all {
		node := s.node(name, is(tt.providerID, tt.addresses...))
		if region, zone := node.Labels[corev1.LabelTopologyRegion], node.Labels[corev1.LabelTopologyZone]; region != "home" || zone != "cellar" {
			t.Errorf("node %s is in region %q, zone %q", name, region, zone)
		}
	}
	s.looked()
	for name := range all {
		if writes := s.requests(controlplane.AuditFilter{Verbs: controlplane.WriteVerbs(), Resource: "nodes/*", Name: name}); len(writes) == 0 || len(writes) > 2 {
			t.Errorf("node %s took %d writes, want one or two", name, len(writes))
		}
	}
}

// A kubelet without --node-ip tells no address: its Node waits, and is initialised when it tells one.
func TestNodeWithoutAnAddressWaits(t *testing.T) {
	s := open(t)
	s.join(controlplane.NodeOptions{Name: "silent"})
	s.start(nil)
	s.eventually(func() error {
		if !strings.Contains(s.process.Log(), "set the kubelet's --node-ip") {
			return errors.New("the log does not say what is missing")
		}
		return nil
	})
	if node := s.get("silent"); !tainted(node, controlplane.UninitializedTaint) || node.Spec.ProviderID != "" {
		t.Errorf("it is %q with taints %v", node.Spec.ProviderID, node.Spec.Taints)
	}
	s.tell("silent", "192.168.1.5")
	s.node("silent", is("static://silent", "InternalIP 192.168.1.5"))
}

// A kubelet does not change addresses that its Node has: a new one, such as from DHCP, comes with the next pass.
func TestNewNodeIPReplacesTheOld(t *testing.T) {
	s := open(t)
	s.join(controlplane.NodeOptions{Name: "nas-1", ProvidedNodeIP: "192.168.1.5"}, controlplane.NodeOptions{Name: "nas-2", ProvidedNodeIP: "192.168.1.7"})
	s.start(nil)
	s.node("nas-1", is("static://nas-1", "InternalIP 192.168.1.5"))
	s.node("nas-2", is("static://nas-2", "InternalIP 192.168.1.7"))
	s.tell("nas-1", "192.168.1.6")
	s.node("nas-1", is("static://nas-1", "InternalIP 192.168.1.6"))
	s.looked()
	after := map[string]*corev1.Node{"nas-1": s.get("nas-1"), "nas-2": s.get("nas-2")}
	s.looked()
	for name, before := range after {
		if s.get(name).ResourceVersion != before.ResourceVersion {
			t.Errorf("node %s is written to although nothing changes", name)
		}
	}
}

// Of two Nodes with one address the first one has it, and goes on to have it while it is not Ready. The other one waits until it has one of
// its own, which it keeps.
func TestTwoNodesWithOneAddress(t *testing.T) {
	s := open(t)
	s.start(nil)
	s.join(controlplane.NodeOptions{Name: "first", ProvidedNodeIP: "192.168.1.5", Ready: true})
	first := s.node("first", is("static://first", "InternalIP 192.168.1.5"))
	waiting := s.join(controlplane.NodeOptions{Name: "second", ProvidedNodeIP: "192.168.1.5", Ready: true})
	s.warned("second", "NodeIPUnknown", "192.168.1.5", "Node first has")
	s.must(s.SetReady(s.within(), "first", false, "NodeStatusUnknown"))
	s.looked()
	s.untouched(waiting)

	s.tell("second", "192.168.1.6")
	s.node("second", is("static://second", "InternalIP 192.168.1.6"))
	s.tell("second", "192.168.1.5")
	s.looked()
	s.node("first", is("static://first", "InternalIP 192.168.1.5"))
	s.node("second", is("static://second", "InternalIP 192.168.1.6"))
	if s.get("first").UID != first.UID {
		t.Error("the first Node is another one")
	}
	s.undeleted()
}
