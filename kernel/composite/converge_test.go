package composite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// generator makes kinds of resources that refer to each other at random, and resources of them. Kinds
// refer only to kinds with a lower number; the order of making is another one at times.
type generator struct {
	*rand.Rand
	kinds []cloud.ResourceKind
	// refers says to which kinds a kind refers, by number.
	refers [][]int
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func kindName(number int) string { return fmt.Sprintf("k%d", number) }

func refField(number int) cloud.Field[cloud.Reference] { return to("to-" + kindName(number)) }

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	count := 2 + g.IntN(4)
	g.kinds, g.refers = make([]cloud.ResourceKind, count), make([][]int, count)
	for i := range count {
		g.addKind(i)
	}
	anchor := 0
	if g.chance(20) {
		anchor = g.IntN(count)
	}
	if g.kinds[anchor].Batch.Name() == "" && g.kinds[anchor].Together.Name() == "" {
		g.kinds[anchor].Anchor = true
	}
	return g
}

func (g *generator) addKind(number int) {
	kind := &g.kinds[number]
	kind.Name = kindName(number)
	if g.chance(50) {
		kind.Settles = second
	}
	for other := range number {
		if !g.chance(50) || g.kinds[other].Batch.Name() != "" || g.kinds[other].Together.Name() != "" {
			continue
		}
		g.refers[number] = append(g.refers[number], other)
		if g.chance(20) {
			g.kinds[other].Takes = append(g.kinds[other].Takes, kind.Name)
		} else if g.chance(20) && g.kinds[other].FoundThrough == "" {
			g.kinds[other].FoundThrough = kind.Name
		}
		if g.chance(20) {
			g.kinds[other].Brings = append(g.kinds[other].Brings, kind.Name)
		}
		if g.chance(20) {
			kind.Immutable = append(kind.Immutable, refField(other))
		}
	}
	if g.chance(30) {
		kind.Immutable = append(kind.Immutable, field("fixed"))
	}
	if g.chance(30) {
		kind.Last = names("late")
	}
	if refers := g.refers[number]; len(refers) > 0 && g.chance(15) {
		g.toBatch(number, refers[g.IntN(len(refers))])
	} else if len(refers) > 0 && g.chance(15) {
		kind.Together, kind.FoundThrough = refField(refers[g.IntN(len(refers))]), ""
		g.foundThroughNone(number)
	}
}

// toBatch makes a kind one that is written together, and refers only to what it belongs to.
func (g *generator) toBatch(number, owner int) {
	kind := &g.kinds[number]
	*kind = cloud.ResourceKind{Name: kind.Name, Settles: kind.Settles, Batch: refField(owner)}
	g.refers[number] = []int{owner}
	g.foundThroughNone(number)
}

// foundThroughNone says that nothing is found through that kind.
func (g *generator) foundThroughNone(number int) {
	for i := range number {
		if other := &g.kinds[i]; other.FoundThrough == kindName(number) {
			other.FoundThrough = ""
		}
	}
}

// resources returns resources that refer to each other.
func (g *generator) resources() []cloud.Resource {
	byKind, all := make([][]cloud.Resource, len(g.kinds)), []cloud.Resource(nil)
	for number, kind := range g.kinds {
		for _, key := range []string{"a", "b", "c"} {
			if !g.chance(60) {
				continue
			}
			r := res(kind.Name, key, fields{"fixed": g.IntN(2), "late": g.IntN(2), "free": g.IntN(3)})
			for _, other := range g.refers[number] {
				ref := refField(other).Is(cloud.Reference{}).Cleared()
				if there := byKind[other]; len(there) > 0 {
					ref = refField(other).Is(cloud.To(there[g.IntN(len(there))].Ref()))
				}
				r.Fields = r.Fields.With(ref)
			}
			if kind.Batch.Name() != "" {
				owner := kind.Batch.Of(r)
				if owner.IsKnown() {
					continue
				}
				r.Key += " of " + owner.Of.Key // as kinds with Batch have to
			}
			byKind[number] = append(byKind[number], r)
		}
		all = append(all, byKind[number]...)
	}
	return all
}

// FuzzApplyConverges checks for any kinds and any change that repeated Apply leads to what is wanted,
// in the steps that were planned, and that each step is one the API takes: nothing is made before what
// it refers to, and nothing is deleted while something else refers to it.
func FuzzApplyConverges(f *testing.F) {
	for seed := range uint64(2000) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := newGenerator(seed)
		present, wanted := g.resources(), g.resources()
		if g.chance(15) {
			wanted = nil
		}
		kinds := slices.Clone(g.kinds)
		if g.chance(30) {
			g.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		}
		cloudOf := newFake(kinds, present, wanted)
		change := cloud.Change{}
		if wanted != nil {
			change.After = &cloud.Balancer{}
		}
		planned := cloudOf.plan(t, change)
		if err := cloudOf.settle(t, change); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(planned, cloudOf.done) {
			t.Errorf("planned     %q,\ncarried out %q", planned, cloudOf.done)
		}
		for _, problem := range cloudOf.problems {
			t.Error(problem)
		}
		cloudOf.compare(t, wanted)
		if t.Failed() {
			for _, k := range kinds {
				t.Logf("kind %+v", k)
			}
			t.Logf("present %+v\nwanted %+v", present, wanted)
		}
	})
}

// FuzzNeeds checks for any change of which the cloud refuses a part that nothing changes while what it
// needs was refused, and that the change ends.
func FuzzNeeds(f *testing.F) {
	for seed := range uint64(2000) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := newGenerator(seed)
		present, wanted := g.resources(), g.resources()
		refused := g.withNeeds(wanted)
		cloudOf := newFake(g.kinds, present, wanted)
		for ref := range refused {
			cloudOf.fails["create "+ref.Kind+" "+ref.Key] = &cloud.Invalid{}
		}
		_ = cloudOf.settle(t, cloud.Change{After: &cloud.Balancer{}})
		for _, w := range wanted {
			for _, ref := range w.Needs {
				tried := slices.Index(cloudOf.done, "create "+ref.Kind+" "+ref.Key)
				changed := tried >= 0 && slices.ContainsFunc(cloudOf.done[tried:], func(step string) bool { return strings.HasPrefix(step, "update "+w.Kind+" "+w.Key+" ") })
				if refused[ref] && changed {
					t.Errorf("%s %s is changed after what it needs was refused: %q", w.Kind, w.Key, cloudOf.done)
				}
			}
		}
	})
}

// withNeeds gives resources needs of kinds that are made before, and returns those that are refused.
func (g *generator) withNeeds(wanted []cloud.Resource) map[cloud.IDOf]bool {
	refused := map[cloud.IDOf]bool{}
	for i, r := range wanted {
		for _, earlier := range wanted[:i] {
			if earlier.Kind < r.Kind && !g.isBatch(r.Kind) && g.chance(20) {
				wanted[i].Needs = append(wanted[i].Needs, earlier.Ref())
			}
		}
		refused[r.Ref()] = g.chance(10)
	}
	return refused
}

func (g *generator) isBatch(kind string) bool {
	return slices.ContainsFunc(g.kinds, func(k cloud.ResourceKind) bool { return k.Name == kind && k.Batch.Name() != "" })
}

// compare checks that the cloud has these resources and no others.
func (f *fake) compare(t *testing.T, wanted []cloud.Resource) {
	t.Helper()
	if len(f.present) != len(wanted) {
		t.Errorf("%d resources, want %d", len(f.present), len(wanted))
	}
	for _, w := range wanted {
		is, exists := f.at(w.Ref())
		if !exists {
			t.Errorf("%s %s is not there", w.Kind, w.Key)
			continue
		}
		if got, want := is.Fields, f.withIDs(w.Fields); !got.Equal(want) {
			t.Errorf("%s %s is %v, want %v", w.Kind, w.Key, got, want)
		}
	}
}
