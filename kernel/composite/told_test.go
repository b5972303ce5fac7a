package composite

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// prompt returns the kinds of a cloud that is never busy.
func prompt(more ...cloud.ResourceKind) []cloud.ResourceKind {
	kinds := slices.Concat(more, theKinds())
	for i := range kinds {
		kinds[i].Settles = 0
	}
	return kinds
}

// A balancer is known after a change that was carried out whole, where its creation says what it is reached at.
func TestTold(t *testing.T) {
	at := []cloud.BalancerAddress{{Hostname: "b.example"}}
	present := list(lb(fields{"name": "old"}))
	before := cloud.Observed{Found: true, ID: "id-1", State: cloud.BalancerActive, Addresses: at, Native: cloud.NativeOf[string]{}.Seal("old")}
	failed := before
	failed.State = cloud.BalancerFailed
	for name, tt := range map[string]struct {
		present []cloud.Resource
		before  cloud.Observed
		fails   map[string]error
		at      []cloud.BalancerAddress
		told    bool
	}{
		"made":                      {at: at, told: true},
		"made, and has no address":  {},
		"a part is refused":         {at: at, fails: map[string]error{"create pool p": &cloud.Invalid{}}},
		"a part has to wait":        {at: at, fails: map[string]error{"create pool p": &cloud.Waiting{}}},
		"a part is looked at later": {at: at, fails: map[string]error{"create pool p": &cloud.Waiting{After: time.Minute}}},
		"changed":                   {present: present, before: before, told: true},
		"changed, and had failed":   {present: present, before: failed},
	} {
		t.Run(name, func(t *testing.T) {
			var f *fake
			kinds := prompt()
			kinds[1].CreateBalancer = func(_ context.Context, wanted cloud.Resource, with []cloud.Resource) (cloud.Made, error) {
				id, err := f.create(wanted, with)
				return cloud.Made{ID: id, Addresses: tt.at}, err
			}
			f = newFake(kinds, tt.present, list(lb(fields{"name": "new"}), pool("p", nil)))
			f.fails = tt.fails
			change := cloud.Change{Before: tt.before, After: &cloud.Balancer{Name: "new", OwnershipTags: []string{"ours"}}}
			change.Input.Owner.UID = "uid"
			progress, _ := f.balancers().Apply(t.Context(), change)
			o := progress.Observed
			told := o != nil && o.State == cloud.BalancerActive
			if told != tt.told {
				t.Fatalf("told %+v, want %t", o, tt.told)
			}
			if told && (o.ID != "id-1" || o.Balancer.Name != "new" || o.Owner.UID != "uid" || !slices.Equal(o.Addresses, at) || !o.Native.IsNone()) {
				t.Errorf("told %+v", o)
			}
		})
	}
}
