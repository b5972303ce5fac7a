package sim_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/fault"
)

func TestParseProviderID(t *testing.T) {
	driver := newDriver(t, world.New(world.Options{}), nil)
	for id, want := range map[string]cloud.InstanceID{
		"sim://sim-1a/m-1":   "m-1",
		"sim://z/m-10":       "m-10",
		"sim:///m-1":         "",
		"sim://sim-1a/":      "",
		"sim://sim-1a/m-1/x": "",
		"sim://m-1":          "",
		"aws://sim-1a/m-1":   "",
		"sim://a b/m-1":      "",
		"sim://static/m-1":   "",
	} {
		got, err := driver.Machines.ParseProviderID(id)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ParseProviderID(%q) = %q, %v; want %q", id, got, err, want)
		}
	}
}

func TestEmbeddedWorld(t *testing.T) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	driver, err := sim.New(t.Context(), configure(transport, map[string]string{
		"SIM_LISTEN": "127.0.0.1:0", "SIM_FORWARD": "false", "SIM_MACHINES": "node-1=large@sim-1b, node-2, node-3=small@sim-1c@192.168.7.9",
	}))
	if err != nil {
		t.Fatal(err)
	}
	list, err := driver.Machines.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []cloud.Instance{
		{
			ID: "m-1", ProviderID: "sim://sim-1b/m-1", Name: "node-1", Type: "large", Region: "sim-1", Zone: "sim-1b",
			State: cloud.StateRunning, Labels: map[string]string{},
			Addresses: []cloud.Address{{Type: cloud.AddressHostname, Address: "node-1"}, {Type: cloud.AddressInternalIP, Address: "10.0.0.1"}, {Type: cloud.AddressExternalIP, Address: "198.18.0.1"}},
		},
		{
			ID: "m-2", ProviderID: "sim://sim-1a/m-2", Name: "node-2", Type: "small", Region: "sim-1", Zone: "sim-1a",
			State: cloud.StateRunning, Labels: map[string]string{},
			Addresses: []cloud.Address{{Type: cloud.AddressHostname, Address: "node-2"}, {Type: cloud.AddressInternalIP, Address: "10.0.0.2"}, {Type: cloud.AddressExternalIP, Address: "198.18.0.2"}},
		},
		{
			ID: "m-3", ProviderID: "sim://sim-1c/m-3", Name: "node-3", Type: "small", Region: "sim-1", Zone: "sim-1c",
			State: cloud.StateRunning, Labels: map[string]string{},
			Addresses: []cloud.Address{{Type: cloud.AddressHostname, Address: "node-3"}, {Type: cloud.AddressInternalIP, Address: "192.168.7.9"}},
		},
	}
	if difference := cmp.Diff(want, list.Items); difference != "" {
		t.Errorf("machines (-want +got):\n%s", difference)
	}
}

func TestEmbeddedWorldRefusesBadMachines(t *testing.T) {
	for machines, want := range map[string]string{
		"node-1=small@mars":     `zone "mars"`,
		"node-1=small@sim-1a@x": `"x" is no IP address`,
		"=small":                `machine "=small"`,
		"node-1=a@b@c@d":        "all but the name optional",
	} {
		_, err := sim.New(t.Context(), configure(http.DefaultTransport, map[string]string{"SIM_LISTEN": "127.0.0.1:0", "SIM_FORWARD": "false", "SIM_MACHINES": machines}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("SIM_MACHINES=%q: %v, want %q in it", machines, err, want)
		}
	}
}

func TestEmbeddedWorldRefusesBadForward(t *testing.T) {
	_, err := sim.New(t.Context(), configure(http.DefaultTransport, map[string]string{"SIM_LISTEN": "127.0.0.1:0", "SIM_FORWARD": "perhaps"}))
	if err == nil || !strings.Contains(err.Error(), "SIM_FORWARD") || !strings.Contains(err.Error(), `"perhaps" is not possible: want true or false`) {
		t.Errorf("SIM_FORWARD=perhaps: %v", err)
	}
}

func TestToken(t *testing.T) {
	w := world.New(world.Options{Token: "right"})
	for token, want := range map[string]cloud.Class{"right": "", "wrong": cloud.FailureUnauthorized, "": cloud.FailureUnauthorized} {
		driver := newDriver(t, w, map[string]string{"SIM_TOKEN": token})
		_, err := driver.Identity(t.Context())
		if want == "" && err != nil || want != "" && driver.Classify(err).Class != want {
			t.Errorf("token %q: %v, want class %q", token, err, want)
		}
	}
}

// A zone that is not available leaves its machines out of the list, which says so.
func TestUnavailableZone(t *testing.T) {
	w := world.New(world.Options{})
	for _, zone := range w.Zones() {
		if _, err := w.AddMachine(api.Machine{Name: "node-" + zone, Zone: zone}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.AddFault(fault.Fault{Operation: "listMachines", Effect: fault.EffectIncomplete}); err != nil {
		t.Fatal(err)
	}
	driver := newDriver(t, w, nil)
	list, err := driver.Machines.List(t.Context())
	if err != nil || list.Complete || len(list.Items) != 2 {
		t.Errorf("List = %d machines, complete %t, %v; want 2, false", len(list.Items), list.Complete, err)
	}
	if found, err := driver.Machines.FindByName(t.Context(), "node-sim-1a"); err == nil {
		t.Errorf("FindByName = %v without the machine's zone, want an error", found)
	}
}

// What the kernel does not manage stays as it is: here the user's own labels.
func TestUpdateKeepsForeignLabels(t *testing.T) {
	w := world.New(world.Options{})
	driver := newDriver(t, w, nil).Account.(*sim.Driver)
	in := cloud.Input{Spec: cloud.Spec{
		Owner:      cloud.Owner{Cluster: "c", Namespace: "shop", Name: "web", UID: "uid", Cloud: "sim"},
		Ports:      []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}},
		HealthPort: 10256,
	}}
	apply := func() {
		t.Helper()
		before, err := driver.Observe(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		after, _, err := driver.Normalize(in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := driver.Apply(t.Context(), cloud.Change{Input: in, Before: before, After: &after}); err != nil {
			t.Fatal(err)
		}
	}
	apply()
	if err := w.EditBalancer("lb-1", func(b *api.Balancer) {
		b.Labels = map[string]string{"team": "shop", "ccm-uid": "uid", "ccm-old": "mark"}
	}); err != nil {
		t.Fatal(err)
	}
	apply()
	want := map[string]string{
		"team": "shop", "ccm-cluster": "c", "ccm-namespace": "shop", "ccm-name": "web", "ccm-uid": "uid", "ccm-cloud": "sim",
	}
	if difference := cmp.Diff(want, w.Balancers()[0].Labels); difference != "" {
		t.Errorf("labels (-want +got):\n%s", difference)
	}
}

// The Services of clusters that were restored from one backup have equal UIDs. Each finds its own balancer, and what one records of
// a replacement may be the other one's.
func TestRestoredCluster(t *testing.T) {
	w := world.New(world.Options{})
	if _, err := w.AddMachine(api.Machine{Name: "node-1"}); err != nil {
		t.Fatal(err)
	}
	driver := newDriver(t, w, nil).Account.(*sim.Driver)
	for _, cluster := range []string{"theirs", "ours"} {
		_, err := w.CreateBalancer(api.BalancerSpec{
			Name: cluster, Listeners: []api.Listener{{Protocol: "tcp", Port: 80, NodePort: 30080}},
			HealthCheck: api.HealthCheck{Protocol: "tcp", Port: 30080}, Labels: map[string]string{"ccm-cluster": cluster, "ccm-uid": "uid"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, ref := range map[string]cloud.Input{
		"nothing is recorded":   {},
		"a replacement goes on": {Known: cloud.Known{Beside: &cloud.Observed{ID: "lb-9"}}},
		"one of theirs went on": {Known: cloud.Known{Beside: &cloud.Observed{ID: "lb-9"}, ID: "lb-1"}},
	} {
		ref.Owner = cloud.Owner{Cluster: "ours", UID: "uid"}
		observed, err := driver.Observe(t.Context(), ref)
		if err != nil || observed.ID != "lb-2" || len(observed.Duplicates) > 0 {
			t.Errorf("%s: found %q with the duplicates %v, %v; want lb-2 alone", name, observed.ID, observed.Duplicates, err)
		}
	}
}

func TestNormalizeNotes(t *testing.T) {
	driver := newDriver(t, world.New(world.Options{}), nil).Account.(*sim.Driver)
	_, notes, err := driver.Normalize(cloud.Input{Spec: cloud.Spec{
		SourceRanges: []netip.Prefix{netip.MustParsePrefix("::/0")},
		Ports:        []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}},
		Options:      map[string]string{sim.HealthProtocol.Name: "tcp", sim.HealthPath.Name: "/x"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, note := range notes {
		fields = append(fields, note.Field)
	}
	if difference := cmp.Diff([]string{sim.HealthPath.Name}, fields); difference != "" {
		t.Errorf("notes (-want +got):\n%s", difference)
	}
}

func TestEligible(t *testing.T) {
	driver := &sim.Driver{}
	for name, test := range map[string]struct {
		addresses []cloud.Address
		want      bool
	}{
		"private v4": {[]cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}}, true},
		"public v4":  {[]cloud.Address{{Type: cloud.AddressExternalIP, Address: "198.18.0.1"}}, true},
		"v6 only":    {[]cloud.Address{{Type: cloud.AddressInternalIP, Address: "fd00::1"}}, false},
		"a name":     {[]cloud.Address{{Type: cloud.AddressHostname, Address: "node.example"}}, false},
		"none":       {nil, false},
	} {
		if reason := driver.Eligible(cloud.Balancer{}, cloud.Target{Addresses: test.addresses}); (reason == "") != test.want {
			t.Errorf("%s: reason %q, want eligible %t", name, reason, test.want)
		}
	}
}
