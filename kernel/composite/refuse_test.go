package composite

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// What is done of a change of which one thing is refused.
func TestWhatIsDoneAfterARefusal(t *testing.T) {
	inOneGo := func(edit func(map[string]*cloud.ResourceKind)) []cloud.ResourceKind {
		return quick(func(kinds map[string]*cloud.ResourceKind) {
			if edit != nil {
				edit(kinds)
			}
		})
	}
	listed := func(pool, cidrs string) cloud.Resource {
		r := listener("80", pool, "tcp")
		give(&r, "cidrs", cidrs)
		return r
	}
	weighed := func(key, weight string) cloud.Resource {
		r := member("p", key)
		r.Machine = cloud.InstanceID(key)
		give(&r, "weight", weight)
		return r
	}
	onB := fields{"balancer": idOf("balancer", "b")}
	target := func(key string, needs ...cloud.IDOf) cloud.Resource {
		return cloud.Resource{Kind: "member", Key: key, Machine: "m", Needs: needs, Fields: res("", "", onB).Fields}
	}
	ofNetwork := []cloud.ResourceKind{{Name: "certificate"}, {Name: "balancer", Anchor: true}, {Name: "network"}, {Name: "member", Target: true}}
	anyAddress := res("network", "n", onB)
	address := res("network", "n", fields{"balancer": idOf("balancer", "b"), "ip": "x"})
	address.Otherwise = &anyAddress
	immutable := []cloud.ResourceKind{{Name: "certificate"}, {Name: "balancer", Anchor: true}, {Name: "member", Target: true, Immutable: names("private")}}
	private := func(key string, private bool) cloud.Resource {
		return cloud.Resource{Kind: "member", Key: key, Machine: cloud.InstanceID(key), Fields: res("", "", fields{"balancer": idOf("balancer", "b"), "private": private}).Fields}
	}
	exposed := []cloud.ResourceKind{{Name: "certificate"}, {Name: "balancer", Anchor: true}, {Name: "public"}, {Name: "listener"}}
	trial, tried := listener("trial", "q", "tls"), listener("80", "q", "tls")
	tried.Trial = &trial
	named := func(pool, name string) cloud.Resource {
		r := listener("80", pool, "tcp")
		give(&r, "name", name)
		return r
	}
	for _, tt := range []struct {
		name            string
		kinds           []cloud.ResourceKind
		present, wanted []cloud.Resource
		refused         []string
		want            []string
	}{
		{
			"the other fields of an update", inOneGo(nil),
			list(lb(nil), pool("p", nil), listed("p", "0.0.0.0/0")), list(lb(nil), pool("q", nil), listed("q", "10.0.0.0/8")),
			[]string{"create pool q"}, []string{"create pool q", "update listener 80 cidrs"},
		},
		{
			"no target goes whose successor needs what was refused", ofNetwork,
			list(lb(nil), target("public")), list(lb(nil), anyAddress, target("private", idOf("network", "n"))),
			[]string{"create network n"}, []string{"create network n"},
		},
		{
			"targets that are gone go, though another one cannot be changed", inOneGo(nil),
			list(lb(nil), pool("p", nil), weighed("a", "1"), weighed("gone", "1")), list(lb(nil), pool("p", nil), weighed("a", "2")),
			[]string{"update member a weight"}, []string{"update member a weight", "delete member gone"},
		},
		{
			"what can be made otherwise, after another refusal", ofNetwork,
			nil, list(res("certificate", "c", nil), lb(nil), address, target("m", idOf("network", "n"))),
			[]string{"create certificate c", "create network n with ip"}, []string{"create certificate c", "create balancer b", "create network n", "create network n", "create member m"},
		},
		{
			"what prepares a replacement is asked for once", inOneGo(nil),
			list(lb(nil), pool("p", nil), listener("80", "p", "tcp")), list(lb(nil), pool("p", fields{"protocol": "http"}), pool("q", nil), listener("80", "q", "tcp")),
			[]string{"create pool q"}, []string{"create pool q"},
		},
		{
			"a target that is made again goes before, also where a new one follows", immutable,
			list(lb(nil), private("a", false)), list(res("certificate", "c", nil), lb(nil), private("a", true), private("b", true)),
			[]string{"create certificate c"}, []string{"create certificate c", "delete member a", "create member a", "create member b"},
		},
		{
			"a target that is made again, after a new one was refused", immutable,
			list(lb(nil), private("b", false)), list(lb(nil), private("a", true), private("b", true)),
			[]string{"create member a"}, []string{"create member a", "delete member b", "create member b"},
		},
		{
			"what takes a Service off the internet", exposed,
			list(lb(nil), res("public", "public", onB), res("listener", "22", onB), res("listener", "443", onB)),
			list(res("certificate", "c", nil), lb(nil), res("listener", "443", onB)),
			[]string{"create certificate c"}, []string{"create certificate c", "delete listener 22", "delete public public"},
		},
		{
			"what is no part of the balancer stays", exposed,
			list(res("certificate", "old", nil), lb(nil), res("listener", "22", onB)), list(lb(nil), res("public", "public", onB)),
			[]string{"create public public"}, []string{"create public public", "delete listener 22"},
		},
		{
			"a trial is asked for once where what is in its way has to be made again", prompt(),
			list(lb(nil), pool("p", nil), listener("80", "p", "tcp")), list(lb(nil), pool("p", fields{"protocol": "http"}), pool("q", nil), tried),
			[]string{"create listener trial"}, []string{"create pool q", "create listener trial", "delete listener 80", "delete pool p", "create pool p", "create listener 80"},
		},
		{
			"a pool that a listener leads to which stays as it is, after a refused trial", prompt(),
			list(lb(nil), pool("p", nil), listener("80", "p", "tcp")), list(lb(nil), pool("q", nil), tried),
			[]string{"create listener trial"}, []string{"create pool q", "create listener trial"},
		},
		{
			"a pool that a listener leads to which stays, where it is changed in two steps", []cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "pool"}, {Name: "monitor"}, {Name: "listener", Last: names("name")}},
			list(lb(nil), pool("p", nil), named("p", "a")), list(lb(nil), pool("q", nil), res("monitor", "q", fields{"pool": idOf("pool", "q")}), named("q", "b")),
			[]string{"create monitor q"}, []string{"create pool q", "create monitor q", "update listener 80 name"},
		},
		{
			"a pool that nothing leads to any more", []cloud.ResourceKind{{Name: "certificate"}, {Name: "balancer", Anchor: true}, {Name: "pool"}, {Name: "listener"}},
			list(lb(nil), pool("p", nil), listener("80", "p", "tcp")), list(res("certificate", "c", nil), lb(nil), pool("q", nil), listener("80", "q", "tcp")),
			[]string{"create certificate c"}, []string{"create certificate c", "create pool q", "update listener 80 pool", "delete pool p"},
		},
		{
			"what a rule leads to that stays for another one, and what that leads to",
			[]cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "pool", FoundThrough: "listener"}, {Name: "listener"}, {Name: "rule"}},
			list(lb(nil), pool("p", nil), listener("80", "p", "tcp"), res("rule", "old", fields{"listener": idOf("listener", "80")})), list(lb(nil), res("rule", "new", nil)),
			[]string{"create rule new"}, []string{"create rule new"},
		},
		{
			"a pool goes with its members", []cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "certificate"}, {Name: "pool"}, {Name: "member", Target: true, Together: to("pool")}, {Name: "listener"}},
			list(lb(nil), pool("p", nil), member("p", "m"), listener("80", "p", "tcp")), list(lb(nil), res("certificate", "c", nil)),
			[]string{"create certificate c"}, []string{"create certificate c", "delete listener 80", "delete pool p"},
		},
		{
			"a pool goes before the listener through which it is found", []cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "certificate"}, {Name: "pool", FoundThrough: "listener"}, {Name: "listener"}},
			list(lb(nil), pool("p", nil), listener("80", "p", "tcp")), list(lb(nil), res("certificate", "c", nil)),
			[]string{"create certificate c"}, []string{"create certificate c", "delete pool p", "delete listener 80"},
		},
		{
			"the last target goes with its node", ofNetwork,
			list(lb(nil), res("member", "m", onB)), list(lb(nil), anyAddress),
			[]string{"create network n"}, []string{"create network n", "delete member m"},
		},
		{
			"a separate field does not follow one that was refused", []cloud.ResourceKind{{Name: "balancer", Anchor: true, Separate: names("a", "b", "c")}},
			list(lb(fields{"a": "1", "b": "1", "c": "1"})), list(lb(fields{"a": "2", "b": "2", "c": "2"})),
			[]string{"update balancer b b"}, []string{"update balancer b a", "update balancer b b"},
		},
	} {
		f := newFake(tt.kinds, tt.present, tt.wanted)
		for _, step := range tt.refused {
			f.fails[step] = &cloud.Invalid{}
		}
		f.refuses = func(r cloud.Resource) error {
			if field("ip").Of(r) != nil && slices.Contains(tt.refused, "create "+r.Kind+" "+r.Key+" with ip") {
				return &cloud.Invalid{}
			}
			return nil
		}
		_, err := f.balancers().Apply(context.Background(), cloud.Change{After: &cloud.Balancer{}})
		if err == nil || !slices.Equal(f.done, tt.want) {
			t.Errorf("%s: %q, error %v, want %q", tt.name, f.done, err, tt.want)
		}
	}
}

// Where the deletion of what is replaced is refused the trial stays, and is not made again with each try.
func TestTrialStaysWhereTheDeletionIsRefused(t *testing.T) {
	trial, tried := listener("trial", "p", "tls"), listener("80", "p", "tls")
	tried.Trial = &trial
	f := newFake(prompt(), list(lb(nil), pool("p", nil), listener("80", "p", "tcp")), list(lb(nil), pool("p", nil), tried))
	f.fails["delete listener 80"] = &cloud.Invalid{}
	for range 2 {
		if _, err := f.balancers().Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}}); err == nil {
			t.Error("no error")
		}
	}
	if want := []string{"create listener trial", "delete listener 80", "delete listener 80"}; !slices.Equal(f.done, want) {
		t.Errorf("%q, want %q", f.done, want)
	}
}

// A Service that leaves a balancer does not give up its tags while something of it is there.
func TestTagsStayWithTheParts(t *testing.T) {
	f := newFake(prompt(), list(lb(fields{"tags": "ours"}), pool("p", nil), listener("80", "p", "tcp")), list(lb(fields{"tags": ""}), pool("p", fields{"protocol": "http"})))
	before := &cloud.NotReplaced{Resource: idOf("pool", "p"), Err: &cloud.Invalid{}}
	_, err := f.balancers().Apply(t.Context(), cloud.Change{NotReplaced: before})
	if want := []string{"delete listener 80", "update balancer b tags"}; err == nil || !slices.Equal(f.done, want) {
		t.Errorf("%q, %v, want %q", f.done, err, want)
	}
}

// A listener that was put back leads to the pool that it led to, and so does one that the cloud refused to replace before.
func TestPoolOfWhatIsPutBack(t *testing.T) {
	for name, tt := range map[string]struct {
		before error
		want   []string
	}{
		"in this run": {nil, []string{"create pool q", "delete listener 80", "create listener 80", "create listener 80"}},
		"before":      {&cloud.Invalid{}, []string{"create pool q"}},
	} {
		f := newFake(prompt(), list(lb(nil), pool("p", nil), listener("80", "p", "tcp")), list(lb(nil), pool("q", nil), listener("80", "q", "tls")))
		f.refuses = func(r cloud.Resource) error {
			if field("protocol").Of(r) == "tls" {
				return &cloud.Invalid{}
			}
			return nil
		}
		change := cloud.Change{After: &cloud.Balancer{}}
		if tt.before != nil {
			change.NotReplaced = &cloud.NotReplaced{Resource: idOf("listener", "80"), Err: tt.before}
		}
		_, err := f.balancers().Apply(t.Context(), change)
		if err == nil || !slices.Equal(f.done, tt.want) || len(f.problems) > 0 {
			t.Errorf("refused %s: %q, %v, want %q; problems %q", name, f.done, err, tt.want, f.problems)
		}
	}
}

// Another failure after a refusal says how soon it is tried again, also where only the driver knows what it is.
func TestFailureAfterARefusal(t *testing.T) {
	impossible := pool("q", nil)
	impossible.Problem = &cloud.Invalid{Field: "x"}
	f := newFake(prompt(), list(lb(nil), pool("p", nil)), list(lb(nil), pool("p", nil), impossible, listener("80", "p", "tcp")))
	f.fails["create listener 80"] = errSomething
	b := f.balancers()
	b.classify = func(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureThrottled} }
	_, err := b.Apply(t.Context(), cloud.Change{After: &cloud.Balancer{}})
	if !cloud.IsClass(err, cloud.FailureThrottled) || !errors.Is(err, errSomething) || !errors.Is(err, impossible.Problem) {
		t.Errorf("%v, want it throttled, and what was refused", err)
	}
}
