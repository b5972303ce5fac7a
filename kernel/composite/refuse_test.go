package composite

import (
	"context"
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
		r.Fields["cidrs"] = cidrs
		return r
	}
	weighed := func(key, weight string) cloud.Resource {
		r := member("p", key)
		r.Machine, r.Fields["weight"] = cloud.InstanceID(key), weight
		return r
	}
	onB := fields{"balancer": idOf("balancer", "b")}
	target := func(key string, needs ...cloud.IDOf) cloud.Resource {
		return cloud.Resource{Kind: "member", Key: key, Machine: "m", Needs: needs, Fields: onB}
	}
	ofNetwork := []cloud.ResourceKind{{Name: "certificate"}, {Name: "balancer", Anchor: true}, {Name: "network"}, {Name: "member", Target: true}}
	anyAddress := res("network", "n", onB)
	address := res("network", "n", fields{"balancer": idOf("balancer", "b"), "ip": "x"})
	address.Otherwise = &anyAddress
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
			"the last target goes with its node", ofNetwork,
			list(lb(nil), res("member", "m", onB)), list(lb(nil), anyAddress),
			[]string{"create network n"}, []string{"create network n", "delete member m"},
		},
		{
			"a separate field does not follow one that was refused", []cloud.ResourceKind{{Name: "balancer", Anchor: true, Separate: []string{"a", "b", "c"}}},
			list(lb(fields{"a": "1", "b": "1", "c": "1"})), list(lb(fields{"a": "2", "b": "2", "c": "2"})),
			[]string{"update balancer b b"}, []string{"update balancer b a", "update balancer b b"},
		},
	} {
		f := newFake(tt.kinds, tt.present, tt.wanted)
		for _, step := range tt.refused {
			f.fails[step] = &cloud.Invalid{}
		}
		f.refuses = func(r cloud.Resource) error {
			if r.Fields["ip"] != nil && slices.Contains(tt.refused, "create "+r.Kind+" "+r.Key+" with ip") {
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
