package conformance

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// variations change one thing at a time: what a Service says changes the balancer, and
// taking it back brings the former state back. Each has a cloud and a balancer of its own, or,
// where those are slow to make, all have the same.
func (s *suite) variations(t *testing.T) {
	start := func(t *testing.T) *fixture {
		f := s.start(t)
		f.control.AddMachine("node-1")
		return f
	}
	if s.Slow {
		start = start(t).in
	}
	for _, key := range s.Annotations {
		if key.Output || key.Name == s.Descriptor.IDAnnotation || isKernel(key) {
			continue
		}
		t.Run(key.Name, func(t *testing.T) { s.varyAnnotation(t, key, start) })
	}
	for _, v := range s.specVariations() {
		t.Run(v.name, func(t *testing.T) { vary(start(t), v.from, v.to) })
	}
	t.Run("every managed field was varied", s.everyField)
}

func isKernel(key annotation.Key) bool {
	return slices.ContainsFunc(annotation.Kernel(), func(k annotation.Key) bool { return k.Name == key.Name })
}

func (s *suite) varyAnnotation(t *testing.T, key annotation.Key, start func(*testing.T) *fixture) {
	sample, ok := s.Variations[key.Name]
	if !ok {
		t.Fatal("Harness.Variations has no sample value for this annotation")
	}
	if sample.Skip != "" {
		t.Skip(sample.Skip)
	}
	from := Service{Name: "varied", Ports: basic.Ports, Annotations: sample.With}
	if s.Slow {
		from.Ports = from.Ports[:1]
	}
	to := from
	to.Annotations = maps.Clone(sample.With)
	if to.Annotations == nil {
		to.Annotations = map[string]string{}
	}
	to.Annotations[key.Name] = sample.Value
	f := start(t)
	changed, now := vary(f, from, to)
	if !changed {
		t.Errorf("%s: %q changes nothing in the balancer", key.Name, sample.Value)
	}
	f.portably(key, to, now)
}

// specVariation is a change of a Service outside its annotations.
type specVariation struct {
	name     string
	from, to Service
	// again says that the way back of another variation is the same.
	again bool
}

func (s *suite) specVariations() []specVariation {
	moved := portHTTP
	moved.NodePort++
	with := func(ports ...cloud.Port) Service { return Service{Ports: ports, Annotations: s.With} }
	local, narrow, dual := with(portHTTP), with(portHTTP), with(portHTTP)
	mixed := with(portDNST, portDNS)
	mixed.Name = "mixed-protocols" // see Harness.Impossible
	local.Local, dual.DualStack, narrow.SourceRanges = true, true, []string{"203.0.113.0/24", "192.0.2.77/28"}
	all := []specVariation{
		{name: "a port more", from: with(portHTTP), to: with(portHTTP, portHTTPS)},
		{name: "a port less", from: with(portHTTP, portHTTPS), to: with(portHTTPS), again: true},
		{name: "another port", from: with(portHTTP), to: with(portHTTPS), again: true},
		{name: "another node port", from: with(portHTTP), to: with(moved)},
		{name: "local traffic policy", from: with(portHTTP), to: local},
		{name: "source ranges", from: with(portHTTP), to: narrow},
		{name: "two address families", from: with(portHTTP), to: dual},
		{name: "another protocol", from: with(portDNST), to: with(portDNS)},
		{name: "a second protocol", from: with(portDNST), to: mixed, again: true},
	}
	return slices.DeleteFunc(all, func(v specVariation) bool {
		return s.impossible(v.from) != "" || s.impossible(v.to) != "" || s.Slow && v.again
	})
}

// vary makes a balancer, changes it, changes it back, and makes one that is changed from
// the start; where that is slow, only if the change is one that only new balancers can have.
// It reports whether the change made any difference, and what a balancer that has it is like.
func vary(f *fixture, from, to Service) (changed bool, now cloud.Balancer) {
	f.Helper()
	from.Name, to.Name = "varied", "varied"
	before, original := f.ensure(f.withMachines(f.spec(from)))
	after := f.spec(to)
	after.ID, after.Candidates = before.ID, before.Candidates
	d := f.difference(after)
	changed = len(d.operations) > 0
	after.Preserved = pin(f, d)
	possible := f.difference(after).operations
	_, mutated := f.ensure(after)
	if len(possible) > 0 && cmp.Equal(mutated.Balancer, original.Balancer) {
		f.Error("the balancer did not change")
	}
	_, restored := f.ensure(before)
	if difference := cmp.Diff(original.Balancer, restored.Balancer); difference != "" {
		f.Errorf("taking the change back does not bring the balancer back (-original +restored):\n%s", difference)
	}
	if f.suite.Slow && after.Preserved == nil {
		return changed, mutated.Balancer
	}
	to.Name = "fresh"
	fresh := f.spec(to)
	fresh.Candidates = before.Candidates
	fresh, made := f.ensure(fresh)
	f.remove(fresh)
	return changed, made.Balancer
}

// immutable returns the operations of a draft that the cloud can't do.
func immutable(f *fixture, d draft) []cloud.Operation {
	return slices.DeleteFunc(slices.Clone(d.operations), func(op cloud.Operation) bool {
		return op.Kind != cloud.KindBalancer || !slices.Contains(f.suite.Descriptor.Capabilities.Immutable, op.Field)
	})
}

// pin returns Input.Preserved for the immutable fields a draft would change, and checks that
// Normalize keeps to it.
func pin(f *fixture, d draft) map[string]string {
	f.Helper()
	immutable := immutable(f, d)
	if len(immutable) == 0 {
		return nil
	}
	pinned := map[string]string{}
	for _, op := range immutable {
		pinned[op.Field] = op.Before
	}
	d.input.Preserved = pinned
	normalized, _, err := f.balancers().Normalize(d.input)
	f.must(err, "Normalize with pinned fields")
	fields := normalized.Fields()
	for field, value := range pinned {
		if fields[field] != value {
			f.Errorf("%s is pinned to %q, but Normalize says %q", field, value, fields[field])
		}
	}
	return pinned
}

// everyField fails for managed fields that had only one value in the whole run: nothing
// shows that they can be changed.
func (s *suite) everyField(t *testing.T) {
	for _, field := range slices.Sorted(maps.Keys(s.seen)) {
		values := s.seen[field]
		_, constant := s.Constant[field]
		switch {
		case field == cloud.FieldOwnershipTags || len(values) == 1 && values[""]:
		case constant && len(values) > 1:
			t.Errorf("%s is declared constant, but had the values %v", field, slices.Sorted(maps.Keys(values)))
		case !constant && len(values) == 1:
			t.Errorf("%s was always %v: vary it, or declare it in Harness.Constant", field, slices.Sorted(maps.Keys(values)))
		}
	}
}
