package composite

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestRefusals checks what is done although the cloud refuses a part for good.
func TestRefusals(t *testing.T) {
	invalid := &cloud.Invalid{Field: "x", Value: "y", Want: "z"}
	quota := &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureQuota}, Op: "creating", Err: errSomething}
	present := list(lb(fields{"name": "old"}), pool("p", nil), member("p", "m"), listener("80", "p", "tcp"), listener("81", "p", "tcp"))
	wanted := list(lb(fields{"name": "new"}), pool("p", nil), member("p", "n"), pool("q", nil), listener("80", "q", "tcp"), listener("82", "p", "tcp"))
	// Besides what is refused, and what needs it, the rest is made, members are right, and what nothing refers to goes, except where one of
	// its kind is missing.
	impossible := pool("q", nil)
	impossible.Problem = invalid
	trial := listener("trial", "p", "tls")
	tried := listener("80", "p", "tls")
	tried.Trial = &trial
	for name, tt := range map[string]struct {
		wanted []cloud.Resource
		fails  map[string]error
		done   []string
		is     error
	}{
		"a resource that something refers to": {
			wanted, map[string]error{"create pool q": invalid},
			[]string{"create pool q", "create member n", "create listener 82", "delete listener 81", "delete member m", "update balancer b name"}, invalid,
		},
		"no room for a resource": {
			wanted, map[string]error{"create listener 82": quota},
			[]string{"create pool q", "create member n", "update listener 80 pool", "create listener 82", "delete member m", "update balancer b name"}, quota,
		},
		"two resources": {
			wanted, map[string]error{"create pool q": invalid, "create listener 82": quota},
			[]string{"create pool q", "create member n", "create listener 82", "delete member m", "update balancer b name"}, quota,
		},
		"a target too, so that the one before stays": {
			wanted, map[string]error{"create pool q": invalid, "create member n": quota},
			[]string{"create pool q", "create member n", "update balancer b name"}, quota,
		},
		"a change that leaves an old part in use": {
			list(lb(nil), pool("q", nil), member("q", "n"), listener("80", "q", "tcp")), map[string]error{"update listener 80 pool": invalid},
			[]string{"create pool q", "create member n", "update listener 80 pool", "delete listener 81"}, invalid,
		},
		"a resource that the driver knows to be impossible": {
			slices.Concat(wanted[:3], list(impossible), wanted[4:]), nil,
			[]string{"create member n", "create listener 82", "delete listener 81", "delete member m", "update balancer b name"}, invalid,
		},
		"a trial": {
			list(lb(nil), pool("p", nil), member("p", "m"), tried), map[string]error{"create listener trial": invalid},
			[]string{"create listener trial", "delete listener 81"}, invalid,
		},
		"any other failure ends the run": {
			wanted, map[string]error{"create member n": errSomething}, []string{"create pool q", "create member n"}, errSomething,
		},
		"a deletion that fails ends the run": {
			list(lb(fields{"name": "new"}), pool("p", nil), member("p", "m"), listener("80", "p", "tcp")), map[string]error{"delete listener 81": invalid},
			[]string{"delete listener 81"}, invalid,
		},
	} {
		t.Run(name, func(t *testing.T) {
			kinds := theKinds()
			for i := range kinds {
				kinds[i].Settles = 0
			}
			f := newFake(kinds, present, tt.wanted)
			f.fails = tt.fails
			_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
			if !errors.Is(err, tt.is) {
				t.Errorf("error %v, want %v", err, tt.is)
			}
			if !slices.Equal(f.done, tt.done) {
				t.Errorf("carried out %q,\nwant        %q", f.done, tt.done)
			}
			for _, problem := range f.problems {
				t.Error(problem)
			}
		})
	}
}

// Nothing is replaced after a refusal, and a trial does not stay. One that was not made is not deleted.
func TestAfterARefusal(t *testing.T) {
	trial, tried := listener("trial", "p", "tls"), listener("80", "p", "tls")
	tried.Trial = &trial
	present := list(lb(nil), pool("p", nil), listener("80", "p", "tcp"))
	wanted := list(res("group", "g", nil), lb(nil), pool("p", nil), member("p", "m"), tried, listener("81", "p", "tcp"))
	for refused, want := range map[string][]string{
		"create group g":     {"create group g", "create member m", "create listener 81"},
		"create listener 81": {"create group g", "create member m", "create listener trial", "delete listener 80", "create listener 80", "create listener 81", "delete listener trial"},
	} {
		f := newFake(prompt(), present, wanted)
		f.fails[refused] = &cloud.Invalid{}
		_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
		if err == nil || !slices.Equal(f.done, want) || len(f.problems) > 0 {
			t.Errorf("while %q is refused: carried out %q, %v,\nwant        %q; problems %q", refused, f.done, err, want, f.problems)
		}
	}
}

// A target that is made again stays where what it needs by then is refused.
func TestTargetThatNeedsWhatIsRefused(t *testing.T) {
	kinds := []cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "network"}, {Name: "member", Target: true, Immutable: names("private")}}
	target := func(private bool, needs ...cloud.IDOf) cloud.Resource {
		return cloud.Resource{Kind: "member", Key: "m", Machine: "m", Needs: needs, Fields: res("", "", fields{"balancer": idOf("balancer", "b"), "private": private}).Fields}
	}
	f := newFake(kinds, list(lb(nil), target(false)), list(lb(nil), res("network", "n", nil), target(true, idOf("network", "n"))))
	f.fails["create network n"] = &cloud.Invalid{}
	if _, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}}); err == nil || !slices.Equal(f.done, []string{"create network n"}) {
		t.Errorf("carried out %q, %v", f.done, err)
	}
}

// What a balancer brings is left out with what was refused. The others come with it.
func TestBroughtAfterARefusal(t *testing.T) {
	kinds := []cloud.ResourceKind{{Name: "certificate"}, {Name: "balancer", Anchor: true, Brings: []string{"listener"}}, {Name: "listener"}}
	secure, plain := front("443", "tls"), front("80", "tcp")
	give(&secure, "certificate", idOf("certificate", "c"))
	f := newFake(kinds, nil, list(res("certificate", "c", nil), lb(nil), secure, plain))
	f.fails["create certificate c"] = &cloud.Invalid{}
	_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
	_, has80 := f.at(plain.Ref())
	if _, has443 := f.at(secure.Ref()); err == nil || !has80 || has443 || len(f.problems) > 0 {
		t.Errorf("carried out %q, %v, listener 80: %t, 443: %t; problems %q", f.done, err, has80, has443, f.problems)
	}
}

// While something is refused, what needs it does not change; what only belongs to that does.
func TestNeedsOfAChange(t *testing.T) {
	rule := func(group string) cloud.Resource { return res("rule", "r", fields{"group": idOf("group", group)}) }
	balancer, pools := lb(fields{"subnets": "new", "name": "new"}), pool("p", fields{"health": "new"})
	balancer.Needs, pools.Needs = []cloud.IDOf{rule("g").Ref()}, []cloud.IDOf{rule("g").Ref()}
	kinds := append([]cloud.ResourceKind{{Name: "group"}, {Name: "rule"}}, theKinds()[1:]...)
	for i := range kinds {
		kinds[i].Settles = 0
	}
	present := list(lb(fields{"subnets": "old", "name": "old"}), pool("p", fields{"health": "old"}), member("p", "old"))
	wanted := list(res("group", "g", nil), rule("g"), balancer, pools, member("p", "new"))
	for refused, want := range map[string][]string{
		"":               {"create group g", "create rule r", "update balancer b subnets", "update pool p health", "create member new", "delete member old", "update balancer b name"},
		"create rule r":  {"create group g", "create rule r", "create member new", "delete member old"},
		"create group g": {"create group g", "create member new", "delete member old"},
	} {
		f := newFake(kinds, present, wanted)
		f.fails[refused] = &cloud.Invalid{}
		_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
		if (err == nil) != (refused == "") || !slices.Equal(f.done, want) || len(f.problems) > 0 {
			t.Errorf("while %q is refused: carried out %q, %v,\nwant        %q; problems %q", refused, f.done, err, want, f.problems)
		}
	}
}

// A step that goes on in the cloud ends the run, with what is known of it. The next run makes the rest.
func TestStepGoesOn(t *testing.T) {
	kinds := theKinds()
	for i := range kinds {
		kinds[i].Settles = 0
	}
	for _, goesOn := range []string{"create group g", "create balancer b", "create pool p"} {
		f := newFake(kinds, nil, list(res("group", "g", nil), lb(nil), pool("p", nil)))
		f.goesOn = map[string]*cloud.Running{goesOn: {Operations: []string{"action-1", "action-2"}}}
		progress, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
		if err != nil || !progress.Pending || !slices.Equal(progress.Operations, []string{"action-1", "action-2"}) {
			t.Errorf("%s: progress %+v, %v", goesOn, progress, err)
		}
		if last := f.done[len(f.done)-1]; last != goesOn {
			t.Errorf("carried out %q, want %q last", f.done, goesOn)
		}
		if progress.More != (goesOn != "create pool p") || (progress.Observed != nil) != (goesOn != "create group g") {
			t.Errorf("%s: more %t, observed %+v", goesOn, progress.More, progress.Observed)
		}
		clear(f.goesOn)
		if err := f.settle(t, cloud.Change{After: &cloud.Balancer{}}); err != nil || len(f.problems) > 0 {
			t.Errorf("the next runs: %v, %q", err, f.problems)
		}
	}
}

// The run that goes on with what a step has left asks for nothing. After a refusal nothing is certain.
func TestRestNeedsNoLook(t *testing.T) {
	f := newFake(theKinds(), nil, list(res("group", "a", nil), res("group", "b", nil), res("group", "c", nil)))
	f.goesOn = map[string]*cloud.Running{}
	for _, key := range []string{"a", "b", "c"} {
		f.goesOn["create group "+key] = &cloud.Running{Operations: []string{key}}
	}
	change := cloud.Change{After: &cloud.Balancer{}}
	for _, want := range [][]string{{"create group a"}, {"create group a", "create group b"}, {"create group a", "create group b", "create group c"}} {
		progress, err := f.balancers().Apply(t.Context(), change)
		more := len(want) < 3
		if err != nil || !slices.Equal(f.done, want) || len(progress.Operations) != 1 || progress.More != more || (progress.Rest != nil) != more {
			t.Fatalf("carried out %q, progress %+v, %v; want %q", f.done, progress, err, want)
		}
		change.Rest, f.wanted = progress.Rest, nil // it would find nothing to do
	}
	f = newFake(theKinds(), nil, list(res("group", "a", nil), res("group", "b", nil), res("group", "c", nil)))
	f.fails["create group a"], f.goesOn = &cloud.Invalid{}, map[string]*cloud.Running{"create group b": {Operations: []string{"b"}}}
	if progress, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}}); err == nil || progress.Rest != nil {
		t.Errorf("progress %+v, %v", progress, err)
	}
}

// A deletion goes on with nothing once something was refused.
func TestRefusedTagsKeepNothing(t *testing.T) {
	f := newFake(theKinds(), list(lb(fields{"tags": "ours"})), list(lb(fields{"tags": ""})))
	f.fails = map[string]error{"update balancer b tags": &cloud.Invalid{}}
	if _, err := f.balancers().Apply(t.Context(), cloud.Change{}); err == nil || len(f.done) != 1 {
		t.Errorf("error %v after %q", err, f.done)
	}
}

// TestRunEnds checks after which steps the cloud is left alone.
func TestRunEnds(t *testing.T) {
	whole := list(res("group", "g", nil), lb(nil), pool("p", nil), member("p", "m"))
	f := newFake(theKinds(), nil, whole)
	change := cloud.Change{After: &cloud.Balancer{OwnershipTags: []string{"ours"}}, Input: cloud.Input{Spec: cloud.Spec{Owner: cloud.Owner{UID: "uid"}}}}
	progress, err := f.balancers().Apply(t.Context(), change)
	if err != nil || !slices.Equal(f.done, []string{"create group g", "create balancer b"}) {
		t.Fatalf("the first run did %q, %v; want it to end with the first resource that settles", f.done, err)
	}
	o := progress.Observed
	if !progress.Pending || progress.After != second || o == nil || o.ID != "id-2" || o.State != cloud.BalancerPending || o.Owner.UID != "uid" {
		t.Errorf("progress %+v, observed %+v; want it pending for a second, and the id of the new balancer", progress, o)
	}
	if progress, err = f.balancers().Apply(t.Context(), change); err != nil || !progress.Pending || progress.Observed != nil {
		t.Errorf("after a pool was made: %+v, %v; want it pending, and nothing observed", progress, err)
	}
	if err := f.settle(t, change); err != nil {
		t.Fatal(err)
	}
	if progress, err = f.balancers().Apply(t.Context(), change); err != nil || progress.Pending {
		t.Errorf("with nothing left to do: %+v, %v", progress, err)
	}
}

// The id of a new balancer is known also where something else fails afterwards.
func TestFailedRunTellsNewBalancer(t *testing.T) {
	f := newFake([]cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "pool"}}, nil, list(lb(nil), pool("p", nil)))
	f.fails["create pool p"] = errSomething
	progress, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
	if o := progress.Observed; !errors.Is(err, errSomething) || o == nil || o.ID != "id-1" {
		t.Errorf("after %q: observed %+v, %v; want the id of the balancer, and the failure", f.done, o, err)
	}
}

// The id of a new balancer is known also where the run goes on.
func TestRunTellsNewBalancer(t *testing.T) {
	f := newFake([]cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "pool"}}, nil, list(lb(nil), pool("p", nil)))
	progress, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
	if o := progress.Observed; err != nil || progress.Pending || len(f.done) != 2 || o == nil || o.ID != "id-1" || o.State != cloud.BalancerPending {
		t.Errorf("after %q: %+v, observed %+v, %v", f.done, progress, o, err)
	}
}

// The ids of what is brought are not known until the next run.
func TestRunEndsAfterBringing(t *testing.T) {
	balancer := cloud.ResourceKind{Name: "balancer", Anchor: true, Brings: []string{"pool"}}
	f := newFake([]cloud.ResourceKind{balancer, {Name: "pool"}, {Name: "listener"}}, nil, list(lb(nil), pool("p", nil), listener("80", "p", "tcp")))
	change := cloud.Change{After: &cloud.Balancer{}}
	if err := f.settle(t, change); err != nil || !slices.Equal(f.done, []string{"create balancer b", "create listener 80"}) || len(f.problems) > 0 {
		t.Errorf("carried out %q, %v, problems %q", f.done, err, f.problems)
	}
}

// Where nothing needs the ids of what is brought the run goes on.
func TestRunGoesOnAfterBringing(t *testing.T) {
	balancer := cloud.ResourceKind{Name: "balancer", Anchor: true, Brings: []string{"pool"}}
	needy := res("listener", "80", fields{"balancer": idOf("balancer", "b")})
	needy.Needs = []cloud.IDOf{idOf("pool", "p")}
	f := newFake([]cloud.ResourceKind{balancer, {Name: "pool"}, {Name: "listener"}}, nil, list(lb(nil), pool("p", nil), needy))
	progress, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
	if err != nil || progress.Pending || !slices.Equal(f.done, []string{"create balancer b", "create listener 80"}) || len(f.problems) > 0 {
		t.Errorf("carried out %q, %+v, %v, problems %q", f.done, progress, err, f.problems)
	}
}

// TestMistakesOfDrivers checks that each is an error, and nothing is written.
func TestMistakesOfDrivers(t *testing.T) {
	toItself, fromOther := res("pool", "p", fields{"to": idOf("listener", "80")}), res("listener", "80", fields{"to": idOf("pool", "p")})
	ofMachine := pool("p", nil)
	ofMachine.Machine = "m"
	for name, tt := range map[string]struct {
		present, wanted []cloud.Resource
		want            string
	}{
		"a target of another kind":       {nil, list(lb(nil), ofMachine), "pool p has a machine"},
		"a kind that is not declared":    {nil, list(res("rule", "r", nil)), `no resource of kind "rule"`},
		"two of one key":                 {nil, list(pool("p", nil), lb(nil), pool("p", nil)), "pool p twice"},
		"a circle":                       {nil, list(toItself, fromOther), "refers to itself"},
		"a circle of what is there":      {list(toItself, fromOther), nil, "refers to itself"},
		"a reference to what is nowhere": {nil, list(pool("p", nil)), "pool p refers to balancer b, which is neither there nor wanted"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(theKinds(), tt.present, tt.wanted)
			_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(f.done) > 0 {
				t.Errorf("error %v after %q, want one with %q", err, f.done, tt.want)
			}
		})
	}
}

// What is made for one object takes one request, and so does what is deleted of it.
func TestTogether(t *testing.T) {
	kinds := []cloud.ResourceKind{{Name: "pool"}, {Name: "member", Target: true, Together: to("pool")}, {Name: "rule", Together: to("group")}}
	present := list(pool("p", fields{"balancer": nil}), member("p", "a"), member("p", "b"), res("rule", "1", fields{"group": cloud.ToID("sg-1")}), res("rule", "2", fields{"group": cloud.ToID("sg-2")}))
	wanted := list(pool("p", fields{"balancer": nil}), member("p", "c"), member("p", "d"), member("p", "e"), res("rule", "3", fields{"group": cloud.ToID("sg-1")}))
	f := newFake(kinds, present, wanted)
	progress, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
	if err != nil || progress.Pending || f.requests != 5 || len(f.done) != 8 || len(f.problems) > 0 {
		t.Errorf("%d requests for %q, progress %+v, %v, problems %q; want two for the members, three for the rules of two groups", f.requests, f.done, progress, err, f.problems)
	}
}

// Members of another pool take nobody's place: while they are missing, those of this one come and go.
func TestTogetherWhileRefused(t *testing.T) {
	kinds := []cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "pool"}, {Name: "member", Target: true, Together: to("pool")}, {Name: "listener"}}
	present := list(lb(nil), pool("p", nil), member("p", "old"), listener("80", "p", "tcp"))
	wanted := list(lb(nil), pool("p", nil), member("p", "new"), pool("q", nil), member("q", "new q"), listener("80", "q", "tcp"))
	for refused, want := range map[string][]string{
		"create pool q":       {"create pool q", "create member new", "delete member old"},
		"create member new":   {"create pool q", "create member new", "create member new q", "update listener 80 pool"},
		"create member new q": {"create pool q", "create member new", "create member new q", "delete member old"},
	} {
		f := newFake(kinds, present, wanted)
		f.fails[refused] = &cloud.Invalid{}
		_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
		if err == nil || !slices.Equal(f.done, want) || len(f.problems) > 0 {
			t.Errorf("while %q is refused: carried out %q, %v,\nwant        %q; problems %q", refused, f.done, err, want, f.problems)
		}
	}
}

// A machine that the cloud has refused is not asked for, and stays where it is. The run is not over with that.
func TestLeftOut(t *testing.T) {
	kinds := []cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "pool"}, {Name: "member", Target: true, Together: to("pool")}, {Name: "listener"}}
	of := func(machine cloud.InstanceID, pool string) cloud.Resource {
		r := member(pool, string(machine)+" in "+pool)
		r.Machine = machine
		return r
	}
	present := list(lb(nil), pool("p", nil), of("bad", "p"), listener("80", "p", "tcp"))
	wanted := list(lb(nil), pool("p", nil), of("bad", "p"), of("good", "p"), listener("80", "p", "tcp"), pool("q", nil), of("bad", "q"), of("good", "q"), listener("81", "q", "tcp"))
	f := newFake(kinds, present, wanted)
	progress, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}, LeftOut: map[cloud.InstanceID]bool{"bad": true}})
	want := []string{"create pool q", "create member good in p", "create member good in q", "create listener 81"}
	if err != nil || !slices.Equal(f.done, want) || progress.Again != untilAsked {
		t.Errorf("carried out %q, %+v, %v; want %q", f.done, progress, err, want)
	}
}

// A trial is a request of its own: what it shows must not keep others from being made.
func TestTrialAlone(t *testing.T) {
	kinds := []cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "pool"}, {Name: "listener", Together: to("balancer"), Immutable: names("protocol")}}
	trial, tried := listener("trial", "p", "tls"), listener("80", "p", "tls")
	tried.Trial = &trial
	f := newFake(kinds, list(lb(nil), pool("p", nil), listener("80", "p", "tcp")), list(lb(nil), pool("p", nil), tried, listener("81", "p", "tcp")))
	f.fails["create listener trial"] = &cloud.Invalid{}
	_, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
	if err == nil || !slices.Equal(f.done, []string{"create listener trial", "create listener 81"}) {
		t.Errorf("carried out %q, %v", f.done, err)
	}
}

// TestWaiting checks that the run goes on, and what it says in the end.
func TestWaiting(t *testing.T) {
	later, soon := &cloud.Waiting{After: 5 * second, Warnings: []cloud.Warning{{Message: "m does not run"}}}, &cloud.Waiting{}
	present := list(res("group", "g", nil), lb(nil), pool("p", nil))
	for name, tt := range map[string]struct {
		wanted []cloud.Resource
		fails  map[string]error
		done   []string
		want   cloud.Progress
	}{
		"a part of what is made": {
			append(slices.Clone(present), member("p", "m"), listener("80", "p", "tcp")), map[string]error{"create member m": later},
			[]string{"create member m", "create listener 80"}, cloud.Progress{Again: 5 * second, Warnings: later.Warnings},
		},
		"a deletion": {
			list(lb(nil)), map[string]error{"delete pool p": soon},
			[]string{"delete pool p", "delete group g"}, cloud.Progress{Pending: true},
		},
		"both": {
			list(lb(nil), pool("p", nil), member("p", "m")), map[string]error{"create member m": later, "delete group g": soon},
			[]string{"create member m", "delete group g"}, cloud.Progress{Pending: true, Again: 5 * second, Warnings: later.Warnings},
		},
	} {
		t.Run(name, func(t *testing.T) {
			kinds := theKinds()
			for i := range kinds {
				kinds[i].Settles = 0
			}
			f := newFake(kinds, present, tt.wanted)
			f.fails = tt.fails
			progress, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
			if err != nil || !slices.Equal(f.done, tt.done) || !reflect.DeepEqual(progress, tt.want) {
				t.Errorf("carried out %q, %+v, %v; want %q, %+v", f.done, progress, err, tt.done, tt.want)
			}
		})
	}
}
