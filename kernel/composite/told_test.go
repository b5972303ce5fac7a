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
	before := cloud.Observed{Found: true, ID: "id-1", State: cloud.BalancerActive, Addresses: at, Native: "old"}
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
			if told && (o.ID != "id-1" || o.Balancer.Name != "new" || o.Owner.UID != "uid" || !slices.Equal(o.Addresses, at) || o.Native != nil) {
				t.Errorf("told %+v", o)
			}
		})
	}
}

// What is there for another resource alone follows it, whatever else the cloud refuses.
func TestForAnother(t *testing.T) {
	groups := func(ids string) cloud.Resource {
		return res("groups", "g", fields{"balancer": idOf("balancer", "b"), "ids": ids})
	}
	rule := func(key string) cloud.Resource {
		r := res("rule", key, nil)
		r.For = groups("").Ref()
		return r
	}
	led := groups("new")
	led.Needs = []cloud.IDOf{rule("new").Ref()}
	present, wanted := list(rule("old"), lb(nil), groups("old")), list(rule("new"), lb(nil), pool("p", nil), led)
	for refused, want := range map[string][]string{
		"":                    {"create rule new", "create pool p", "update groups g ids", "delete rule old"},
		"update groups g ids": {"create rule new", "create pool p", "update groups g ids", "delete rule new"},
		"create pool p":       {"create rule new", "create pool p", "update groups g ids", "delete rule old"},
		"create rule new":     {"create rule new", "create pool p"},
	} {
		f := newFake(append(prompt(cloud.ResourceKind{Name: "rule"}), cloud.ResourceKind{Name: "groups"}), present, wanted)
		f.fails[refused] = &cloud.Invalid{}
		_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
		if (err == nil) != (refused == "") || !slices.Equal(f.done, want) || len(f.problems) > 0 {
			t.Errorf("while %q is refused: carried out %q, %v,\nwant %q; problems %q", refused, f.done, err, want, f.problems)
		}
	}
}
