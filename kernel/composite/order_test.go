package composite

import (
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The kinds of most tests: those of a cloud like Octavia.
var (
	kindBalancer = cloud.ResourceKind{Name: "balancer", Anchor: true, Settles: second, Last: names("name")}
	kindPool     = cloud.ResourceKind{Name: "pool", Settles: second, Immutable: names("protocol"), Takes: []string{"member"}}
	kindMember   = cloud.ResourceKind{Name: "member", Target: true, Settles: second}
	kindListener = cloud.ResourceKind{Name: "listener", Settles: second, Immutable: names("protocol")}
	kindGroup    = cloud.ResourceKind{Name: "group", OfService: true}
)

func theKinds() []cloud.ResourceKind {
	return []cloud.ResourceKind{kindGroup, kindBalancer, kindPool, kindMember, kindListener}
}

// with returns the kinds with one of them changed.
func with(name string, edit func(*cloud.ResourceKind)) []cloud.ResourceKind {
	kinds := theKinds()
	at := slices.IndexFunc(kinds, func(k cloud.ResourceKind) bool { return k.Name == name })
	edit(&kinds[at])
	return kinds
}

func lb(f fields) cloud.Resource { return res("balancer", "b", f) }

func pool(key string, more fields) cloud.Resource {
	f := fields{"balancer": idOf("balancer", "b"), "protocol": "tcp"}
	for name, value := range more {
		f[name] = value
	}
	return res("pool", key, f)
}

func member(pool, key string) cloud.Resource {
	r := res("member", key, fields{"pool": idOf("pool", pool), "address": key})
	r.Machine = cloud.InstanceID(key)
	return r
}

func listener(key, pool, protocol string) cloud.Resource {
	return res("listener", key, fields{"balancer": idOf("balancer", "b"), "pool": idOf("pool", pool), "protocol": protocol})
}

func list(all ...cloud.Resource) []cloud.Resource { return all }

func alone(r cloud.Resource) cloud.Resource {
	r.Alone = true
	return r
}

// front is a listener without a pool, policyOf what belongs to one.
func front(key, protocol string) cloud.Resource {
	return res("listener", key, fields{"balancer": idOf("balancer", "b"), "protocol": protocol})
}

func policyOf(listener string) cloud.Resource {
	r := res("policy", "of "+listener, nil)
	r.Needs = []cloud.IDOf{idOf("listener", listener)}
	return r
}

// TestOrder compares the steps of a change, which are both planned and carried out.
func TestOrder(t *testing.T) {
	whole := list(lb(nil), pool("p", nil), member("p", "m"), listener("80", "p", "tcp"))
	trial := listener("trial", "p", "tls")
	tried := listener("80", "p", "tls")
	tried.Trial = &trial
	needy := member("p", "m")
	needy.Needs = []cloud.IDOf{idOf("group", "g")}
	for name, tt := range map[string]struct {
		kinds           []cloud.ResourceKind
		present, wanted []cloud.Resource
		change          cloud.Change
		// deletes says that the change is a deletion although something is wanted.
		deletes bool
		steps   []string
	}{
		"nothing differs": {present: whole, wanted: whole},
		"everything is made in the order of the kinds": {
			wanted: list(listener("80", "p", "tcp"), member("p", "m"), pool("p", nil), lb(nil)),
			steps:  []string{"create balancer b", "create pool p", "create member m", "create listener 80"},
		},
		"what a resource refers to is made before, whatever the order of the kinds": {
			kinds:  []cloud.ResourceKind{kindListener, kindPool, kindBalancer, kindMember},
			wanted: whole,
			steps:  []string{"create balancer b", "create pool p", "create listener 80", "create member m"},
		},
		"what a resource needs is made before it": {
			kinds:   []cloud.ResourceKind{kindBalancer, kindPool, kindMember, kindListener, kindGroup},
			present: list(lb(nil), pool("p", nil)), wanted: list(lb(nil), pool("p", nil), needy, res("group", "g", nil)),
			steps: []string{"create group g", "create member m"},
		},
		"made, filled, led to, and only then deleted": {
			present: whole, wanted: list(lb(nil), pool("q", nil), member("q", "n"), listener("80", "q", "tcp")),
			steps: []string{"create pool q", "create member n", "update listener 80 pool", "delete pool p"},
		},
		"a field that is only wanted is not compared": {
			present: list(lb(fields{"name": "x"})), wanted: list(lb(fields{"name": "x", "flavor": "large"})),
		},
		"an immutable field": {
			present: whole, wanted: list(lb(nil), pool("p", nil), member("p", "m"), listener("80", "p", "udp")),
			steps: []string{"delete listener 80", "create listener 80"},
		},
		"a trial is made before a replacement and deleted after it": {
			present: whole, wanted: list(lb(nil), pool("p", nil), member("p", "m"), tried),
			steps: []string{"create listener trial", "delete listener 80", "create listener 80", "delete listener trial"},
		},
		"fields that change last do so after everything else": {
			present: append(list(lb(fields{"name": "old", "tags": "x"})), whole[1:]...),
			wanted:  list(lb(fields{"name": "new", "tags": "y"}), pool("p", nil), member("p", "n")),
			steps:   []string{"update balancer b tags", "create member n", "delete listener 80", "delete member m", "update balancer b name"},
		},
		"deletion in the opposite order, what bears the tags last": {
			kinds: with("pool", func(k *cloud.ResourceKind) { k.Takes = nil }), present: whole,
			steps: []string{"delete listener 80", "delete member m", "delete pool p", "delete balancer b"},
		},
		"what is taken along needs no deletion": {
			present: whole, steps: []string{"delete listener 80", "delete pool p", "delete balancer b"},
		},
		"everything is taken along": {
			kinds:   with("balancer", func(k *cloud.ResourceKind) { k.Takes = []string{"pool", "member", "listener"} }),
			present: whole, steps: []string{"delete balancer b"},
		},
		"what is found through another goes before it": {
			kinds:   with("pool", func(k *cloud.ResourceKind) { k.FoundThrough = "listener" }),
			present: whole, steps: []string{"delete pool p", "delete listener 80", "delete balancer b"},
		},
		"everything is brought": {
			kinds:  with("balancer", func(k *cloud.ResourceKind) { k.Brings = []string{"pool", "member", "listener"} }),
			wanted: append(slices.Clone(whole), res("group", "g", nil)),
			steps:  []string{"create group g", "create balancer b"},
		},
		"what is made alone is not brought": {
			kinds:  with("balancer", func(k *cloud.ResourceKind) { k.Brings = []string{"pool", "member", "listener"} }),
			wanted: list(lb(nil), alone(pool("p", nil)), member("p", "m"), pool("q", nil), member("q", "n")),
			steps:  []string{"create balancer b", "create pool p", "create member m"},
		},
		"fields that take a request of their own": {
			kinds:   with("balancer", func(k *cloud.ResourceKind) { k.Separate = names("algorithm", "size") }),
			present: list(lb(fields{"algorithm": "x", "size": 1, "tags": "x", "zone": "x"})),
			wanted:  list(lb(fields{"algorithm": "y", "size": 2, "tags": "y", "zone": "y"})),
			steps:   []string{"update balancer b tags zone", "update balancer b algorithm", "update balancer b size"},
		},
		"a batch is written for each owner": {
			kinds:   with("member", func(k *cloud.ResourceKind) { k.Batch = to("pool") }),
			present: list(lb(nil), pool("p", nil), pool("q", nil), member("p", "m"), member("q", "o")),
			wanted:  list(lb(nil), pool("p", nil), pool("q", nil), member("p", "m"), member("p", "n"), member("q", "o")),
			steps:   []string{"update member p"},
		},
		"a batch is emptied": {
			kinds:   with("member", func(k *cloud.ResourceKind) { k.Batch = to("pool") }),
			present: list(lb(nil), pool("p", nil), member("p", "m")), wanted: list(lb(nil), pool("p", nil)),
			steps: []string{"update member p"},
		},
		"a batch is written before something leads to it": {
			kinds:   with("member", func(k *cloud.ResourceKind) { k.Batch = to("pool") }),
			present: list(lb(nil)), wanted: whole,
			steps: []string{"create pool p", "update member p", "create listener 80"},
		},
		"a batch goes with what it belongs to": {
			kinds: append(with("member", func(k *cloud.ResourceKind) { k.Batch = to("pool") })[:2],
				cloud.ResourceKind{Name: "pool"}, cloud.ResourceKind{Name: "member", Target: true, Batch: to("pool")}),
			present: list(lb(nil), pool("p", nil), member("p", "m")), wanted: list(lb(nil)),
			steps: []string{"delete pool p"},
		},
		"what is made together is filled before something leads to it, and emptied last": {
			kinds:   with("member", func(k *cloud.ResourceKind) { k.Together = to("pool") }),
			present: list(lb(nil), pool("p", nil), member("p", "m"), member("p", "n"), listener("80", "p", "tcp")),
			wanted:  list(lb(nil), pool("p", nil), member("p", "n"), member("p", "o"), pool("q", nil), member("q", "r"), member("q", "s"), listener("80", "q", "tcp")),
			steps:   []string{"create pool q", "create member o", "create member r", "create member s", "update listener 80 pool", "delete member m"},
		},
		"what was made together goes with what it belongs to": {
			kinds:   append(with("pool", func(k *cloud.ResourceKind) { k.Takes = nil })[:3], cloud.ResourceKind{Name: "member", Target: true, Together: to("pool")}),
			present: list(lb(nil), pool("p", nil), member("p", "m"), member("p", "n")), wanted: list(lb(nil)),
			steps: []string{"delete pool p"},
		},
		"what is deleted together takes others along": {
			kinds:   []cloud.ResourceKind{{Name: "balancer", Anchor: true}, {Name: "listener", Together: to("balancer"), Takes: []string{"policy"}, Immutable: names("protocol")}, {Name: "policy"}},
			present: list(lb(nil), front("80", "tcp"), policyOf("80"), front("81", "tcp"), policyOf("81"), front("82", "tcp"), policyOf("82")),
			wanted:  list(lb(nil), front("80", "tls"), policyOf("80")),
			steps:   []string{"delete listener 80", "create listener 80", "create policy of 80", "delete listener 81", "delete listener 82"},
		},
		"a list of ids is what a resource refers to": {
			present: list(lb(fields{"groups": []cloud.Reference{cloud.ToID("theirs")}})), wanted: list(lb(fields{"groups": []cloud.Reference{cloud.To(idOf("group", "g")), cloud.ToID("theirs")}}), res("group", "g", nil)),
			steps: []string{"create group g", "update balancer b groups"},
		},
		"what the Service has once stays for another balancer": {
			present: append(list(res("group", "g", nil)), whole...),
			change:  cloud.Change{Input: cloud.Input{Known: cloud.Known{Beside: &cloud.Observed{ID: "other"}}}},
			steps:   []string{"delete listener 80", "delete pool p", "delete balancer b"},
		},
		"what the Service has once stays for the next balancer": {
			present: append(list(res("group", "g", nil)), whole...), change: cloud.Change{Replaced: true},
			steps: []string{"delete listener 80", "delete pool p", "delete balancer b"},
		},
		"what the Service has once goes with its last balancer, before what bears the tags": {
			present: append(list(res("group", "g", nil)), whole...),
			steps:   []string{"delete listener 80", "delete pool p", "delete group g", "delete balancer b"},
		},
		"a shared balancer loses its tags last": {
			present: append(list(lb(fields{"tags": "ours,theirs"})), whole[1:]...), wanted: list(lb(fields{"tags": "theirs"})), deletes: true,
			steps: []string{"delete listener 80", "delete pool p", "update balancer b tags"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			kinds := tt.kinds
			if kinds == nil {
				kinds = theKinds()
			}
			if len(tt.wanted) > 0 && !tt.deletes {
				tt.change.After = &cloud.Balancer{}
			}
			f := newFake(kinds, tt.present, tt.wanted)
			planned := f.plan(t, tt.change)
			if !slices.Equal(planned, tt.steps) {
				t.Errorf("planned %q,\nwant    %q", planned, tt.steps)
			}
			if err := f.settle(t, tt.change); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(f.done, tt.steps) {
				t.Errorf("carried out %q,\nwant        %q", f.done, tt.steps)
			}
			for _, problem := range f.problems {
				t.Error(problem)
			}
		})
	}
}

// TestUniqueField: what has the name that another one of the kind needs gives it up first, as a step of the plan.
func TestUniqueField(t *testing.T) {
	group := func(key, name string) cloud.Resource { return res("group", key, fields{"name": name}) }
	kinds := with("group", func(k *cloud.ResourceKind) { k.Unique = cloud.NewField[string]("name") })
	f := newFake(kinds, list(group("old", "web"), group("second", "front"), lb(nil)), list(group("new", "web"), group("second", "web-id-1"), lb(nil)))
	want := []string{"update group old name", "create group new", "update group old name", "update group second name", "delete group old"}
	if steps := f.plan(t, cloud.Change{After: &cloud.Balancer{}}); !slices.Equal(steps, want) {
		t.Errorf("planned %q, want %q", steps, want)
	}
	if err := f.settle(t, cloud.Change{After: &cloud.Balancer{}}); err != nil || !slices.Equal(f.done, want) {
		t.Errorf("done %q, want %q, error %v", f.done, want, err)
	}
	refused := newFake(kinds, list(group("old", "web"), lb(nil)), list(group("new", "web"), lb(nil)))
	refused.fails["update group old name"] = &cloud.Invalid{}
	if err := refused.settle(t, cloud.Change{After: &cloud.Balancer{}}); err == nil || !slices.Equal(refused.done, []string{"update group old name", "create group new"}) {
		t.Errorf("a refusal: done %q, error %v", refused.done, err)
	}
}
