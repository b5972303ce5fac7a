package conformance

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// listed: the bulk list is from before the last balancer was made.
func listed(f *fixture) {
	lister := f.group().BulkLister
	if lister == nil {
		return
	}
	first, _ := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	second, _ := f.ensure(f.spec(Service{Name: "other", Ports: []cloud.Port{portDNST}}))
	list, err := lister.ListBalancers(f.ctx())
	f.must(err, "ListBalancers")
	unknown := f.spec(Service{Name: "unknown", Ports: []cloud.Port{portHTTP}})
	for _, in := range []cloud.Input{first, second, unknown} {
		for _, id := range slices.Compact([]string{in.ID, ""}) {
			in.ID = id
			want, err := f.balancers().Observe(f.ctx(), in)
			f.must(err, "Observe")
			got, err := list.Observe(f.ctx(), in)
			f.must(err, "Observe with a list")
			if difference := cmp.Diff(want, got, cmpopts.IgnoreTypes(cloud.Native{})); difference != "" {
				f.Errorf("%s with id %q (-read +listed):\n%s", in.Owner.Name, id, difference)
			}
		}
	}
	third, created := f.ensure(unknown)
	if got, err := list.Observe(f.ctx(), third); err != nil || got.Found && got.ID != created.ID {
		f.Errorf("Observe with a bulk list older than balancer %q = found %t, id %q, %v", created.ID, got.Found, got.ID, err)
	}
}

// deletedAsListed: many balancers that are deleted together are not read one by one.
func deletedAsListed(f *fixture) {
	lister := f.group().BulkLister
	if lister == nil {
		return
	}
	in, _ := f.ensure(f.withMachines(f.spec(basic), "node-1"))
	other, _ := f.ensure(f.spec(Service{Name: "other", Ports: []cloud.Port{portDNST}}))
	list, err := lister.ListBalancers(f.ctx())
	f.must(err, "ListBalancers")
	in.Deleting = true
	f.must(f.destroyFrom(list, cloud.Change{Input: in}), "deleting")
	if after, err := f.balancers().Observe(f.ctx(), in); err != nil || after.Found || after.Orphans {
		f.Errorf("Observe after the deletion = found %t, orphans %t, %v; want that nothing is left", after.Found, after.Orphans, err)
	}
	if d := f.difference(other); !d.before.Found || len(d.operations) > 0 {
		f.Errorf("the other balancer: found %t, differences:\n%s", d.before.Found, text(d.operations))
	}
}
