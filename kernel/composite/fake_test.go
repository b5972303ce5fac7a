package composite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// fake is a cloud with resources of any kinds, whose API refuses what real ones refuse: a reference to
// what is not there, and to delete what something else refers to.
type fake struct {
	cloud.BalancerReader
	kinds   []cloud.ResourceKind
	present []cloud.Resource
	wanted  []cloud.Resource
	// fails are errors by the step that they are the answer to.
	fails map[string]error
	// refuses says why a resource is not made, nil for none.
	refuses func(cloud.Resource) error
	// goesOn is how the creations and deletions go on that are made.
	goesOn map[string]*cloud.Running
	// done are the steps that were carried out, problems what the API had to refuse.
	done, problems []string
	last           int
	// requests counts those about several resources.
	requests int
}

// newFake returns a cloud with these resources; their references become ids.
func newFake(kinds []cloud.ResourceKind, present, wanted []cloud.Resource) *fake {
	f := &fake{kinds: kinds, wanted: wanted, fails: map[string]error{}}
	for _, r := range present {
		r.ID = f.newID()
		f.present = append(f.present, r)
	}
	for i := range f.present {
		f.present[i].Fields = f.withIDs(f.present[i].Fields)
	}
	return f
}

func (f *fake) newID() string {
	f.last++
	return "id-" + strconv.Itoa(f.last)
}

func (f *fake) find(is func(cloud.Resource) bool) (cloud.Resource, bool) {
	at := slices.IndexFunc(f.present, is)
	if at < 0 {
		return cloud.Resource{}, false
	}
	return f.present[at], true
}

func (f *fake) at(ref cloud.IDOf) (cloud.Resource, bool) {
	return f.find(func(r cloud.Resource) bool { return r.Ref() == ref })
}

// withIDs returns fields with ids in the place of what stands for them, as far as that is there.
func (f *fake) withIDs(fields cloud.Fields) cloud.Fields {
	return withReferences(fields, func(ref cloud.Reference) cloud.Reference {
		if r, exists := f.at(ref.Of); exists && ref.Chosen == "" {
			return cloud.ToID(r.ID)
		}
		return ref
	})
}

// withRefs is the opposite of withIDs.
func (f *fake) withRefs(fields cloud.Fields) cloud.Fields {
	return withReferences(fields, func(ref cloud.Reference) cloud.Reference {
		if r, exists := f.find(func(r cloud.Resource) bool { return r.ID == ref.ID }); exists {
			return cloud.To(r.Ref())
		}
		return ref
	})
}

func withReferences(fields cloud.Fields, become func(cloud.Reference) cloud.Reference) cloud.Fields {
	for _, one := range fields.All() {
		fields = fields.With(one.Resolved(become))
	}
	return fields
}

func (f *fake) Resources(context.Context, cloud.Change) (cloud.Resources, error) {
	var present []cloud.Resource
	for _, r := range f.present {
		r.Fields = f.withRefs(r.Fields)
		present = append(present, r)
	}
	return cloud.Resources{Present: present, Wanted: f.wanted}, nil
}

// step notes a step down and returns the error that is the answer to it.
func (f *fake) step(words ...string) error {
	text := strings.Join(words, " ")
	f.done = append(f.done, text)
	return f.fails[text]
}

func (f *fake) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// check notes a problem for references of a resource that do not exist. Those to what is made in the
// same request are IDOf still.
func (f *fake) check(r cloud.Resource, together ...cloud.Resource) {
	for _, one := range r.Fields.All() {
		for _, ref := range one.References() {
			if !ref.IsKnown() && !slices.ContainsFunc(together, func(other cloud.Resource) bool { return other.Ref() == ref.Of }) {
				f.problem("%s %s: %s refers to %s, which is not there", r.Kind, r.Key, one.Name(), ref.Of)
			}
			if _, exists := f.find(func(other cloud.Resource) bool { return other.ID == ref.ID }); strings.HasPrefix(ref.ID, "id-") && !exists {
				f.problem("%s %s: %s is %s, which is not there", r.Kind, r.Key, one.Name(), ref.ID)
			}
		}
	}
	for _, need := range r.Needs {
		if _, exists := f.at(need); !exists {
			f.problem("%s %s needs %s %s, which is not there", r.Kind, r.Key, need.Kind, need.Key)
		}
	}
}

func (f *fake) ResourceKinds() []cloud.ResourceKind {
	kinds := slices.Clone(f.kinds)
	for i, kind := range kinds {
		if kind.Batch.Name() != "" {
			kinds[i].Write = func(_ context.Context, id string, wanted []cloud.Resource) error { return f.write(kind, id, wanted) }
			continue
		}
		kinds[i].Add = func(_ context.Context, wanted []cloud.Resource) error {
			return f.each(wanted, func(r cloud.Resource) error { _, err := f.create(r, nil); return err })
		}
		kinds[i].Remove = func(_ context.Context, present []cloud.Resource) error {
			return f.each(present, func(r cloud.Resource) error { return f.remove(kind, r) })
		}
		kinds[i].Create = func(_ context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
			return f.create(wanted, with)
		}
		kinds[i].Update = func(_ context.Context, present, wanted cloud.Resource, fields []string) error {
			return f.update(present, wanted, fields)
		}
		kinds[i].Delete = func(_ context.Context, present cloud.Resource) error { return f.remove(kind, present) }
	}
	return kinds
}

// each makes a request about several resources, which have to be there, or not, each.
func (f *fake) each(list []cloud.Resource, one func(cloud.Resource) error) error {
	f.requests++
	for _, r := range list {
		if err := one(r); err != nil {
			return err
		}
	}
	return nil
}

func (f *fake) create(wanted cloud.Resource, with []cloud.Resource) (string, error) {
	if err := f.step("create", wanted.Kind, wanted.Key); err != nil {
		return "", err
	}
	if f.refuses != nil && f.refuses(wanted) != nil {
		return "", f.refuses(wanted)
	}
	all := append([]cloud.Resource{wanted}, with...)
	for i, r := range all {
		if _, exists := f.at(r.Ref()); exists {
			f.problem("%s %s is made twice", r.Kind, r.Key)
		}
		f.check(r, all...)
		all[i].ID = f.newID()
	}
	f.present = append(f.present, all...)
	for i := range f.present {
		f.present[i].Fields = f.withIDs(f.present[i].Fields)
	}
	if running := f.goesOn[f.done[len(f.done)-1]]; running != nil {
		return all[0].ID, running
	}
	return all[0].ID, nil
}

func (f *fake) update(present, wanted cloud.Resource, fields []string) error {
	if err := f.step(append([]string{"update", wanted.Kind, wanted.Key}, fields...)...); err != nil {
		return err
	}
	for i, r := range f.present {
		if r.ID == present.ID {
			for _, name := range fields {
				value, _ := wanted.Fields.Named(name)
				f.present[i].Fields = f.present[i].Fields.With(value)
			}
			f.check(f.present[i])
			return nil
		}
	}
	f.problem("%s %s is changed and not there", wanted.Kind, wanted.Key)
	return nil
}

// remove deletes a resource with what its kind takes, and with batches. What leads to it by
// FoundThrough may still be there: it leads nowhere then.
func (f *fake) remove(kind cloud.ResourceKind, present cloud.Resource) error {
	if err := f.step("delete", present.Kind, present.Key); err != nil {
		return err
	}
	gone := map[string]cloud.ResourceKind{present.ID: kind}
	for range f.kinds { // what is taken can refer to what is taken
		for _, r := range f.present {
			own := f.kindOf(r.Kind)
			if slices.Contains(r.Needs, present.Ref()) && slices.Contains(kind.Takes, r.Kind) {
				gone[r.ID] = own
			}
			for _, ref := range f.idsIn(r) {
				belongs := cmp.Or(own.Batch, own.Together)
				if _, leads := gone[ref]; leads && (slices.Contains(kind.Takes, r.Kind) || belongs.Of(r).ID == ref) {
					gone[r.ID] = own
				}
			}
		}
	}
	f.present = slices.DeleteFunc(f.present, func(r cloud.Resource) bool { _, is := gone[r.ID]; return is })
	for i, r := range f.present {
		for _, one := range r.Fields.All() {
			for _, ref := range one.References() {
				switch led, leads := gone[ref.ID]; {
				case leads && led.FoundThrough == r.Kind:
					f.present[i].Fields = f.present[i].Fields.With(one.Cleared())
				case leads:
					f.problem("%s %s is deleted while %s of %s %s refers to it or to what goes along", present.Kind, present.Key, one.Name(), r.Kind, r.Key)
				}
			}
		}
	}
	if running := f.goesOn["delete "+present.Kind+" "+present.Key]; running != nil {
		return running
	}
	return nil
}

// idsIn are the ids that a resource refers to.
func (f *fake) idsIn(r cloud.Resource) (ids []string) {
	for _, one := range r.Fields.All() {
		for _, ref := range one.References() {
			if ref.ID != "" {
				ids = append(ids, ref.ID)
			}
		}
	}
	return ids
}

func (f *fake) kindOf(name string) cloud.ResourceKind {
	return f.kinds[slices.IndexFunc(f.kinds, func(k cloud.ResourceKind) bool { return k.Name == name })]
}

func (f *fake) write(kind cloud.ResourceKind, id string, wanted []cloud.Resource) error {
	owner, exists := f.find(func(r cloud.Resource) bool { return r.ID == id })
	if !exists {
		f.problem("%s of %q are written, which is not there", kind.Name, id)
	}
	if err := f.step("update", kind.Name, owner.Key); err != nil {
		return err
	}
	f.present = slices.DeleteFunc(f.present, func(r cloud.Resource) bool { return r.Kind == kind.Name && kind.Batch.Of(r).ID == id })
	for _, r := range wanted {
		f.check(r)
		r.ID = f.newID()
		f.present = append(f.present, r)
	}
	return nil
}

// mostRuns is how many runs a change of these tests may take.
const mostRuns = 1000

// settle applies the change until nothing is pending, and returns the errors of the last run. Most runs go on with what the
// last one has left.
func (f *fake) settle(t *testing.T, change cloud.Change) error {
	t.Helper()
	b := f.balancers()
	for run := range mostRuns {
		progress, err := b.Apply(t.Context(), change)
		if err != nil || !progress.Pending {
			return err
		}
		if change.Rest = progress.Rest; run%3 == 2 {
			change.Rest = nil
		}
	}
	t.Fatalf("the change does not end; the last steps are %q", f.done[max(0, len(f.done)-8):])
	return nil
}

var errSomething = errors.New("something went wrong")

func (f *fake) balancers() *balancers {
	return &balancers{Composite: f, follows: true, classify: func(error) cloud.Failure { return cloud.Failure{} }}
}

// plan returns the steps as texts.
func (f *fake) plan(t *testing.T, change cloud.Change) []string {
	t.Helper()
	operations, err := f.balancers().Steps(t.Context(), change)
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, op := range operations {
		words := []string{string(op.Verb), string(op.Kind), op.Key}
		if op.Field != "" {
			words = append(words, strings.Split(op.Field, ", ")...)
		}
		steps = append(steps, strings.Join(words, " "))
	}
	return steps
}

// fields are the fields of a resource in short, by name. An IDOf is a reference to that resource.
type fields = map[string]any

func res(kind, key string, fields fields) cloud.Resource {
	r := cloud.Resource{Kind: kind, Key: key}
	for name, value := range fields {
		give(&r, name, value)
	}
	return r
}

// give gives a resource a field, in the place of the one it has.
func give(r *cloud.Resource, name string, value any) {
	if ref, is := value.(cloud.IDOf); is {
		value = cloud.To(ref)
	}
	r.Fields = r.Fields.With(field(name).Is(value))
}

// field is a field of that name with values of any type.
func field(name string) cloud.Field[any] { return cloud.NewField[any](name) }

// names are fields of these names.
func names(all ...string) (fields []cloud.AnyField) {
	for _, name := range all {
		fields = append(fields, field(name))
	}
	return fields
}

// to is a field of that name that refers to something.
func to(name string) cloud.Field[cloud.Reference] { return cloud.NewField[cloud.Reference](name) }

func idOf(kind, key string) cloud.IDOf { return cloud.IDOf{Kind: kind, Key: key} }

const second = time.Second
