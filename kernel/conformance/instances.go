package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func (s *suite) instances(t *testing.T) {
	s.each(t, []check{
		{"an empty cloud has an empty complete list", emptyList},
		{"provider ids round-trip", providerIDs},
		{"malformed provider ids are errors", malformedProviderIDs},
		{"every form of provider id that upstream reads is read", providerIDForms},
		{"provider ids that do not concern us are not parsed", foreignProviderIDs},
		{"nodes that do not concern us cost nothing and are never gone", foreignNodes},
		{"machines that only their nodes describe cost nothing and are never gone", describedNodes},
		{"list is complete over several pages", wholeList},
		{"a failed page is an error or incomplete", partialList},
		{"get agrees with list", getAgreesWithList},
		{"an absent id is missing without an error", absentID},
		{"find by name gives none, one or every match", findByName},
		{"a stopped machine is stopped", stopped},
		{"a node keeps its own name and the order of its addresses", nodeShowsItsOwn},
		{"reading writes nothing", instancesOnlyRead},
	})
}

func emptyList(f *fixture) {
	list, err := f.driver.Machines.List(f.ctx())
	f.must(err, "List")
	if len(list.Items) != 0 || !list.Complete {
		f.Errorf("List = %d items, complete %t; want 0, true", len(list.Items), list.Complete)
	}
}

func providerIDs(f *fixture) {
	id := f.control.AddMachine("node-1")
	machine := f.get(id)
	scheme, _, _ := strings.Cut(machine.ProviderID, "://")
	if !slices.Contains(f.suite.Descriptor.ProviderIDSchemes, scheme) {
		f.Errorf("ProviderID %q: scheme is none of %v", machine.ProviderID, f.suite.Descriptor.ProviderIDSchemes)
	}
	parsed, err := f.driver.Machines.ParseProviderID(machine.ProviderID)
	f.must(err, "ParseProviderID")
	if parsed != id {
		f.Errorf("ParseProviderID(%q) = %q, want %q", machine.ProviderID, parsed, id)
	}
}

func malformedProviderIDs(f *fixture) {
	scheme := f.suite.Descriptor.ProviderIDSchemes[0]
	for _, malformed := range []string{"", scheme, scheme + "://", scheme + ":///", scheme + "://?", scheme + "://a b", scheme + "://\x00", "://1"} {
		if id, err := f.driver.Machines.ParseProviderID(malformed); err == nil || id != "" {
			f.Errorf("ParseProviderID(%q) = %q, %v, want an error and no id", malformed, id, err)
		}
	}
}

// providerIDForms: a provider-ID can never be changed, so a Node that upstream initialised has
// to be ours after a switch, whichever form it has.
func providerIDForms(f *fixture) {
	id := f.control.AddMachine("node-1")
	ours, _ := f.written(id)
	for _, text := range ours {
		parsed, err := f.driver.Machines.ParseProviderID(text)
		if err != nil || parsed != id || !f.concerns(text) {
			f.Errorf("provider-ID %q: machine %q, %v, concerns us: %t; want %q, and true", text, parsed, err, f.concerns(text), id)
		}
	}
}

// manyMachines adds more machines than fit on a page.
func manyMachines(f *fixture) []cloud.InstanceID {
	count := f.suite.Machines
	if count == 0 {
		count = f.suite.Descriptor.Limits.PageSize + 1
	}
	ids := make([]cloud.InstanceID, count)
	for i := range ids {
		ids[i] = f.control.AddMachine(fmt.Sprintf("node-%d", i+1))
	}
	return ids
}

func wholeList(f *fixture) {
	ids := manyMachines(f)
	reads, _ := f.control.Requests()
	list, err := f.driver.Machines.List(f.ctx())
	f.must(err, "List")
	if after, _ := f.control.Requests(); after-reads < 2 {
		f.Fatalf("List of %d machines took %d requests: that was not more than one page", len(ids), after-reads)
	}
	if !list.Complete {
		f.Error("List: Complete is false")
	}
	listed := map[cloud.InstanceID]int{}
	for _, item := range list.Items {
		listed[item.ID]++
	}
	for _, id := range ids {
		if listed[id] != 1 {
			f.Errorf("machine %s is listed %d times, want once", id, listed[id])
		}
	}
	if len(list.Items) != len(ids) {
		f.Errorf("List has %d items, want %d", len(list.Items), len(ids))
	}
}

func partialList(f *fixture) {
	ids := manyMachines(f)
	for _, fault := range []Fault{{Status: http.StatusServiceUnavailable}, {Truncate: true}, {Nonsense: true}, {Blank: true}} {
		f.control.Fail(fault, 1)
		list, err := f.driver.Machines.List(f.ctx())
		f.control.Heal()
		if err == nil && list.Complete {
			f.Errorf("List with the second page broken by %+v = %d of %d items, called complete", fault, len(list.Items), len(ids))
		}
	}
}

func getAgreesWithList(f *fixture) {
	for i := range 3 {
		f.control.AddMachine(fmt.Sprintf("node-%d", i+1))
	}
	list, err := f.driver.Machines.List(f.ctx())
	f.must(err, "List")
	for _, item := range list.Items {
		if difference := cmp.Diff(item, f.get(item.ID)); difference != "" {
			f.Errorf("List and Get disagree (-list +get):\n%s", difference)
		}
		if item.Name == "" || item.Type == "" || item.ProviderID == "" || len(item.Addresses) == 0 {
			f.Errorf("name, type, provider id and addresses are required: %+v", item)
		}
		if item.State != cloud.StateRunning {
			f.Errorf("state of a running machine = %q", item.State)
		}
	}
}

func absentID(f *fixture) {
	removed, kept := f.control.AddMachine("node-1"), f.control.AddMachine("node-2")
	f.control.RemoveMachine(removed)
	found, err := f.driver.Machines.Get(f.ctx(), removed)
	f.must(err, "Get of a removed machine")
	if len(found) != 0 {
		f.Errorf("Get of a removed machine = %v, want nothing", found)
	}
	if f.suite.Descriptor.Limits.GetBatch < 2 {
		return
	}
	found, err = f.driver.Machines.Get(f.ctx(), removed, kept)
	f.must(err, "Get of a removed and a present machine")
	if _, ok := found[kept]; !ok || len(found) != 1 {
		f.Errorf("Get of a removed and a present machine = %v, want the present one", found)
	}
}

func findByName(f *fixture) {
	f.control.AddMachine("other")
	want := map[cloud.InstanceID]bool{}
	for count := range 3 {
		found, err := f.driver.Machines.FindByName(f.ctx(), "node-1")
		f.must(err, "FindByName")
		got := map[cloud.InstanceID]bool{}
		for _, machine := range found {
			got[machine.ID] = true
		}
		if difference := cmp.Diff(want, got); difference != "" || len(found) != count {
			f.Errorf("FindByName with %d machines of that name (-want +got):\n%s", count, difference)
		}
		want[f.control.AddMachine("node-1")] = true
	}
}

func stopped(f *fixture) {
	id := f.control.AddMachine("node-1")
	f.control.StopMachine(id)
	if state := f.get(id).State; state != cloud.StateStopped {
		f.Errorf("state = %q, want %q", state, cloud.StateStopped)
	}
}

func instancesOnlyRead(f *fixture) {
	id := f.control.AddMachine("node-1")
	_, before := f.control.Requests()
	f.get(id)
	_, err := f.driver.Machines.List(f.ctx())
	f.must(err, "List")
	_, err = f.driver.Machines.FindByName(f.ctx(), "node-1")
	f.must(err, "FindByName")
	_, err = f.driver.Identity(f.ctx())
	f.must(err, "Identity")
	if _, after := f.control.Requests(); after != before {
		f.Errorf("%d writes", after-before)
	}
}

// get reads one machine that has to be there.
func (f *fixture) get(id cloud.InstanceID) cloud.Instance {
	f.Helper()
	found, err := f.driver.Machines.Get(f.ctx(), id)
	f.must(err, "Get")
	machine, ok := found[id]
	if !ok || machine.ID != id {
		f.Fatalf("Get(%s) = %v", id, found)
	}
	return machine
}
