package conformance

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func (s *suite) ownership(t *testing.T) {
	s.each(t, []check{
		{"observe decodes every mark", marksDecoded},
		{"marks survive updates", marksSurvive},
		{"another Service's balancer shows its owner", foreignOwner},
		{"a balancer without marks has no owner and can be adopted", adoption},
		{"a name alone is not a proof", onlyTheName},
	})
}

// owner checks what the marks claim.
func (f *fixture) owner(observed cloud.Observed, want cloud.Owner) {
	f.Helper()
	if difference := cmp.Diff(want, observed.Owner); difference != "" {
		f.Errorf("owner (-want +got):\n%s", difference)
	}
}

func marksDecoded(f *fixture) {
	spec, observed := f.ensure(f.spec(basic))
	f.owner(observed, spec.Ref.Owner)
	if observed.ByName {
		f.Error("ByName is true for a balancer found by id")
	}
}

func marksSurvive(f *fixture) {
	spec, _ := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	spec.Ports = spec.Ports[:1]
	spec, observed := f.ensure(f.withMachines(spec, "node-2"))
	f.owner(observed, spec.Ref.Owner)
}

func foreignOwner(f *fixture) {
	theirs, created := f.ensure(f.spec(basic))
	ours := f.spec(Service{Name: "other", Ports: basic.Ports})
	ours.Ref.Owner.Cluster = "another-cluster"
	ours.Ref.ID = created.ID
	observed, err := f.balancers().Observe(f.ctx(), ours)
	f.must(err, "Observe")
	if !observed.Found || observed.ID != created.ID {
		f.Fatalf("Observe by id = found %t, id %q; want %q", observed.Found, observed.ID, created.ID)
	}
	f.owner(observed, theirs.Ref.Owner)
}

func adoption(f *fixture) {
	theirs, _ := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	d := f.difference(theirs)
	d.after.Marks = nil
	d.operations = []cloud.Operation{{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: cloud.FieldMarks}}
	_, err := f.apply(d)
	f.must(err, "removing the marks")
	f.control.Settle()

	// Where several Services can share a balancer, listeners have marks too: those of others stay
	// theirs.
	ours := f.spec(Service{Name: "adopter", Ports: []cloud.Port{portDNST}})
	ours.Ref.ID, ours.Candidates = d.before.ID, theirs.Candidates
	observed, err := f.balancers().Observe(f.ctx(), ours)
	f.must(err, "Observe")
	if !observed.Found || observed.ByName || observed.Owner.UID != "" {
		f.Errorf("Observe of an unmarked balancer by id = found %t, by name %t, owner %+v; want no UID", observed.Found, observed.ByName, observed.Owner)
	}
	_, adopted := f.ensure(ours)
	f.owner(adopted, ours.Ref.Owner)
	if adopted.ID != d.before.ID {
		f.Errorf("adoption of %s ended with %s", d.before.ID, adopted.ID)
	}
}

func onlyTheName(f *fixture) {
	const portableName = annotation.Prefix + "name"
	if !slices.ContainsFunc(f.suite.Annotations, func(k annotation.Key) bool { return slices.Contains(k.Spellings(), portableName) }) {
		f.Skip("names cannot be chosen")
	}
	named := Service{Name: "theirs", Ports: basic.Ports, Annotations: annotated(annotation.Name, "shop-front")}
	theirs, created := f.ensure(f.spec(named))
	named.Name = "ours"
	ours := f.spec(named)
	ours.Ref.Owner.Cluster = "another-cluster"
	observed, err := f.balancers().Observe(f.ctx(), ours)
	f.must(err, "Observe")
	if !observed.Found {
		return // a cloud where names need not be unique may not look by name
	}
	if observed.ID != created.ID || !observed.ByName {
		f.Errorf("Observe by name = id %q, by name %t; want %q, true", observed.ID, observed.ByName, created.ID)
	}
	f.owner(observed, theirs.Ref.Owner)
}
