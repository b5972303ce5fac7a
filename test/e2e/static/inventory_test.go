package static_test

import (
	"errors"
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// described are the labels of a Node that tell its machine.
func described(region, zone, kind string, more map[string]string) map[string]string {
	all := map[string]string{}
	for key, value := range map[string]string{corev1.LabelTopologyRegion: region, corev1.LabelTopologyZone: zone, corev1.LabelInstanceTypeStable: kind} {
		if value != "" {
			all[key] = value
		}
	}
	maps.Copy(all, more)
	return all
}

// Of the entries that fit a Node the first one says what its machine is. All of it comes with the two writes that initialise the Node.
func TestFirstEntryThatFits(t *testing.T) {
	s := open(t)
	const entries = `region: land
zone: town
machines:
- {name: nas-1, zone: attic, type: n100, externalIPs: [203.0.113.7, "2001:db8::7"], labels: {disk: hdd, example.com/owner: anna}}
- {names: "rack2-*", region: abroad, zone: rack2, type: r640}
- {selector: "site=office,!old", zone: office}
- {name: rack2-9, zone: never}
- {name: given-an-id, zone: cage}
`
	office, old := map[string]string{"site": "office"}, map[string]string{"site": "office", "old": ""}
	all := map[string]struct {
		node      controlplane.NodeOptions
		id        string
		addresses []string
		labels    map[string]string
	}{
		"nas-1": {
			controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.5"}, "static://nas-1", []string{"InternalIP 192.168.1.5", "ExternalIP 203.0.113.7", "ExternalIP 2001:db8::7"},
			described("land", "attic", "n100", map[string]string{"disk": "hdd", "example.com/owner": "anna"}),
		},
		"rack2-1":     {controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.6"}, "static://rack2-1", []string{"InternalIP 192.168.1.6"}, described("abroad", "rack2", "r640", nil)},
		"rack2-9":     {controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.7"}, "static://rack2-9", []string{"InternalIP 192.168.1.7"}, described("abroad", "rack2", "r640", nil)},
		"desk":        {controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.8", Labels: office}, "static://desk", []string{"InternalIP 192.168.1.8"}, described("land", "office", "", office)},
		"given-an-id": {controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.9", ProviderID: "static://x"}, "static://x", []string{"InternalIP 192.168.1.9"}, described("land", "cage", "", nil)},
		// A provider-ID that is static says whose the Node is, whatever the file has.
		"unknown": {controlplane.NodeOptions{ProvidedNodeIP: "192.168.1.10", ProviderID: "static://y"}, "static://y", []string{"InternalIP 192.168.1.10"}, described("land", "town", "", nil)},
	}
	for name, tt := range all {
		tt.node.Name = name
		s.join(tt.node)
	}
	waiting := s.join(controlplane.NodeOptions{Name: "old-desk", ProvidedNodeIP: "192.168.1.11", Labels: old})
	f := s.file(head + entries)
	f.start()
	initialised := map[string]*corev1.Node{}
	for name, tt := range all {
		initialised[name] = s.node(name, is(tt.id, tt.addresses...))
		s.labelled(initialised[name], tt.labels)
	}
	s.looked()
	for name := range all {
		if writes := s.requests(controlplane.AuditFilter{Verbs: controlplane.WriteVerbs(), Resource: "nodes/*", Name: name}); len(writes) == 0 || len(writes) > 2 {
			t.Errorf("node %s took %d writes, want one or two", name, len(writes))
		}
	}
	s.untouched(waiting)

	// The same file, but every other Node is static too.
	f.write(head + "others: true\n" + entries)
	f.start()
	s.labelled(s.node("old-desk", is("static://old-desk", "InternalIP 192.168.1.11")), described("land", "town", "", old))
	s.looked()
	for name, before := range initialised {
		if s.get(name).ResourceVersion != before.ResourceVersion {
			t.Errorf("node %s is written to although its entry is the same", name)
		}
	}
	s.undeleted()
}

// labelled fails the test where a Node has other labels about its machine.
func (s *site) labelled(node *corev1.Node, want map[string]string) {
	s.Helper()
	have := map[string]string{}
	for _, key := range []string{corev1.LabelTopologyRegion, corev1.LabelTopologyZone, corev1.LabelInstanceTypeStable, "disk", "example.com/owner", "site", "old"} {
		if value, ok := node.Labels[key]; ok {
			have[key] = value
		}
	}
	if !maps.Equal(have, want) {
		s.Errorf("node %s has the labels %v, want %v", node.Name, have, want)
	}
}

// The kubelet's --node-ip is the InternalIP, without it the file's are. ExternalIPs are the file's.
func TestAddressesOfKubeletAndFile(t *testing.T) {
	s := open(t)
	s.join(
		controlplane.NodeOptions{Name: "both", ProvidedNodeIP: "192.168.1.5"},
		controlplane.NodeOptions{Name: "file-alone"},
		controlplane.NodeOptions{Name: "kubelet-alone", ProvidedNodeIP: "192.168.1.7,fd00::7"},
		controlplane.NodeOptions{Name: "public"},
		controlplane.NodeOptions{Name: "neither"},
		controlplane.NodeOptions{Name: "taken"},
		controlplane.NodeOptions{Name: "served", ProviderID: "static://served", Initialized: true, Ready: true},
	)
	f := s.file(head + `machines:
- {name: both, internalIPs: [10.0.0.5], externalIPs: [203.0.113.1]}
- {name: file-alone, internalIPs: [10.0.0.6, "fd00::6"], externalIPs: [203.0.113.1]}
- {name: kubelet-alone}
- {name: public, externalIPs: [203.0.113.2]}
- {name: neither}
- {name: taken, internalIPs: [192.168.1.5]}
- {name: served, internalIPs: [10.0.0.10]}
`)
	f.start()
	s.node("both", is("static://both", "InternalIP 192.168.1.5", "ExternalIP 203.0.113.1"))
	s.node("file-alone", is("static://file-alone", "InternalIP 10.0.0.6", "InternalIP fd00::6", "ExternalIP 203.0.113.1"))
	s.node("kubelet-alone", is("static://kubelet-alone", "InternalIP 192.168.1.7", "InternalIP fd00::7"))
	s.node("public", is("static://public", "ExternalIP 203.0.113.2"))
	s.node("served", is("static://served", "InternalIP 10.0.0.10"))
	s.looked()
	if node := s.get("neither"); !tainted(node, controlplane.UninitializedTaint) || node.Spec.ProviderID != "" || s.said("set the kubelet's --node-ip") == 0 {
		t.Errorf("a Node without any address is %q, with taints %v", node.Spec.ProviderID, node.Spec.Taints)
	}

	s.warned("taken", "NodeIPUnknown", "192.168.1.5", "Node both has")
	if node := s.get("taken"); !tainted(node, controlplane.UninitializedTaint) {
		t.Error("a Node is initialised with the address of another one")
	}

	// A kubelet that was started again with --node-ip knows better than the file.
	s.tell("file-alone", "192.168.1.6")
	s.node("file-alone", is("static://file-alone", "InternalIP 192.168.1.6", "ExternalIP 203.0.113.1"))
}

// An entry that fits says all ExternalIPs there are. Where none fits, nothing says that an address is wrong.
func TestAddressTakenOutOfTheFileGoes(t *testing.T) {
	s := open(t)
	s.join(
		controlplane.NodeOptions{Name: "fewer", ProvidedNodeIP: "192.168.1.5"},
		controlplane.NodeOptions{Name: "none", ProvidedNodeIP: "192.168.1.6"},
		controlplane.NodeOptions{Name: "out", ProvidedNodeIP: "192.168.1.7"},
	)
	f := s.file(head + `machines:
- {name: fewer, externalIPs: [203.0.113.1, 203.0.113.2]}
- {name: none, externalIPs: [203.0.113.3]}
- {name: out, externalIPs: [203.0.113.4], internalIPs: [10.0.0.7]}
`)
	f.start()
	s.node("fewer", is("static://fewer", "InternalIP 192.168.1.5", "ExternalIP 203.0.113.1", "ExternalIP 203.0.113.2"))
	s.node("none", is("static://none", "InternalIP 192.168.1.6", "ExternalIP 203.0.113.3"))
	out := s.node("out", is("static://out", "InternalIP 192.168.1.7", "ExternalIP 203.0.113.4"))

	f.replace(head + `machines:
- {name: fewer, externalIPs: [203.0.113.2]}
- {name: none}
`)
	s.node("fewer", is("static://fewer", "InternalIP 192.168.1.5", "ExternalIP 203.0.113.2"))
	s.node("none", is("static://none", "InternalIP 192.168.1.6"))
	s.looked()
	if now := s.get("out"); now.ResourceVersion != out.ResourceVersion {
		t.Error(errors.Join(errors.New("a Node that no entry fits any more was written to"), is("static://out", "InternalIP 192.168.1.7", "ExternalIP 203.0.113.4")(now)))
	}
}
