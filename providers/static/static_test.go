package static_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/static"
)

const nodeIP = "alpha.kubernetes.io/provided-node-ip"

func addresses(pairs ...string) []cloud.Address {
	var all []cloud.Address
	for n := 0; n < len(pairs); n += 2 {
		all = append(all, cloud.Address{Type: cloud.AddressType(pairs[n]), Address: pairs[n+1]})
	}
	return all
}

func TestAddressesOfTheKubelet(t *testing.T) {
	for name, tt := range map[string]struct {
		has   []cloud.Address
		given string
		want  []cloud.Address
	}{
		"nothing is known":                {nil, "", addresses("Hostname", "n")},
		"what the Node has":               {addresses("InternalIP", "10.0.0.1", "Hostname", "host"), "", addresses("Hostname", "host", "InternalIP", "10.0.0.1")},
		"--node-ip alone":                 {nil, "10.0.0.1", addresses("Hostname", "n", "InternalIP", "10.0.0.1")},
		"--node-ip takes the old's place": {addresses("Hostname", "n", "InternalIP", "10.0.0.1"), "10.0.0.2", addresses("Hostname", "n", "InternalIP", "10.0.0.2")},
		"of both families":                {addresses("InternalIP", "10.0.0.1"), "10.0.0.2,fd00::2", addresses("Hostname", "n", "InternalIP", "10.0.0.2", "InternalIP", "fd00::2")},
		"--node-ip that is none":          {addresses("InternalIP", "10.0.0.1"), "here", addresses("Hostname", "n", "InternalIP", "10.0.0.1")},
		"an external one stays":           {addresses("ExternalIP", "203.0.113.1", "InternalIP", "10.0.0.1"), "10.0.0.2", addresses("Hostname", "n", "InternalIP", "10.0.0.2", "ExternalIP", "203.0.113.1")},
	} {
		t.Run(name, func(t *testing.T) {
			node := cloud.NodeAttributes{Name: "n", Addresses: tt.has, Annotations: map[string]string{}}
			if tt.given != "" {
				node.Annotations[nodeIP] = tt.given
			}
			machine, ok := driver(t, nil, nil).Machines.Describer.FromNode(node)
			if diff := cmp.Diff(tt.want, machine.Addresses); !ok || diff != "" {
				t.Errorf("described: %t, addresses (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func TestNodesThatAreStatic(t *testing.T) {
	for providerID, want := range map[string]string{
		"":                      "static://n",
		"static://n":            "static://n",
		"static://another":      "static://another",
		"static:///0d4c8f0a":    "static:///0d4c8f0a",
		"k3s://n":               "k3s://n",
		"rke2://n":              "",
		"aws:///eu-west-1a/i-0": "",
		"static://":             "",
		"static://a b":          "",
		"n":                     "",
	} {
		d := driver(t, map[string]string{"STATIC_SCHEMES": "k3s", "STATIC_REGION": "home", "STATIC_ZONE": "cellar"}, nil)
		machine, ok := d.Machines.Describer.FromNode(cloud.NodeAttributes{Name: "n", ProviderID: providerID})
		if ok != (want != "") || machine.ProviderID != want {
			t.Errorf("%q: %t, %+v; want %q", providerID, ok, machine, want)
		}
		if ok && (machine.Region != "home" || machine.Zone != "cellar" || machine.State != cloud.StateRunning || machine.Type != "") {
			t.Errorf("%q: %+v", providerID, machine)
		}
	}
}

// Where another cloud is the one of Nodes that say nothing, none of them is static.
func TestNodesThatSayNothing(t *testing.T) {
	d, err := static.New(t.Context(), cloud.Config{Lookup: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	if machine, ok := d.Machines.Describer.FromNode(cloud.NodeAttributes{Name: "n"}); ok {
		t.Errorf("a Node that says nothing is %+v", machine)
	}
}

func TestSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		settings map[string]string
		want     []string
	}{
		"none":           {nil, nil},
		"all":            {map[string]string{"STATIC_SCHEMES": "k3s, rke2,static", "STATIC_REGION": "home", "STATIC_ZONE": "cellar-1"}, nil},
		"a cloud's":      {map[string]string{"STATIC_SCHEMES": "aws"}, []string{`STATIC_SCHEMES: "aws"`, "that no cloud has"}},
		"no scheme":      {map[string]string{"STATIC_SCHEMES": "k3s://"}, []string{`STATIC_SCHEMES: "k3s://"`, `"k3s,rke2"`}},
		"all are wrong":  {map[string]string{"STATIC_SCHEMES": "K3S", "STATIC_REGION": "my home", "STATIC_ZONE": "-"}, []string{"STATIC_SCHEMES", `STATIC_REGION: "my home"`, `STATIC_ZONE: "-"`}},
		"a value of 64":  {map[string]string{"STATIC_ZONE": strings.Repeat("z", 64)}, []string{"STATIC_ZONE", "at most 63"}},
		"a value of 63":  {map[string]string{"STATIC_ZONE": strings.Repeat("z", 63)}, nil},
		"a value of 1e5": {map[string]string{"STATIC_ZONE": strings.Repeat("z", 1e5)}, []string{"characters more"}},
	} {
		t.Run(name, func(t *testing.T) {
			config := cloud.Config{Lookup: func(name string) string { return tt.settings[name] }}
			err := static.Check(config)
			if _, refused := static.New(t.Context(), config); (err != nil) != (len(tt.want) > 0) || (refused != nil) != (err != nil) {
				t.Fatalf("Check: %v; New: %v", err, refused)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) || len(err.Error()) > 1000 {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

// FromNode is a function of the Node alone, and leaves it as it is.
func TestFromNodeIsPure(t *testing.T) {
	node := cloud.NodeAttributes{Name: "n", Addresses: addresses("InternalIP", "10.0.0.1"), Annotations: map[string]string{nodeIP: "10.0.0.2"}}
	d := driver(t, nil, nil).Machines.Describer
	first, _ := d.FromNode(node)
	first.Addresses[0].Address = "changed"
	second, _ := d.FromNode(node)
	if second.Addresses[0].Address != "n" || node.Addresses[0].Address != "10.0.0.1" || len(node.Addresses) != 1 {
		t.Errorf("%+v, %+v", second, node)
	}
}

// The kubelet's --node-ip is more than the file's internalIPs, these are more than what the Node has, and externalIPs are the file's alone
// where an entry fits.
func TestAddressesOfKubeletAndFile(t *testing.T) {
	const entries = "machines:\n- {name: all, internalIPs: [10.0.0.5, 'fd00::5'], externalIPs: [203.0.113.5]}\n- {name: bare, zone: attic}\n"
	d := driverOf(t, cloud.Config{Default: true, Inventory: source(t, entries+"others: true\n")}, nil)
	has := addresses("Hostname", "n", "InternalIP", "10.0.0.1", "ExternalIP", "203.0.113.1", "InternalDNS", "n.local")
	for name, tt := range map[string]struct {
		node, given string
		has, want   []cloud.Address
	}{
		"the file's":               {"all", "", nil, addresses("Hostname", "all", "InternalIP", "10.0.0.5", "InternalIP", "fd00::5", "ExternalIP", "203.0.113.5")},
		"in the place of others":   {"all", "", has, addresses("Hostname", "n", "InternalIP", "10.0.0.5", "InternalIP", "fd00::5", "ExternalIP", "203.0.113.5", "InternalDNS", "n.local")},
		"--node-ip first":          {"all", "10.0.0.2", has, addresses("Hostname", "n", "InternalIP", "10.0.0.2", "ExternalIP", "203.0.113.5", "InternalDNS", "n.local")},
		"an entry without":         {"bare", "", has, addresses("Hostname", "n", "InternalIP", "10.0.0.1", "InternalDNS", "n.local")},
		"an entry and --node-ip":   {"bare", "10.0.0.2", has, addresses("Hostname", "n", "InternalIP", "10.0.0.2", "InternalDNS", "n.local")},
		"one of the others":        {"else", "", has, addresses("Hostname", "n", "InternalIP", "10.0.0.1", "ExternalIP", "203.0.113.1", "InternalDNS", "n.local")},
		"one of them is given one": {"else", "10.0.0.2", has, addresses("Hostname", "n", "InternalIP", "10.0.0.2", "ExternalIP", "203.0.113.1", "InternalDNS", "n.local")},
	} {
		t.Run(name, func(t *testing.T) {
			node := cloud.NodeAttributes{Name: tt.node, Addresses: tt.has, Annotations: map[string]string{nodeIP: tt.given}}
			machine, ok := d.Machines.Describer.FromNode(node)
			if diff := cmp.Diff(tt.want, machine.Addresses); !ok || diff != "" {
				t.Errorf("described: %t, addresses (-want +got):\n%s", ok, diff)
			}
		})
	}
}

// An entry is of many Nodes: what one machine's owner changes is not another's.
func TestFromNodeKeepsTheInventory(t *testing.T) {
	d := driverOf(t, cloud.Config{Default: true, Inventory: source(t, "machines: [{names: '*', labels: {disk: hdd}, externalIPs: [203.0.113.5]}]")}, nil).Machines.Describer
	node := cloud.NodeAttributes{Name: "n"}
	first, _ := d.FromNode(node)
	first.Labels["disk"], first.Addresses[1].Address = "ssd", "203.0.113.6"
	if second, ok := d.FromNode(node); !ok || second.Labels["disk"] != "hdd" || second.Addresses[1].Address != "203.0.113.5" {
		t.Errorf("%t, %+v", ok, second)
	}
}

// Without an entry a Node that waits is nobody's. A provider-ID of ours is enough.
func TestNodesThatNoEntryFits(t *testing.T) {
	d := driverOf(t, cloud.Config{Default: true, Inventory: source(t, "region: land\nmachines: [{name: a}]")}, map[string]string{"STATIC_REGION": "home", "STATIC_ZONE": "cellar"}).Machines.Describer
	for want, node := range map[cloud.InstanceID]cloud.NodeAttributes{
		"":                                      {Name: "b"},
		cloud.DescribedInstance("static://a"):   {Name: "a"},
		cloud.DescribedInstance("static://b"):   {Name: "b", ProviderID: "static://b"},
		cloud.DescribedInstance("static://old"): {Name: "a", ProviderID: "static://old"},
	} {
		machine, ok := d.FromNode(node)
		if ok != (want != "") || machine.ID != want || ok && (machine.Region != "land" || machine.Zone != "cellar") {
			t.Errorf("%+v: %t, %+v", node, ok, machine)
		}
	}
}

func FuzzProviderID(f *testing.F) {
	for _, id := range []string{"static://n", "static:///a$b", "k3s://n", "static://", "aws:///z/i-1", ""} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		d := driver(t, nil, nil)
		machine, ok := d.Machines.Describer.FromNode(cloud.NodeAttributes{Name: "n", ProviderID: id})
		parsed, err := d.Machines.ParseProviderID(id)
		switch {
		case id == "":
		case ok != (err == nil), ok && (machine.ID != parsed || machine.ProviderID != id || !strings.HasPrefix(id, "static://")):
			t.Errorf("%q: described %t as %+v; parsed %q, %v", id, ok, machine, parsed, err)
		}
	})
}

func BenchmarkFromNode(b *testing.B) {
	d, err := static.New(b.Context(), cloud.Config{Default: true, Lookup: func(string) string { return "" }})
	if err != nil {
		b.Fatal(err)
	}
	node := cloud.NodeAttributes{Name: "n", ProviderID: "static://n", Addresses: addresses("Hostname", "n", "InternalIP", "10.0.0.1"), Annotations: map[string]string{nodeIP: "10.0.0.1"}}
	for b.Loop() {
		d.Machines.Describer.FromNode(node)
	}
}
