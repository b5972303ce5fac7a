package composite

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Parts of a balancer that settles follow each other without a look. What bears the ownership tags, and what others write too, is
// looked at before; so is everything after a creation and a refusal, and where the driver does not tell the end.
func TestPartsFollowWithoutALook(t *testing.T) {
	address, rule := cloud.ResourceKind{Name: "address"}, cloud.ResourceKind{Name: "rule", Settles: second, Disturbs: []string{"listener"}}
	ruled := func(x string) cloud.Resource { return res("rule", "r", fields{"x": x}) }
	change := cloud.Change{Before: cloud.Observed{Found: true, ID: "id-1"}, After: &cloud.Balancer{}}
	two := list(lb(nil), pool("p", nil), pool("q", nil))
	for name, test := range map[string]struct {
		present, wanted []cloud.Resource
		deletes, blind  bool
		fails           map[string]error
		follows         bool
	}{
		"another part":                     {present: list(lb(nil)), wanted: two, follows: true},
		"another part goes":                {present: two, deletes: true, follows: true},
		"nothing":                          {present: list(lb(nil)), wanted: two[:2]},
		"a name that changes last":         {present: list(lb(fields{"name": "old"})), wanted: list(lb(fields{"name": "new"}), pool("p", nil))},
		"the balancer goes":                {present: two[:2], deletes: true},
		"the balancer is given up":         {present: list(lb(fields{"tags": "ours"}), pool("p", nil)), wanted: list(lb(fields{"tags": ""})), deletes: true},
		"an object that does not settle":   {present: list(lb(nil)), wanted: list(lb(nil), pool("p", nil), res("address", "a", fields{"pool": idOf("pool", "p")}))},
		"a part of a new balancer":         {wanted: two},
		"another part after a refusal":     {present: list(lb(nil)), wanted: append(two, pool("a", nil)), fails: map[string]error{"create pool p": &cloud.Invalid{}}},
		"another part after one waited":    {present: list(lb(nil)), wanted: append(two, pool("a", nil)), fails: map[string]error{"create pool p": &cloud.Waiting{}}},
		"a part that is not disturbed":     {present: append(two, ruled("old")), wanted: list(lb(nil), ruled("new"), pool("p", nil)), follows: true},
		"a part that is disturbed":         {present: list(lb(nil), front("80", "tcp"), front("81", "tcp"), ruled("old")), wanted: list(lb(nil), front("80", "tcp"), ruled("new"))},
		"another part, and nobody is told": {present: list(lb(nil)), wanted: two, blind: true},
	} {
		f := newFake(append(theKinds(), address, rule), test.present, test.wanted)
		f.fails = test.fails
		b := f.balancers()
		b.follows = !test.blind
		c := change
		if test.deletes {
			c.After = nil
		}
		progress, _ := b.Apply(t.Context(), c)
		follows := progress.Rest != nil && progress.Settles && slices.Equal(progress.Operations, []string{"id-1"})
		if !progress.Pending || follows != test.follows || !test.follows && (progress.Rest != nil || len(progress.Operations) > 0) {
			t.Errorf("%s: after %q progress %+v, want it to follow: %t", name, f.done, progress, test.follows)
		}
	}
}

// What is done when operations have ended is looked at before, unless something was deleted to be made again: only the model of that
// change knows what there was before.
func TestALookAfterOperations(t *testing.T) {
	for name, test := range map[string]struct {
		present, wanted []cloud.Resource
		goesOn          string
		settles, left   bool
	}{
		"a creation":             {list(lb(nil)), list(lb(nil), front("80", "tcp"), front("81", "tcp")), "create listener 80", false, true},
		"a deletion":             {list(lb(nil), front("80", "tcp"), front("81", "tcp")), list(lb(nil)), "delete listener 80", false, true},
		"a deletion for another": {list(lb(nil), front("80", "tcp")), list(lb(nil), front("80", "tls")), "delete listener 80", true, true},
		"the last step":          {list(lb(nil)), list(lb(nil), front("80", "tcp")), "create listener 80", false, false},
	} {
		f := newFake(quick(func(map[string]*cloud.ResourceKind) {}), test.present, test.wanted)
		f.goesOn = map[string]*cloud.Running{test.goesOn: {Operations: []string{"action-1"}}}
		p, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
		if err != nil || !p.Pending || !slices.Equal(p.Operations, []string{"action-1"}) || p.Settles != test.settles || (p.Rest != nil) != test.left {
			t.Errorf("%s: after %q progress %+v, %v; want it to follow without a look: %t", name, f.done, p, err, test.settles)
		}
	}
}

// What was deleted is made again at once when its deletion has ended. All else has a look before it.
func TestALookAfterAReplacementWhoseDeletionGoesOn(t *testing.T) {
	wanted := list(lb(nil), front("80", "tls"), front("81", "tcp"))
	f := newFake(quick(func(map[string]*cloud.ResourceKind) {}), list(lb(nil), front("80", "tcp")), wanted)
	f.goesOn = map[string]*cloud.Running{"delete listener 80": {Operations: []string{"action-1"}}}
	b, change := f.balancers(), cloud.Change{After: &cloud.Balancer{}}
	first, err := b.Apply(t.Context(), change)
	if err != nil || first.Rest == nil {
		t.Fatalf("after the deletion: %+v, %v", first, err)
	}
	change.Rest = first.Rest
	second, err := b.Apply(t.Context(), change)
	if err != nil || !second.Pending || !second.More || second.Rest != nil || !slices.Equal(f.done, []string{"delete listener 80", "create listener 80"}) {
		t.Errorf("after %q progress %+v, %v; want a look", f.done, second, err)
	}
}

// A step that is refused or has to wait, when the change goes on, leaves nothing that may be carried out without a look.
func TestALookAfterAStepThatIsPassedOver(t *testing.T) {
	for name, why := range map[string]error{"refused": &cloud.Invalid{}, "waits": &cloud.Waiting{}} {
		wanted := list(lb(nil), pool("p", nil), pool("q", nil), res("address", "a", fields{"pool": idOf("pool", "p")}))
		f := newFake(append(theKinds(), cloud.ResourceKind{Name: "address"}), list(lb(nil)), wanted)
		b := f.balancers()
		b.follows = true
		change := cloud.Change{Before: cloud.Observed{Found: true, ID: "id-1"}, After: &cloud.Balancer{}}
		first, err := b.Apply(t.Context(), change)
		if err != nil || first.Rest == nil {
			t.Fatalf("%s: the first step: %+v, %v", name, first, err)
		}
		f.fails = map[string]error{"create pool q": why}
		change.Rest = first.Rest
		second, _ := b.Apply(t.Context(), change)
		if !second.Pending || !second.More || second.Rest != nil || slices.ContainsFunc(f.done, func(done string) bool { return strings.Contains(done, "address") }) {
			t.Errorf("%s: after %q progress %+v, want a look", name, f.done, second)
		}
	}
}

// Where the creation of a balancer tells what the next step needs, that step follows without a look. What the answer lacks is read.
func TestStepsAfterACreation(t *testing.T) {
	address := res("address", "a", fields{"port": cloud.Reference{Of: idOf("balancer", "b"), Chosen: "port"}})
	theirs := res("address", "a", fields{"port": cloud.ToID("")})
	for name, test := range map[string]struct {
		present []cloud.Resource
		wanted  cloud.Resource
		told    map[string]string
		silent  bool
		follows bool
	}{
		"an object":                        {wanted: address, told: map[string]string{"port": "p-1"}, follows: true},
		"an object, and no port":           {wanted: address},
		"an object that others write too":  {present: list(theirs), wanted: address, told: map[string]string{"port": "p-1"}},
		"a part":                           {wanted: pool("p", nil), follows: true},
		"a part, and the answer is silent": {wanted: pool("p", nil), silent: true},
	} {
		var f *fake
		kinds := append(theKinds(), cloud.ResourceKind{Name: "address"})
		if !test.silent {
			kinds[1].CreateBalancer = func(_ context.Context, wanted cloud.Resource, with []cloud.Resource) (cloud.Made, error) {
				id, err := f.create(wanted, with)
				return cloud.Made{ID: id, Chosen: test.told, Native: cloud.NativeOf[string]{}.Seal("native")}, err
			}
		}
		f = newFake(kinds, test.present, list(lb(nil), test.wanted))
		b := f.balancers()
		change := cloud.Change{After: &cloud.Balancer{}}
		first, err := b.Apply(t.Context(), change)
		if made := first.Observed; err != nil || !first.Pending || made == nil || made.ID == "" || made.Native.IsNone() != test.silent {
			t.Fatalf("%s: %+v, %v", name, first, err)
		}
		if follows := first.Rest != nil && first.Settles && slices.Equal(first.Operations, []string{first.Observed.ID}); follows != test.follows || len(f.done) != 1 {
			t.Fatalf("%s: after %q progress %+v, want it to follow: %t", name, f.done, first, test.follows)
		}
		if change.Rest = first.Rest; !test.follows {
			continue
		}
		if _, err = b.Apply(t.Context(), change); err != nil || len(f.done) != 2 || len(f.problems) > 0 {
			t.Errorf("%s: carried out %q, %v; problems %q", name, f.done, err, f.problems)
		}
		if made, _ := f.at(test.wanted.Ref()); test.told != nil && to("port").Of(made).ID != "p-1" {
			t.Errorf("%s: made %+v", name, made)
		}
	}
}

// An object that settles at once has a look after it, where it followed a creation without one.
func TestALookAfterAnObject(t *testing.T) {
	address := res("address", "a", fields{"port": cloud.Reference{Of: idOf("balancer", "b"), Chosen: "port"}})
	kinds := append(theKinds(), cloud.ResourceKind{Name: "address"}, cloud.ResourceKind{Name: "group"})
	var f *fake
	kinds[1].CreateBalancer = func(_ context.Context, wanted cloud.Resource, with []cloud.Resource) (cloud.Made, error) {
		id, err := f.create(wanted, with)
		return cloud.Made{ID: id, Chosen: map[string]string{"port": "p-1"}}, err
	}
	f = newFake(kinds, list(res("group", "g", nil)), list(lb(nil), address))
	b, change := f.balancers(), cloud.Change{After: &cloud.Balancer{}}
	first, err := b.Apply(t.Context(), change)
	if err != nil || first.Rest == nil {
		t.Fatalf("after the creation: %+v, %v", first, err)
	}
	change.Rest = first.Rest
	second, err := b.Apply(t.Context(), change)
	if err != nil || !second.Pending || !second.More || second.Rest != nil || len(f.done) != 2 {
		t.Errorf("after %q progress %+v, %v; want a look before the group goes", f.done, second, err)
	}
}

// What bears the ownership tags is changed without a look where the request compares it first, and never deleted so.
func TestTagsThatAreCompared(t *testing.T) {
	for _, compares := range []bool{true, false} {
		kinds := with("balancer", func(k *cloud.ResourceKind) { k.Compares = compares })
		tagged := lb(fields{"tags": "ours"})
		for name, test := range map[string]struct {
			wanted  []cloud.Resource
			follows bool
		}{
			"it is given up": {wanted: list(lb(fields{"tags": ""})), follows: compares},
			"it is deleted":  {},
		} {
			f := newFake(kinds, list(tagged, pool("p", nil), pool("q", nil)), test.wanted)
			b := f.balancers()
			change := cloud.Change{Before: cloud.Observed{Found: true, ID: "id-1"}}
			progress := cloud.Progress{}
			for range 2 {
				var err error
				if progress, err = b.Apply(t.Context(), change); err != nil {
					t.Fatal(err)
				}
				if change.Rest = progress.Rest; change.Rest == nil {
					break
				}
			}
			if follows := progress.Rest != nil; follows != test.follows {
				t.Errorf("%s, compares %t: after %q progress %+v", name, compares, f.done, progress)
			}
		}
	}
}

// An answer about another Service's balancer is an error. Nothing is known of a balancer then, nor made for one.
func TestAnswerAboutAnother(t *testing.T) {
	for _, tells := range []bool{true, false} {
		another := cloud.AnswersCreation("id-9", cloud.NameAndTags{Name: "web"}, cloud.NameAndTags{Name: "api"})
		kinds, asked := theKinds(), 0
		create := func(context.Context, cloud.Resource, []cloud.Resource) (cloud.Made, error) {
			asked++
			return cloud.Made{ID: "id-9", Native: cloud.NativeOf[string]{}.Seal("native")}, another
		}
		f := newFake(kinds, nil, list(lb(nil), pool("p", nil)))
		b := f.balancers()
		b.Composite = answeringOf{b.Composite, create, tells}
		progress, err := b.Apply(t.Context(), cloud.Change{After: &cloud.Balancer{OwnershipTags: []string{"uid=1"}}})
		if !errors.Is(err, another) || progress.Observed != nil || progress.Pending || progress.Rest != nil || asked != 1 || len(f.done) > 0 {
			t.Errorf("tells: %t: after %q progress %+v, %v", tells, f.done, progress, err)
		}
	}
}

// answeringOf is a composite whose creation of a balancer has this answer.
type answeringOf struct {
	cloud.Composite
	create func(context.Context, cloud.Resource, []cloud.Resource) (cloud.Made, error)
	tells  bool
}

func (a answeringOf) ResourceKinds() []cloud.ResourceKind {
	kinds := a.Composite.ResourceKinds()
	k := &kinds[slices.IndexFunc(kinds, func(k cloud.ResourceKind) bool { return k.Anchor })]
	k.Create, k.CreateBalancer = nil, a.create
	if !a.tells {
		k.CreateBalancer = nil
		k.Create = func(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
			made, err := a.create(ctx, wanted, with)
			return made.ID, err
		}
	}
	return kinds
}
