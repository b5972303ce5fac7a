package gce_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// get reads one machine.
func (l lab) get(id cloud.InstanceID) cloud.Instance {
	l.t.Helper()
	found, err := l.driver.Machines.Get(l.t.Context(), id)
	l.must(err)
	machine, ok := found[id]
	if !ok {
		l.t.Fatalf("there is no %s", id)
	}
	return machine
}

func TestInstance(t *testing.T) {
	l := newLab(t, client{})
	l.server.Load(emulator.Seed{Instances: []emulator.Instance{{
		Name: "web-1", Zone: "europe-west1-b", MachineType: "n2-standard-4", InternalIP: "10.129.0.9", ExternalIP: "203.0.113.9",
	}}})
	want := cloud.Instance{
		ID: "europe-west1-b/web-1", ProviderID: "gce://test-project/europe-west1-b/web-1", Name: "web-1", Type: "n2-standard-4",
		Region: "europe-west1", Zone: "europe-west1-b", State: cloud.StateRunning,
		Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.129.0.9"}, {Type: cloud.AddressExternalIP, Address: "203.0.113.9"}},
	}
	if diff := cmp.Diff(want, l.get(want.ID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An access config without an address, as one of a stopped machine, is no address; a second
// interface counts; IPv6 addresses are internal ones, as upstream has them.
func TestAddresses(t *testing.T) {
	interfaces := []any{
		map[string]any{"networkIP": "10.128.0.9", "accessConfigs": []any{map[string]any{"type": "ONE_TO_ONE_NAT"}}, "ipv6Address": "fd20::1"},
		map[string]any{
			"networkIP": "10.200.0.9", "accessConfigs": []any{map[string]any{"natIP": "203.0.113.9"}},
			"ipv6AccessType": "EXTERNAL", "ipv6AccessConfigs": []any{map[string]any{"externalIpv6": "2600:1900::1"}},
		},
	}
	for conf, want := range map[string]string{
		"":                  "InternalIP 10.128.0.9, InternalIP 10.200.0.9, ExternalIP 203.0.113.9, InternalIP fd20::1, InternalIP 2600:1900::1",
		"stack-type = IPV6": "InternalIP fd20::1, InternalIP 2600:1900::1, InternalIP 10.128.0.9, InternalIP 10.200.0.9, ExternalIP 203.0.113.9",
	} {
		l := newLab(t, client{conf: conf})
		id := l.AddMachine("web-1")
		l.must(l.server.Edit(path(id), map[string]any{"networkInterfaces": interfaces}))
		var got []string
		for _, a := range l.get(id).Addresses {
			got = append(got, string(a.Type)+" "+a.Address)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, want %s", conf, got, want)
		}
	}
}

func TestStates(t *testing.T) {
	l := newLab(t, client{})
	id := l.AddMachine("web-1")
	for status, want := range map[string]cloud.State{
		"PROVISIONING": cloud.StatePending, "STAGING": cloud.StatePending, "RUNNING": cloud.StateRunning, "REPAIRING": cloud.StateRunning,
		"STOPPING": cloud.StateRunning, "SUSPENDING": cloud.StateRunning, "DEPROVISIONING": cloud.StateRunning,
		"STOPPED": cloud.StateStopped, "SUSPENDED": cloud.StateStopped, "TERMINATED": cloud.StateStopped,
	} {
		l.setStatus(id, status)
		if got := l.get(id).State; got != want {
			t.Errorf("%s is %s, want %s", status, got, want)
		}
	}
}

func TestFindByName(t *testing.T) {
	l := newLab(t, client{})
	for _, name := range []string{"web-1", "web-10", "twin", "twin"} {
		l.AddMachine(name)
	}
	for node, want := range map[string][]cloud.InstanceID{
		"web-1":                         {"us-central1-a/web-1"},
		"web-1.example.com":             {"us-central1-a/web-1"},
		"twin":                          {"us-central1-a/twin", "us-central1-b/twin"},
		"web-1.c.test-project.internal": {"us-central1-a/web-1"},
		"twin.us-central1-b.c.test-project.internal":  {"us-central1-b/twin"},
		"web-1.us-central1-b.c.test-project.internal": nil,
		"web-1.c.other-project.internal":              nil,
		"none":                                        nil,
		"10.128.0.2":                                  nil,
	} {
		found, err := l.driver.Machines.FindByName(t.Context(), node)
		l.must(err)
		if got := ids(found); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", node, got, want)
		}
	}
}

// A name of Google's DNS says where its machine is; nothing needs to be looked for.
func TestNameID(t *testing.T) {
	l := newLab(t, client{env: map[string]string{"GCE_NODE_PROJECTS": "example.com:shop"}})
	for node, want := range map[string]cloud.InstanceID{
		"web-1.us-central1-a.c.test-project.internal":     "us-central1-a/web-1",
		"web-1.us-central1-a.c.shop.example.com.internal": "example.com:shop/us-central1-a/web-1",
		"web-1.us-central1-a.c.other-project.internal":    "",
		"web-1.c.test-project.internal":                   "",
		"web-1.us-central1-a.c.test-project.example":      "",
		"web-1": "",
	} {
		if got := l.driver.Machines.Namer.NameID(node); got != want {
			t.Errorf("%s: %q, want %q", node, got, want)
		}
	}
}

// S4: a list without a zone proves nothing absent, and finds no name that it does not show.
func TestUnreachableZone(t *testing.T) {
	l := newLab(t, client{})
	l.AddMachine("web-1")
	l.AddMachine("web-1")
	l.server.SetUnreachable("zones/us-central1-b")
	list, err := l.driver.Machines.List(t.Context())
	l.must(err)
	if list.Complete || !slices.Equal(ids(list.Items), []cloud.InstanceID{"us-central1-a/web-1"}) {
		t.Errorf("complete %t: %q", list.Complete, ids(list.Items))
	}
	found, err := l.driver.Machines.FindByName(t.Context(), "web-1")
	if class := l.driver.Classify(err).Class; class != cloud.FailureTransient || found != nil {
		t.Errorf("%q, class %s: %v", ids(found), class, err)
	}
	l.server.SetUnreachable()
	list, err = l.driver.Machines.List(t.Context())
	l.must(err)
	if !list.Complete || len(list.Items) != 2 {
		t.Errorf("complete %t: %q", list.Complete, ids(list.Items))
	}
}

// S3: a machine of another project is never looked for in ours, unless it is configured.
func TestProjects(t *testing.T) {
	l := newLab(t, client{env: map[string]string{"GCE_NODE_PROJECTS": "batch-project, test-project"}})
	l.AddMachine("web-1")
	l.server.Load(emulator.Seed{Projects: []emulator.SeedProject{{ID: "batch-project"}, {ID: "other-project"}}, Instances: []emulator.Instance{
		{Project: "batch-project", Name: "web-1"}, {Project: "other-project", Name: "web-1"},
	}})
	list, err := l.driver.Machines.List(t.Context())
	l.must(err)
	want := []cloud.InstanceID{"batch-project/us-central1-a/web-1", "us-central1-a/web-1"}
	if !list.Complete || !slices.Equal(ids(list.Items), want) {
		t.Errorf("complete %t: %q, want %q", list.Complete, ids(list.Items), want)
	}
	for _, id := range want {
		machine := l.get(id)
		if parsed, err := l.driver.Machines.ParseProviderID(machine.ProviderID); parsed != id || err != nil {
			t.Errorf("%s is %q: %v", machine.ProviderID, parsed, err)
		}
	}
	for providerID, want := range map[string]bool{
		"gce://test-project/us-central1-a/web-1": true, "gce://batch-project/us-central1-a/web-1": true,
		"gce://other-project/us-central1-a/web-1": false, "gce://1000000000001/us-central1-a/web-1": true, "gce://": true, "aws:///z/i-1": false,
	} {
		if got := l.driver.Machines.ProviderIDScope.Concerns(providerID); got != want {
			t.Errorf("%s concerns us: %t, want %t", providerID, got, want)
		}
	}
}

// An instance of a project that cannot be read is not gone, though the API says "not found".
func TestProjectThatIsGone(t *testing.T) {
	l := newLab(t, client{env: map[string]string{"GCE_NODE_PROJECTS": "no-such-project"}})
	found, err := l.driver.Machines.Get(t.Context(), "no-such-project/us-central1-a/web-1")
	if class := l.driver.Classify(err).Class; err == nil || class == cloud.FailureNotFound {
		t.Errorf("%v, class %s: %v", found, class, err)
	}
}

// What is read of an instance is what is needed of it.
func TestRequestsAreSmall(t *testing.T) {
	l := newLab(t, client{})
	l.server.SeedInstances(500)
	list, err := l.driver.Machines.List(t.Context())
	l.must(err)
	if len(list.Items) != 500 {
		t.Fatalf("%d instances", len(list.Items))
	}
	for _, r := range l.server.Requests() {
		if !strings.Contains(r.Path, "/aggregated/") {
			continue
		}
		if r.Bytes > 500*1024 {
			t.Errorf("%d bytes for 500 instances", r.Bytes)
		}
		for _, part := range []string{"maxResults=500", "returnPartialSuccess=true", "fields="} {
			if !strings.Contains(r.Path, part) {
				t.Errorf("%s has no %s", r.Path, part)
			}
		}
	}
}

func TestRates(t *testing.T) {
	l := newLab(t, client{})
	id := l.AddMachine("web-1")
	l.server.SetRates(map[string]int{"read": 1})
	var last error
	for range 3 {
		_, last = l.driver.Machines.Get(t.Context(), id)
	}
	if class := l.driver.Classify(last).Class; class != cloud.FailureThrottled {
		t.Errorf("class %s: %v", class, last)
	}
	if text := fmt.Sprint(last); !strings.Contains(text, "rateLimitExceeded") || !strings.Contains(text, string(id)) {
		t.Errorf("the error does not say what happened: %s", text)
	}
}
