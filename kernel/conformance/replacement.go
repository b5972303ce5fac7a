package conformance

import (
	"maps"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// replacements checks what a driver has to do when a field changes that only a new balancer can
// have.
func (s *suite) replacements(t *testing.T) {
	s.each(t, []check{
		{"the old balancer goes first", replacedAfterDeletion},
		{"a refused replacement brings the old balancer back", replacedAgain},
		{"the new balancer is made beside the old one", replacedBeside},
		{"the balancer of a cluster restored from the same backup is no new one", replacedBesideAnothers},
		{"a new balancer that is not wanted any more leaves the old one alone", replacementGivenUp},
		{"check finds nothing wrong and writes nothing", checkOnlyReads},
	})
	for _, name := range slices.Sorted(maps.Keys(s.Refused)) {
		t.Run("check refuses "+name, func(t *testing.T) { refusedService(s.start(t), s.Refused[name]) })
	}
}

// replacedAfterDeletion: what was kept of the old balancer belongs to the new one, and goes with it.
func replacedAfterDeletion(f *fixture) {
	in, _ := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	replaceFirst(f, in)
	in, _ = f.ensure(in)
	_, before := f.control.Requests()
	f.ensure(in)
	if _, after := f.control.Requests(); after != before {
		f.Errorf("a second run with nothing changed made %d writes", after-before)
	}
	f.remove(in)
	f.nothingLeft()
}

// replaceFirst deletes the balancer so that another one follows.
func replaceFirst(f *fixture, in cloud.Input) {
	f.Helper()
	f.must(f.destroy(cloud.Change{Input: in, Replaced: true}), "deleting the old balancer")
	if after, err := f.balancers().Observe(f.ctx(), in); err != nil || after.Found {
		f.Fatalf("Observe after deletion = found %t, %v; want a clean not-found", after.Found, err)
	}
}

// replacedAgain: the balancer is made again with the values it had.
func replacedAgain(f *fixture) {
	in, old := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	fields, pinned := old.Balancer.Fields(), map[string]string{}
	for _, field := range f.suite.Descriptor.Capabilities.Immutable {
		pinned[field] = fields[field]
	}
	replaceFirst(f, in)
	in.Preserved = pinned
	in, _ = f.ensure(in)
	in.Preserved = nil
	f.remove(in)
	f.nothingLeft()
}

func replacerOf(f *fixture) cloud.Replacer {
	r := f.group().Replacer
	if r == nil {
		f.Skip("the driver has no Replacer")
	}
	if f.suite.Descriptor.IDAnnotation == "" {
		f.Fatal("a Replacer needs an IDAnnotation")
	}
	return r
}

// pair makes two balancers of one Service, and returns the spec of the one that serves and that of
// the one beside it.
func pair(f *fixture) (serves, next cloud.Input) {
	f.Helper()
	replacer := replacerOf(f)
	serves, old := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	next = serves
	next.ID, next.Beside = "", &old
	if reason := replacer.Coexist(next, old); reason != "" {
		f.Fatalf("Coexist of a plain Service = %q", reason)
	}
	if found, err := f.balancers().Observe(f.ctx(), next); err != nil || found.Found {
		f.Fatalf("Observe beside %s = found %t, id %q, %v; want a clean not-found", old.ID, found.Found, found.ID, err)
	}
	next, created := f.ensure(next)
	if created.ID == old.ID {
		f.Fatalf("the balancer beside %s has the same id", old.ID)
	}
	for _, id := range []string{"", created.ID} {
		next.ID = id
		if found, err := f.balancers().Observe(f.ctx(), next); err != nil || found.ID != created.ID {
			f.Errorf("Observe beside %s with id %q = found %t, id %q, %v; want %s", old.ID, id, found.Found, found.ID, err, created.ID)
		}
	}
	if found, err := f.balancers().Observe(f.ctx(), serves); err != nil || found.ID != old.ID {
		f.Errorf("Observe by the recorded id = found %t, id %q, %v; want %s", found.Found, found.ID, err, old.ID)
	}
	if d := f.difference(serves); len(d.operations) > 0 {
		f.Errorf("the new balancer changed the old one; needed now:\n%s", text(d.operations))
	}
	return serves, next
}

func replacedBeside(f *fixture) {
	old, next := pair(f)
	removeOne(f, old)
	next.Beside = nil
	next, _ = f.ensure(next)
	if d := f.difference(next); len(d.operations) > 0 {
		f.Errorf("needed after the old balancer is gone:\n%s", text(d.operations))
	}
	f.remove(next)
	f.nothingLeft()
}

// restored: the Services of clusters that were restored from one backup have equal UIDs. Only the cluster in the ownership tags tells that
// a second balancer is none of this cluster's, which would delete it as a duplicate.
func restored(f *fixture) {
	theirs, _ := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	ours := theirs
	ours.Owner.Cluster = "another-cluster"
	observed, err := f.balancers().Observe(f.ctx(), ours)
	f.must(err, "Observe")
	f.owner(observed, theirs.Owner)
	verdict := func(observed cloud.Observed) safety.Standing {
		return safety.Adoption{}.Judge(safety.Case{Service: ours.Owner, Observed: observed, Named: []string{theirs.ID}, Published: true}).Standing
	}
	if got := verdict(observed); got != safety.Claimed {
		f.Errorf("a balancer with another cluster's ownership tag is %s by its id, want %s", got, safety.Claimed)
	}
	for _, leaves := range []bool{false, true} {
		ours.ID, ours.Deleting = "", leaves
		observed, err := f.balancers().Observe(f.ctx(), ours)
		f.must(err, "Observe without an id")
		if got := verdict(observed); got != safety.Claimed && got != safety.Absent || observed.Found && !observed.ByName && !observed.Named {
			f.Errorf("leaves %t: Observe without an id = %q, by name %t, which is %s", leaves, observed.ID, observed.ByName, got)
		}
	}
}

// formerCluster: what has a former id of the cluster in its ownership tags is found by them, and gets the present id. Nothing of it is
// deleted or made anew.
func formerCluster(f *fixture) {
	was, created := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	now := was
	now.Owner.Cluster, now.Owner.Former, now.ID = "new-"+was.Owner.Cluster, cloud.FormerClusters(was.Owner.Cluster), ""
	observed, err := f.balancers().Observe(f.ctx(), now)
	f.must(err, "Observe")
	if f.owner(observed, was.Owner); observed.ID != created.ID {
		f.Fatalf("Observe without an id = %q, want %q", observed.ID, created.ID)
	}
	now.ID = created.ID
	for _, op := range f.difference(now).operations {
		if op.Field != cloud.FieldOwnershipTags {
			f.Errorf("the new id of the cluster takes\n%s", text([]cloud.Operation{op}))
		}
	}
	now, changed := f.ensure(now)
	want := now.Owner
	want.Former = ""
	if f.owner(changed, want); changed.ID != created.ID {
		f.Errorf("the balancer is %q, want %q", changed.ID, created.ID)
	}
	now.Owner.Former = "" // the flag goes
	if d := f.difference(now); len(d.operations) > 0 || d.before.ID != created.ID {
		f.Errorf("needed without the former id, of balancer %q:\n%s", d.before.ID, text(d.operations))
	}
	f.remove(now)
	f.nothingLeft()
}

// replacedBesideAnothers: where the other cluster's balancer was taken for the new one, the kernel would refuse it and make a second
// new one.
func replacedBesideAnothers(f *fixture) {
	replacerOf(f)
	serves, old := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	next := serves
	next.ID, next.Beside = "", &old
	theirs := next
	theirs.Owner.Cluster = "another-cluster"
	theirs, _ = f.ensure(theirs)
	if found, err := f.balancers().Observe(f.ctx(), next); err != nil || found.Found {
		f.Errorf("Observe beside %s = found %t, id %q of %+v, %v; want a clean not-found", old.ID, found.Found, found.ID, found.Owner, err)
	}
	theirs.Beside = nil // the other cluster knows of none
	f.must(f.destroy(cloud.Change{Input: theirs}), "deleting the other cluster's")
	f.remove(serves)
	f.nothingLeft()
}

func replacementGivenUp(f *fixture) {
	old, next := pair(f)
	removeOne(f, next)
	if d := f.difference(old); len(d.operations) > 0 {
		f.Errorf("needed after the new balancer is gone:\n%s", text(d.operations))
	}
	f.remove(old)
	f.nothingLeft()
}

// removeOne deletes one balancer of two.
func removeOne(f *fixture, in cloud.Input) {
	f.Helper()
	f.must(f.destroy(cloud.Change{Input: in, Replaced: true}), "deleting one of two")
}

func checkerOf(f *fixture) cloud.Checker {
	c := f.group().Checker
	if c == nil {
		f.Skip("the driver has no Checker")
	}
	return c
}

func checkOnlyReads(f *fixture) {
	checker := checkerOf(f)
	in := f.withMachines(f.spec(basic), "node-1")
	_, before := f.control.Requests()
	f.must(checker.Check(f.ctx(), f.difference(in).input, cloud.Observed{}), "Check before the creation")
	in, observed := f.ensure(in)
	_, created := f.control.Requests()
	f.must(checker.Check(f.ctx(), f.difference(in).input, observed), "Check before a replacement")
	if _, after := f.control.Requests(); after != created || before > created {
		f.Errorf("Check made %d writes", after-created)
	}
}

// refusedService checks that the cloud refuses the Service and that Check finds it first.
func refusedService(f *fixture, service Service) {
	f.Helper()
	in := f.withMachines(f.spec(service), "node-1")
	d, err := f.draft(in)
	if err == nil {
		in = d.input
		err = checkerOf(f).Check(f.ctx(), in, cloud.Observed{})
	}
	if err == nil {
		f.Error("neither Normalize nor Check finds anything wrong")
	}
}
