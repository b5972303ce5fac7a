package conformance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

func (s *suite) ownership(t *testing.T) {
	s.each(t, []check{
		{"observe decodes every ownership tag", ownershipTagsDecoded},
		{"a list says whose balancers are", ownersListed},
		{"ownership tags survive updates", ownershipTagsSurvive},
		{"another Service's balancer shows its owner", foreignOwner},
		{"a cluster restored from the same backup is another one", restored},
		{"a former id of the cluster is the cluster", formerCluster},
		{"two balancers that nothing but the name proves", rivals},
		{"a balancer without ownership tags has no owner and can be adopted", adoption},
		{"a name alone is not a proof", onlyTheName},
		{"whose a balancer is can be told", standings},
		{"a name that another Service's balancer has", sameName},
		{"a text that is no id", notAnID},
		{"two processes create at once", createdTwice},
		{"a balancer that the cloud protects from deletion", protected},
	})
}

// owner checks what the ownership tags claim.
func (f *fixture) owner(observed cloud.Observed, want cloud.Owner) {
	f.Helper()
	if difference := cmp.Diff(want, observed.Owner); difference != "" {
		f.Errorf("owner (-want +got):\n%s", difference)
	}
}

func ownershipTagsDecoded(f *fixture) {
	in, observed := f.ensure(f.spec(basic))
	f.owner(observed, in.Owner)
	if observed.ByName {
		f.Error("ByName is true for a balancer found by id")
	}
}

// ownersListed: the list says of each balancer whose it is, as a reading of it does, that nobody deletes it, and when it was made where
// the cloud tells that.
func ownersListed(f *fixture) {
	lister := f.group().OwnedLister
	if lister == nil {
		return
	}
	want := map[string]cloud.Owner{}
	var us cloud.Owner
	for _, name := range []string{"basic", "other"} {
		in, observed := f.ensure(f.spec(Service{Name: name, Ports: []cloud.Port{portHTTP}}))
		want[observed.ID], us = in.Owner, cloud.Owner{Cluster: in.Owner.Cluster, Cloud: in.Owner.Cloud}
	}
	ownersAre(f, lister, us, want)
	us.Cluster, us.Former = "renamed", cloud.NewFormerClusters("older", us.Cluster)
	ownersAre(f, lister, us, want)
}

// ownersAre lists balancers with their owners.
func ownersAre(f *fixture, lister cloud.OwnedLister, us cloud.Owner, want map[string]cloud.Owner) {
	list, err := lister.ListOwned(f.ctx(), us)
	f.must(err, "ListOwned")
	got := map[string]cloud.Owner{}
	for _, b := range list {
		if len(b.Owners) != 1 || b.Deleting || len(b.Addresses) == 0 || b.Created.After(time.Now().Add(time.Hour)) {
			f.Errorf("ListOwned shows %+v", b)
			continue
		}
		got[b.ID] = b.Owners[0]
	}
	if difference := cmp.Diff(want, got); difference != "" {
		f.Errorf("ListOwned (-want +got):\n%s", difference)
	}
}

func ownershipTagsSurvive(f *fixture) {
	in, _ := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	in.Ports = in.Ports[:1]
	in, observed := f.ensure(f.withMachines(in, "node-2"))
	f.owner(observed, in.Owner)
}

func foreignOwner(f *fixture) {
	theirs, created := f.ensure(f.spec(basic))
	ours := f.spec(Service{Name: "other", Ports: basic.Ports})
	ours.Owner.Cluster = "another-cluster"
	ours.ID = created.ID
	observed, err := f.balancers().Observe(f.ctx(), ours)
	f.must(err, "Observe")
	if !observed.Found || observed.ID != created.ID {
		f.Fatalf("Observe by id = found %t, id %q; want %q", observed.Found, observed.ID, created.ID)
	}
	f.owner(observed, theirs.Owner)
}

// rivals: the driver tells of the other one, so that neither is taken. Where names are unique there is none.
func rivals(f *fixture) {
	if !hasNames(f) {
		f.Skip("names cannot be chosen")
	}
	var ids []string
	named := Service{Ports: basic.Ports, Annotations: annotated(annotation.Name, "shop-front")}
	for _, name := range []string{"first", "second"} {
		named.Name = name
		in := f.withMachines(f.spec(named), "node-1")
		in.Refused = ids
		created, err := f.reconcile(in)
		if err != nil || !created.Found || slices.Contains(ids, created.ID) {
			f.Skip("names are unique")
		}
		in.ID = created.ID
		d := f.difference(in)
		d.after.OwnershipTags = nil
		d.operations = []cloud.Operation{{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: cloud.FieldOwnershipTags}}
		_, err = f.apply(d)
		f.must(err, "removing the ownership tags")
		f.control.Settle()
		ids = append(ids, created.ID)
	}
	named.Name = "third"
	slices.Sort(ids)
	in := f.spec(named)
	observed, err := f.balancers().Observe(f.ctx(), in)
	f.must(err, "Observe")
	if !observed.Found || observed.ID != ids[0] || !slices.Equal(observed.Rivals, ids[1:]) {
		f.Errorf("Observe by a name that %q have = %q, rivals %q; want the smaller one and the other", ids, observed.ID, observed.Rivals)
	}
	if verdict := (safety.Adoption{}).Judge(safety.Case{Service: in.Owner, Observed: observed}); observed.ByName && verdict.Standing != safety.Ambiguous {
		f.Errorf("a balancer with rivals is %s, want %s", verdict.Standing, safety.Ambiguous)
	}
	in.ID = ids[1]
	if observed, err = f.balancers().Observe(f.ctx(), in); err != nil || observed.ID != ids[1] || len(observed.Rivals) > 0 {
		f.Errorf("Observe by id = %q, rivals %q, %v; want %q alone", observed.ID, observed.Rivals, err, ids[1])
	}
}

func adoption(f *fixture) {
	theirs, _ := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	d := f.difference(theirs)
	d.after.OwnershipTags = nil
	d.operations = []cloud.Operation{{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: cloud.FieldOwnershipTags}}
	_, err := f.apply(d)
	f.must(err, "removing the ownership tags")
	f.control.Settle()

	// Where several Services can share a balancer, listeners have ownership tags too: those of others stay
	// theirs.
	ours := f.spec(Service{Name: "adopter", Ports: []cloud.Port{portDNST}})
	ours.ID, ours.Candidates = d.before.ID, theirs.Candidates
	observed, err := f.balancers().Observe(f.ctx(), ours)
	f.must(err, "Observe")
	if !observed.Found || observed.ByName || observed.Owner.UID != "" {
		f.Errorf("Observe of an untagged balancer by id = found %t, by name %t, owner %+v; want no UID", observed.Found, observed.ByName, observed.Owner)
	}
	_, adopted := f.ensure(ours)
	f.owner(adopted, ours.Owner)
	if adopted.ID != d.before.ID {
		f.Errorf("adoption of %s ended with %s", d.before.ID, adopted.ID)
	}
}

func onlyTheName(f *fixture) {
	if !hasNames(f) {
		f.Skip("names cannot be chosen")
	}
	named := Service{Name: "theirs", Ports: basic.Ports, Annotations: annotated(annotation.Name, "shop-front")}
	theirs, created := f.ensure(f.spec(named))
	named.Name = "ours"
	ours := f.spec(named)
	ours.Owner.Cluster = "another-cluster"
	observed, err := f.balancers().Observe(f.ctx(), ours)
	f.must(err, "Observe")
	if !observed.Found {
		return // a cloud where names need not be unique may not look by name
	}
	if observed.ID != created.ID || !observed.ByName {
		f.Errorf("Observe by name = id %q, by name %t; want %q, true", observed.ID, observed.ByName, created.ID)
	}
	f.owner(observed, theirs.Owner)
}

// standings: a Service of another namespace, or of another cluster, names the balancer.
func standings(f *fixture) {
	theirs, created := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	_, before := f.control.Requests()
	for _, cluster := range []string{theirs.Owner.Cluster, "another-cluster"} {
		thief := f.spec(Service{Name: "thief", Ports: []cloud.Port{portDNST}})
		thief.Owner.Namespace, thief.Owner.Cluster, thief.ID = "thieves", cluster, created.ID
		observed, err := f.balancers().Observe(f.ctx(), thief)
		f.must(err, "Observe")
		if observed.Shared && cluster == theirs.Owner.Cluster {
			continue // it would only add listeners of its own
		}
		for policy, want := range map[string]safety.Standing{
			"": safety.Claimed, "own": safety.Claimed, "any": safety.Ours,
			created.ID + "=thieves/thief": safety.Ours, created.ID + "=thieves/other": safety.Claimed,
		} {
			adoption, err := safety.ParseAdoption([]string{policy})
			f.must(err, "ParseAdoption")
			ownership := adoption.Judge(safety.Case{Service: thief.Owner, Observed: observed, Named: []string{created.ID}})
			if ownership.Standing != want {
				f.Errorf("policy %q, cluster %s: balancer of %s is %s for %s; want %s", policy, cluster, theirs.Owner, ownership.Standing, thief.Owner, want)
			}
		}
	}
	if _, after := f.control.Requests(); after != before {
		f.Errorf("looking made %d writes", after-before)
	}
}

// sameName: the later Service passes over the balancer that is not its own, and gets another one
// where two can have the same name.
func sameName(f *fixture) {
	if !hasNames(f) {
		f.Skip("names cannot be chosen")
	}
	named := Service{Name: "first", Ports: basic.Ports, Annotations: annotated(annotation.Name, "shop-front")}
	first, created := f.ensure(f.withMachines(f.spec(named), "node-1"))
	named.Name = "second"
	second := f.spec(named)
	second.Owner.Namespace, second.Refused = "other", []string{created.ID}
	second.Candidates = first.Candidates
	observed, err := f.balancers().Observe(f.ctx(), second)
	f.must(err, "Observe")
	if observed.Found {
		if observed.ID != created.ID || !observed.ByName {
			f.Errorf("Observe = %q, by name %t; want nothing, or %q where names are unique", observed.ID, observed.ByName, created.ID)
		}
		return
	}
	own, err := f.reconcile(second)
	if class := f.driver.Classify(err).Class; err != nil && class != cloud.FailureInvalid && class != cloud.FailureConflict {
		f.Errorf("making one of the same name: %v; want it made, or the name refused", err)
	}
	if own.ID == created.ID {
		f.Errorf("the second Service got balancer %s of the first one", own.ID)
	}
	if again, err := f.balancers().Observe(f.ctx(), first); err != nil || again.ID != created.ID {
		f.Errorf("the first Service's balancer is %q, %v; want %q", again.ID, err, created.ID)
	}
}

// hasNames reports whether users can choose the names of balancers.
func hasNames(f *fixture) bool {
	const portableName = annotation.Prefix + "name"
	return slices.ContainsFunc(f.suite.Annotations, func(k annotation.Key) bool { return slices.Contains(k.Spellings(), portableName) })
}

// notAnID: what cannot be an id is refused as a value, or leads to nothing. It never is an error of
// the cloud, which would keep a Service from being deleted.
func notAnID(f *fixture) {
	in := f.spec(basic)
	texts := []string{
		"10", "regional", "-", "../x", "..", "a/b", "a b", " ", "?x=y", "%2e%2e", "ä", "\u202e", "null", "0", "arn:aws:x",
		strings.Repeat("x", 300), strings.Repeat("a", 4096),
	}
	for _, text := range texts {
		given := map[string]string{f.suite.Descriptor.IDAnnotation: text}
		values, problems := f.suite.Annotations.Parse(given)
		for _, problem := range problems {
			if problem.Key == "" || problem.Want == "" {
				f.Errorf("id %q: the problem %+v does not say what would be right", text, problem)
			}
		}
		if in.ID = values[f.suite.Descriptor.IDAnnotation]; len(problems) > 0 && in.ID != "" {
			f.Errorf("id %q is refused and used", text)
		}
		for _, id := range []string{in.ID, text} {
			for _, leaving := range []bool{true, false} {
				in.ID, in.Deleting = id, leaving
				if observed, err := f.balancers().Observe(f.ctx(), in); err != nil || observed.Found {
					f.Errorf("Observe with id %.40q, leaving %t = found %t, %v; want a clean not-found", id, leaving, observed.Found, err)
				}
			}
		}
	}
}

// createdTwice: neither of two processes has seen the balancer of the other one. Where the cloud
// allows two, the next look shows both, and that the smaller id counts; one can be deleted and the
// other one stays as it is.
func createdTwice(f *fixture) {
	in := f.withMachines(f.spec(basic), "node-1")
	first, second := f.difference(in), f.difference(in)
	_, err := f.apply(first)
	f.must(err, "creating")
	if _, err := f.apply(second); err != nil {
		f.control.Settle()
		f.ensure(in) // a cloud that refuses the second one still has the first
		return
	}
	f.control.Settle()
	observed, err := f.balancers().Observe(f.ctx(), in)
	f.must(err, "Observe")
	if len(observed.Duplicates) == 0 {
		f.Logf("the cloud made one of both: %s", observed.ID)
		f.ensure(in)
		return
	}
	if len(observed.Duplicates) != 1 || observed.Duplicates[0] <= observed.ID {
		f.Fatalf("Observe = %q, duplicates %q; want the smaller of two and the other one", observed.ID, observed.Duplicates)
	}
	kept, serves := f.ensure(in)
	bothListed(f, kept, observed.Duplicates)
	double := kept
	double.ID, double.Deleting, double.Refused = observed.Duplicates[0], true, []string{kept.ID}
	before, err := f.balancers().Observe(f.ctx(), double)
	f.must(err, "Observe of the second one")
	if before.ID != observed.Duplicates[0] || before.Owner.UID != in.Owner.UID {
		f.Fatalf("Observe of the second one = %q of %+v", before.ID, before.Owner)
	}
	double.Beside = &serves
	f.must(f.destroy(cloud.Change{Input: double}), "deleting the second one")
	if d := f.difference(kept); d.before.ID != kept.ID || len(d.operations) > 0 || len(d.before.Duplicates) > 0 {
		f.Errorf("after the second one is gone: %q, duplicates %q, changes:\n%s", d.before.ID, d.before.Duplicates, text(d.operations))
	}
	kept.ID = ""
	if again, err := f.balancers().Observe(f.ctx(), kept); err != nil || !again.Found || len(again.Duplicates) > 0 {
		f.Errorf("after the second one is gone: found %t, duplicates %q, %v", again.Found, again.Duplicates, err)
	}
}

// protected: the balancer says that it cannot be deleted, and can be left without ownership tags.
func protected(f *fixture) {
	protector, ok := f.control.(Protector)
	if !ok {
		f.Skip("the control cannot protect balancers")
	}
	in, created := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	if created.Protected {
		f.Error("Protected is true for a balancer that nobody has protected")
	}
	protector.ProtectBalancer(created.ID)
	d := f.difference(in)
	if !d.before.Protected || len(d.operations) > 0 {
		f.Errorf("Protected is %t; changes:\n%s", d.before.Protected, text(d.operations))
	}
	d.after.OwnershipTags = nil
	d.operations = []cloud.Operation{{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: cloud.FieldOwnershipTags}}
	_, err := f.apply(d)
	f.must(err, "removing the ownership tags")
	f.control.Settle()
	in.ID = ""
	if after, err := f.balancers().Observe(f.ctx(), in); err != nil || after.Found && !after.ByName {
		f.Errorf("Observe without ownership tags and id = found %t, by name %t, %v", after.Found, after.ByName, err)
	}
}

// bothListed checks that Observe with a bulk list and an id reports the second balancer too. A deletion looks at
// nothing else, see Capabilities.DeletesAtOnce.
func bothListed(f *fixture, kept cloud.Input, duplicates []string) {
	lister := f.group().BulkLister
	if lister == nil {
		return
	}
	list, err := lister.ListBalancers(f.ctx())
	f.must(err, "ListBalancers")
	if o, err := list.Observe(f.ctx(), kept); err != nil || o.ID != kept.ID || !slices.Equal(o.Duplicates, duplicates) {
		f.Errorf("Observe with a bulk list = %q, duplicates %q, %v; want %q and %q", o.ID, o.Duplicates, err, kept.ID, duplicates)
	}
}
