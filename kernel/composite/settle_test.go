package composite

import (
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Parts of a balancer that settles follow each other without a look. What bears the ownership tags, and what others write too, is
// looked at before; so is everything after a creation and a refusal, and where the driver does not tell the end.
func TestPartsFollowWithoutALook(t *testing.T) {
	address := cloud.ResourceKind{Name: "address"}
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
		"another part, and nobody is told": {present: list(lb(nil)), wanted: two, blind: true},
	} {
		f := newFake(append(theKinds(), address), test.present, test.wanted)
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
