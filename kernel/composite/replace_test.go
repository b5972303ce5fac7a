package composite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// quick are the kinds of a cloud that is never busy.
func quick(edit func(map[string]*cloud.ResourceKind)) []cloud.ResourceKind {
	kinds, byName := theKinds(), map[string]*cloud.ResourceKind{}
	for i := range kinds {
		kinds[i].Settles = 0
		byName[kinds[i].Name] = &kinds[i]
	}
	edit(byName)
	return kinds
}

// What a step may have taken along is read before the next step about it, and before the change counts as made. A step of another
// kind follows at once.
func TestDisturbedKindsAreReadAgain(t *testing.T) {
	kinds := quick(func(kinds map[string]*cloud.ResourceKind) { kinds["group"].Disturbs = []string{"pool"} })
	old, wanted := res("group", "g", fields{"x": "old"}), res("group", "g", fields{"x": "new"})
	for name, test := range map[string]struct {
		present, wanted []cloud.Resource
		first           []string
		pending         bool
	}{
		"a step about it":           {list(old, lb(nil), pool("p", nil)), list(wanted, lb(fields{"name": "new"}), pool("p", nil), pool("q", nil)), []string{"update group g x"}, true},
		"nothing else":              {list(old, lb(nil), pool("p", nil)), list(wanted, lb(nil), pool("p", nil)), []string{"update group g x"}, true},
		"a step about another kind": {list(old, lb(nil), pool("p", nil)), list(wanted, lb(nil), pool("p", nil), front("80", "tcp")), []string{"update group g x", "create listener 80"}, true},
		"a deletion":                {list(old, lb(nil), pool("p", nil)), list(lb(nil), pool("p", nil)), []string{"delete group g"}, true},
		"there was none of it":      {list(old, lb(nil)), list(wanted, lb(nil), pool("p", nil)), []string{"update group g x", "create pool p"}, false},
		"a creation":                {list(lb(nil), pool("p", nil)), list(wanted, lb(nil), pool("p", nil), pool("q", nil)), []string{"create group g", "create pool q"}, false},
	} {
		f := newFake(kinds, test.present, test.wanted)
		progress, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
		if err != nil || !slices.Equal(f.done, test.first) || progress.Pending != test.pending || progress.Rest != nil {
			t.Errorf("%s: carried out %q, progress %+v, %v; want %q, pending %t", name, f.done, progress, err, test.first, test.pending)
		}
		if err := f.settle(t, cloud.Change{After: &cloud.Balancer{}}); err != nil || len(f.problems) > 0 {
			t.Errorf("%s: the next runs: %v, %q", name, err, f.problems)
		}
	}
}

// What the cloud would refuse in the place of a resource is asked before anything is deleted or changed for it.
func TestFits(t *testing.T) {
	present := list(lb(nil), pool("p", nil), listener("80", "p", "tcp"))
	wanted := list(lb(nil), pool("p", fields{"protocol": "http"}), listener("80", "p", "tcp"), listener("81", "p", "tcp"))
	for name, test := range map[string]struct {
		answer error
		done   []string
	}{
		"fits":             {nil, []string{"delete listener 80", "delete pool p", "create pool p", "create listener 80", "create listener 81"}},
		"would be refused": {&cloud.Invalid{}, []string{"create listener 81"}},
		"is not known":     {errSomething, nil},
	} {
		asked := 0
		kinds := quick(func(kinds map[string]*cloud.ResourceKind) {
			kinds["pool"].Fits = func(_ context.Context, present, wanted cloud.Resource) error {
				if asked++; present.ID == "" || field("protocol").Of(present) != "tcp" || field("protocol").Of(wanted) != "http" {
					t.Errorf("asked about %+v in the place of %+v", wanted, present)
				}
				return test.answer
			}
		})
		f := newFake(kinds, present, wanted)
		planned, err := f.balancers().Forecast(t.Context(), cloud.Change{After: &cloud.Balancer{}})
		var steps []string
		for _, op := range planned {
			steps = append(steps, fmt.Sprintf("%s %s %s", op.Verb, op.Kind, op.Key))
		}
		if !errors.Is(err, test.answer) || !slices.Equal(steps, test.done) || len(f.done) > 0 || asked != 1 {
			t.Errorf("%s: planned %q, %v, asked %d times; want %q", name, steps, err, asked, test.done)
		}
		asked = 0
		_, err = f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
		if !errors.Is(err, test.answer) || !slices.Equal(f.done, test.done) || asked != 1 || len(f.problems) > 0 {
			t.Errorf("%s: carried out %q, %v, asked %d times; want %q; problems %q", name, f.done, err, asked, test.done, f.problems)
		}
	}
}

// What was deleted for a resource that the cloud refuses is made again, also where the deletion went on for a while. The same is not
// tried again then.
func TestPutBack(t *testing.T) {
	invalid := &cloud.Invalid{Field: "x", Value: "y", Want: "z"}
	present := list(lb(nil), front("80", "tcp"))
	wanted := list(lb(fields{"name": "new"}), front("80", "tls"), pool("p", nil))
	give(&wanted[1], "at creation", "x") // what is read of it does not have this
	for name, deletion := range map[string]*cloud.Running{"at once": nil, "it takes a while": {Operations: []string{"action-1"}}} {
		f := newFake(quick(func(map[string]*cloud.ResourceKind) {}), present, wanted)
		f.refuses = func(r cloud.Resource) error {
			if field("protocol").Of(r) == "tls" {
				return invalid
			}
			return nil
		}
		if deletion != nil {
			f.goesOn = map[string]*cloud.Running{"delete listener 80": deletion}
		}
		change := cloud.Change{After: &cloud.Balancer{}}
		var not *cloud.NotReplaced
		for range 4 {
			progress, err := f.balancers().Apply(t.Context(), change)
			if change.Rest = progress.Rest; !progress.Pending && change.Rest == nil {
				not, _ = errors.AsType[*cloud.NotReplaced](err)
				break
			}
			if not, _ = errors.AsType[*cloud.NotReplaced](err); not != nil {
				break
			}
		}
		if not == nil || !errors.Is(not, invalid) || not.Resource != front("80", "").Ref() {
			t.Fatalf("%s: error %v", name, not)
		}
		if r, there := f.at(front("80", "").Ref()); !there || field("protocol").Of(r) != "tcp" || field("at creation").Of(r) != "x" || len(f.problems) > 0 {
			t.Errorf("%s: %+v after %q; problems %q", name, r, f.done, f.problems)
		}
		f.done = nil
		change = cloud.Change{After: &cloud.Balancer{}, NotReplaced: not}
		if err := f.settle(t, change); !errors.Is(err, invalid) || slices.Contains(f.done, "delete listener 80") {
			t.Errorf("%s: the next run did %q, %v", name, f.done, err)
		}
		f.present, f.done = f.present[:1], nil // where it is gone nothing is lost by trying
		f.settle(t, change)
		if !slices.Contains(f.done, "create listener 80") {
			t.Errorf("%s: when it is gone: %q", name, f.done)
		}
	}
}

// What went only for what it refers to is wanted as before: where the cloud refuses it, the same is not asked for once more.
func TestWhatWentAlongIsNotPutBack(t *testing.T) {
	present := list(lb(nil), pool("p", nil), listener("80", "p", "tcp"))
	wanted := list(lb(nil), pool("p", fields{"protocol": "http"}), listener("80", "p", "tcp"))
	f := newFake(quick(func(map[string]*cloud.ResourceKind) {}), present, wanted)
	f.fails = map[string]error{"create listener 80": &cloud.Invalid{}}
	_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
	not, is := errors.AsType[*cloud.NotReplaced](err)
	if err == nil || is || !slices.Equal(f.done, []string{"delete listener 80", "delete pool p", "create pool p", "create listener 80"}) {
		t.Errorf("carried out %q, %v, put back %v", f.done, err, not)
	}
}

// What a driver has for the case that a resource is refused is made then.
func TestOtherwise(t *testing.T) {
	wanted := front("80", "tls")
	wanted.Otherwise = new(front("80", "tcp"))
	f := newFake(quick(func(map[string]*cloud.ResourceKind) {}), list(lb(nil)), list(lb(nil), wanted))
	f.refuses = func(r cloud.Resource) error {
		if field("protocol").Of(r) == "tls" {
			return &cloud.Invalid{}
		}
		return nil
	}
	_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
	if r, there := f.at(wanted.Ref()); err == nil || !there || field("protocol").Of(r) != "tcp" {
		t.Errorf("%+v, %v after %q", r, err, f.done)
	}
}
