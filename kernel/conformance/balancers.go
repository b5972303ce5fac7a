package conformance

import (
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var basic = Service{Name: "basic", Ports: []cloud.Port{portHTTP, portHTTPS}}

func (s *suite) balancers(t *testing.T) {
	s.each(t, []check{
		{"absent is a clean not-found", absentBalancer},
		{"create, observe, nothing left to do", createObserve},
		{"a new balancer is found without its id", foundWithoutID},
		{"a new balancer is found with its predecessor's id", foundWithStaleID},
		{"a bulk list shows what a reading shows", listed},
		{"what a bulk list shows can be deleted", deletedAsListed},
		{"observe and normalize write nothing", balancersOnlyRead},
		{"normalize is pure", normalizeIsPure},
		{"everything is sorted and has no targets", canonical},
		{"portable annotations show as everywhere", (*fixture).portable},
		{"fields of a Service do what is declared", serviceFields},
		{"targets come and go", targetsChange},
		{"targets of removed machines can be replaced", targetsRemoved},
		{"a look for targets alone is enough to change them", justTargets},
		{"deleting twice succeeds and leaves nothing", deleteTwice},
		{"an operation that is not there is missing in the answer", unknownOperation},
		{"changes made by hand are repaired", tampered},
		{"a change interrupted anywhere is completed later", interrupted},
	})
	t.Run("ownership", s.ownership)
	t.Run("replacement", s.replacements)
	t.Run("variations", s.variations)
}

func absentBalancer(f *fixture) {
	in := f.spec(basic)
	observed, err := f.balancers().Observe(f.ctx(), in)
	f.must(err, "Observe")
	if observed.Found || observed.ID != "" {
		f.Errorf("Observe on an empty cloud = %+v, want Found false", observed)
	}
}

func createObserve(f *fixture) {
	in, observed := f.ensure(f.withMachines(f.spec(basic), "node-1", "node-2"))
	if len(observed.Addresses) == 0 {
		f.Error("an active balancer has no address")
	}
	if len(observed.Balancer.Targets) != 2 {
		f.Errorf("targets = %v, want both machines", observed.Balancer.Targets)
	}
	_, before := f.control.Requests()
	f.ensure(in)
	if _, after := f.control.Requests(); after != before {
		f.Errorf("a second run with nothing changed made %d writes", after-before)
	}
}

func foundWithoutID(f *fixture) {
	in, created := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	f.ensure(f.spec(Service{Name: "other", Ports: []cloud.Port{portDNST}}))
	in.ID = ""
	found, err := f.balancers().Observe(f.ctx(), in)
	f.must(err, "Observe without id")
	if !found.Found || found.ID != created.ID || found.Owner.UID != in.Owner.UID {
		f.Errorf("Observe without id = found %t, id %q, owner %+v; want %q with our UID", found.Found, found.ID, found.Owner, created.ID)
	}
}

// foundWithStaleID: the process died after it had created a balancer anew and before it could
// record the new id.
func foundWithStaleID(f *fixture) {
	in, old := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	f.remove(in)
	in.ID = ""
	_, created := f.ensure(in)
	if created.ID == old.ID {
		f.Skip("ids are names, so that of the predecessor is right")
	}
	in.ID = old.ID
	found, err := f.balancers().Observe(f.ctx(), in)
	f.must(err, "Observe with the id of the deleted balancer")
	if !found.Found || found.ID != created.ID || found.Owner.UID != in.Owner.UID {
		f.Errorf("Observe with a stale id = found %t, id %q, owner %+v; want %q with our UID", found.Found, found.ID, found.Owner, created.ID)
	}
}

func balancersOnlyRead(f *fixture) {
	in := f.withMachines(f.spec(basic), "node-1")
	_, before := f.control.Requests()
	f.difference(in)
	if _, after := f.control.Requests(); after != before {
		f.Errorf("%d writes before the balancer exists", after-before)
	}
	in, _ = f.ensure(in)
	in.Ports = in.Ports[:1]
	_, before = f.control.Requests()
	f.difference(in)
	if _, after := f.control.Requests(); after != before {
		f.Errorf("%d writes while the balancer exists", after-before)
	}
}

func normalizeIsPure(f *fixture) {
	in := f.withMachines(f.spec(Service{Name: "pure", Ports: []cloud.Port{portHTTPS, portHTTP}}), "node-1", "node-2")
	if _, refused := f.suite.Impossible["load-balancer-ip"]; !refused {
		in.LoadBalancerIP = "203.0.113.7"
	}
	if f.suite.Descriptor.Capabilities.SourceRanges {
		in.SourceRanges = []netip.Prefix{netip.MustParsePrefix("192.0.2.64/28"), netip.MustParsePrefix("203.0.113.0/24")}
	}
	observed, err := f.balancers().Observe(f.ctx(), in)
	f.must(err, "Observe")
	again, err := f.balancers().Observe(f.ctx(), in) // what is in findings can't be copied
	f.must(err, "Observe")
	in.Findings = observed.Findings
	given := copySpec(in)
	reads, writes := f.control.Requests()
	first, firstNotes, err := f.balancers().Normalize(in)
	f.must(err, "Normalize")
	var together sync.WaitGroup
	for range 4 { // the race detector watches the shared spec
		together.Go(func() {
			again, notes, err := f.balancers().Normalize(in)
			if err != nil || !reflect.DeepEqual(again, first) || !reflect.DeepEqual(notes, firstNotes) {
				f.Errorf("the same spec gave another answer (%v):\n%s", err, cmp.Diff(first, again))
			}
		})
	}
	together.Wait()
	if !in.Findings.Equal(again.Findings) {
		f.Errorf("Normalize changed what Observe found out from %+v to %+v", again.Findings, in.Findings)
	}
	if !reflect.DeepEqual(in, given) {
		f.Errorf("Normalize changed its input from %+v to %+v", given, in)
	}
	if r, w := f.control.Requests(); r != reads || w != writes {
		f.Errorf("Normalize made %d requests", r+w-reads-writes)
	}
}

func copySpec(s cloud.Input) cloud.Input {
	s.Ports, s.SourceRanges = slices.Clone(s.Ports), slices.Clone(s.SourceRanges)
	s.Candidates = slices.Clone(s.Candidates)
	for i := range s.Candidates {
		s.Candidates[i].Addresses = slices.Clone(s.Candidates[i].Addresses)
	}
	s.Options = maps.Clone(s.Options)
	s.Preserved = maps.Clone(s.Preserved)
	return s
}

func canonical(f *fixture) {
	in := f.withMachines(f.spec(basic), "node-1", "node-2", "node-3")
	normalized, _, err := f.balancers().Normalize(f.difference(in).input)
	f.must(err, "Normalize")
	if len(normalized.Targets) != 0 {
		f.Errorf("Normalize filled in targets: %v", normalized.Targets)
	}
	_, observed := f.ensure(in)
	for name, b := range map[string]cloud.Balancer{"Normalize": normalized, "Observe": observed.Balancer} {
		sorted := b.Clone()
		slices.Sort(sorted.Allow)
		slices.Sort(sorted.Deny)
		slices.Sort(sorted.OwnershipTags)
		slices.Sort(sorted.Targets)
		cloud.SortListeners(sorted.Listeners)
		if difference := cmp.Diff(sorted, b); difference != "" {
			f.Errorf("%s is not sorted (-sorted +got):\n%s", name, difference)
		}
	}
}

func targetsChange(f *fixture) {
	in := f.withMachines(f.spec(basic), "node-1", "node-2", "node-3")
	all := in.Candidates
	for _, candidates := range [][]cloud.Target{all[:2], all[1:], all, nil, all[:1]} {
		in.Candidates = candidates
		var observed cloud.Observed
		in, observed = f.ensure(in)
		var want []cloud.InstanceID
		for _, candidate := range candidates {
			want = append(want, candidate.InstanceID)
		}
		if !slices.Equal(observed.Balancer.Targets, want) {
			f.Errorf("targets = %v, want %v", observed.Balancer.Targets, want)
		}
	}
}

func targetsRemoved(f *fixture) {
	in, _ := f.ensure(f.withMachines(f.spec(basic), "node-1", "node-2"))
	f.control.RemoveMachine(in.Candidates[0].InstanceID)
	in = f.withMachines(in, "node-3")
	_, observed := f.ensure(in)
	if want := []cloud.InstanceID{in.Candidates[0].InstanceID, in.Candidates[1].InstanceID}; !slices.Equal(observed.Balancer.Targets, want) {
		f.Errorf("targets = %v, want %v", observed.Balancer.Targets, want)
	}
}

func deleteTwice(f *fixture) {
	in, observed := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	f.remove(in)
	_, err := f.balancers().Apply(f.ctx(), cloud.Change{Input: in, Before: observed})
	f.must(err, "deleting what is already gone")
	in.ID = ""
	if again, err := f.balancers().Observe(f.ctx(), in); err != nil || again.Found {
		f.Errorf("Observe without id after deletion = found %t, %v", again.Found, err)
	}
	f.nothingLeft()
}

// nothingLeft checks that what belonged to deleted balancers is gone too.
func (f *fixture) nothingLeft() {
	f.Helper()
	if inspector, ok := f.control.(Inspector); ok {
		if left := inspector.Leftovers(); len(left) > 0 {
			f.Errorf("left in the cloud: %v", left)
		}
	}
}

func tampered(f *fixture) {
	tamperer, ok := f.control.(Tamperer)
	if !ok {
		f.Skip("the control cannot change balancers by hand")
	}
	in, observed := f.ensure(f.withMachines(f.spec(Service{Name: "tampered", Ports: basic.Ports, Annotations: f.suite.With}), "node-1"))
	tried := 0
	for _, field := range tamperable(f, observed.Balancer) {
		if !tamperer.TamperBalancer(observed.ID, field) {
			continue
		}
		tried++
		if d := f.difference(in); !slices.ContainsFunc(d.operations, func(op cloud.Operation) bool {
			return strings.TrimSpace(op.Key+" "+op.Field) == field || string(op.Kind) == field
		}) {
			f.Errorf("%s was changed by hand, but the plan is only:\n%s", field, text(d.operations))
		}
		if !f.suite.Slow {
			f.ensure(in)
		}
	}
	if tried == 0 {
		f.Error("the control changed no field at all")
	}
	f.ensure(in)
}

// tamperable are the fields of a balancer and its listeners that can be changed, and the kinds of
// resources that it consists of.
func tamperable(f *fixture, b cloud.Balancer) []string {
	var fields []string
	for _, field := range slices.Sorted(maps.Keys(b.Fields())) {
		if !slices.Contains(f.suite.Descriptor.Capabilities.Immutable, field) {
			fields = append(fields, field)
		}
	}
	for _, l := range b.Listeners {
		for _, field := range slices.Sorted(maps.Keys(l.Fields())) {
			fields = append(fields, l.Key()+" "+field)
		}
	}
	if c := f.group().Composite; c != nil {
		for _, kind := range c.ResourceKinds() {
			fields = append(fields, kind.Name)
		}
	}
	return fields
}
