package packetfilter

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const mine = "made for the balancer"

// keys are what resources are.
func keys(list []cloud.Resource) (all []string) {
	for _, r := range list {
		all = append(all, r.Key)
	}
	return all
}

// What a group is missing is wanted, and what is too much is there: only what was made for the balancer and nobody else needs.
func TestNeeds(t *testing.T) {
	const web, dns = "tcp/80 from 10.0.0.0/8 in sg-1", "tcp/53 from 10.0.0.0/8 in sg-1"
	only := func(port int, description string) map[string]Rules {
		return map[string]Rules{"sg-1": {tcp(port, ten): {Description: description}}}
	}
	needed := func(by string) NewOwner { return func(string, Rule) (bool, string, error) { return by != "", by, nil } }
	self := map[string]Rules{"sg-1": {All(Peer{Group: "sg-1"}): {Description: mine}, tcp(80, ten): {}}}
	for name, test := range map[string]struct {
		groups          map[string]Rules
		elsewhere       bool // the nodes have no such group any more
		newOwner        NewOwner
		doubt           bool
		present, wanted []string
	}{
		"all is there":                   {groups: only(80, mine)},
		"there with other words":         {groups: only(80, "by hand")},
		"missing":                        {groups: map[string]Rules{"sg-1": {}}, wanted: []string{web}},
		"a group that was not read":      {wanted: []string{web}},
		"too much":                       {groups: only(53, mine), present: []string{dns}, wanted: []string{web}},
		"somebody's":                     {groups: only(53, "by hand"), wanted: []string{web}},
		"optional":                       {groups: only(443, mine), wanted: []string{web}},
		"too much, with doubt":           {groups: only(53, mine), doubt: true, wanted: []string{web}},
		"nobody else needs it":           {groups: only(53, mine), newOwner: needed(""), present: []string{dns}, wanted: []string{web}},
		"another needs it":               {groups: only(53, mine), newOwner: needed("another's"), present: []string{dns}, wanted: []string{web, dns}},
		"another, and it says so":        {groups: only(53, mine), newOwner: needed(mine), wanted: []string{web}},
		"the group itself":               {groups: self},
		"no node has the group":          {groups: only(80, mine), elsewhere: true, present: []string{web}},
		"nor is it asked for, optional":  {groups: only(443, mine), elsewhere: true, present: []string{"tcp/443 from 10.0.0.0/8 in sg-1"}},
		"a group that is in itself only": {groups: self, elsewhere: true},
	} {
		n := Needs{
			Groups: []string{"sg-1"}, Rules: Rules{tcp(80, ten): {Description: mine}}, Optional: Rules{tcp(443, ten): {}}, NewOwner: test.newOwner,
			Mine: func(_ Rules, _ Rule, description string) bool { return description == mine },
		}
		if test.elsewhere {
			n.Groups = nil
		}
		before := map[string]Rules{}
		for id, rules := range test.groups {
			before[id] = maps.Clone(rules)
		}
		var r cloud.Resources
		err := n.AddTo(&r, test.groups, nil, test.doubt)
		if present, wanted := keys(r.Present), keys(r.Wanted); err != nil || !slices.Equal(present, test.present) || !slices.Equal(wanted, test.wanted) {
			t.Errorf("%s: present %q, wanted %q, %v; want %q and %q", name, present, wanted, err, test.present, test.wanted)
		}
		if len(test.present) > 0 && len(test.wanted) == 2 && (FieldDescription.Of(r.Present[0]) != mine || FieldDescription.Of(r.Wanted[1]) != "another's") {
			t.Errorf("%s: from %v to %v", name, r.Present[0].Fields, r.Wanted[1].Fields)
		}
		if !maps.EqualFunc(before, test.groups, maps.Equal) {
			t.Errorf("%s: what was read has changed: %v", name, test.groups)
		}
	}
	broken := errors.New("no answer")
	n := Needs{Mine: func(Rules, Rule, string) bool { return true }, NewOwner: func(string, Rule) (bool, string, error) { return false, "", broken }}
	var r cloud.Resources
	if err := n.AddTo(&r, only(53, mine), nil, false); !errors.Is(err, broken) || len(r.Present) > 0 {
		t.Errorf("%v, closed %q; want nothing closed while it is not known who needs it", err, keys(r.Present))
	}
}

// A rule about the balancer's own group refers to that, which may have to be made, and says its id when that is known.
func TestOwnGroup(t *testing.T) {
	own := cloud.Resource{Kind: "group", Key: "web", ID: "sg-own"}
	n := Needs{Groups: []string{"sg-1"}, Rules: Rules{All(Peer{Group: OwnGroup}): {Description: mine}, tcp(80, ten): {}, All(Peer{Group: "sg-2"}): {}}}
	var r cloud.Resources
	if err := n.AddTo(&r, nil, &own, true); err != nil || len(r.Wanted) != 3 {
		t.Fatalf("%q, %v", keys(r.Wanted), err)
	}
	for i, want := range []cloud.Reference{cloud.To(own.Ref()), cloud.ToID("sg-2"), {}} {
		if one := r.Wanted[i]; FieldPeer.Of(one) != want || !slices.Equal(one.Needs, []cloud.IDOf{own.Ref()}) {
			t.Errorf("%s refers to %v and needs %v, want %v", one.Key, FieldPeer.Of(one), one.Needs, want)
		}
	}
	r.Wanted[0].Fields = r.Wanted[0].Fields.With(FieldPeer.Is(cloud.ToID(own.ID))) // as the kernel fills it in
	group, rule, description := Of(r.Wanted[0])
	if want := All(Peer{Group: "sg-own"}); group != "sg-1" || rule != want || description != mine {
		t.Errorf("%s in %s, %q", rule, group, description)
	}
	if _, rule, _ := Of(r.Wanted[2]); rule != tcp(80, ten) {
		t.Errorf("without a group: %s", rule)
	}
	r = cloud.Resources{}
	AddReferring(&r, map[string]Rules{
		"sg-own": {All(Peer{Group: "sg-own"}): {}},
		"sg-1":   {All(Peer{Group: "sg-own"}): {}, All(Peer{Group: "sg-2"}): {}, tcp(80, Network("sg-own")): {}},
	}, own)
	if got := keys(r.Present); !slices.Equal(got, []string{"all from sg-own in sg-1"}) || FieldPeer.Of(r.Present[0]) != cloud.To(own.Ref()) {
		t.Errorf("what refers to it: %q", got)
	}
	r = cloud.Resources{}
	AddReferring(&r, map[string]Rules{"sg-1": {tcp(80, Peer{}): {}}}, cloud.Resource{})
	if len(r.Present) > 0 {
		t.Errorf("what refers to a group without an id: %q", keys(r.Present))
	}
}

// A group of ours has the wanted rules and no others, unless it cannot be had.
func TestAddOwn(t *testing.T) {
	group := cloud.Resource{Kind: "group", Key: "web"}
	has := Rules{tcp(80, ten): {ID: "1"}, tcp(81, ten): {ID: "2"}}
	has.AddObserved(tcp(80, ten), "3")
	wanted := Rules{tcp(80, ten): {}, tcp(82, ten): {}}
	var r cloud.Resources
	AddOwn(&r, group, has, wanted)
	if got := keys(r.Wanted); !slices.Equal(got, []string{"tcp/82 from 10.0.0.0/8 in web"}) || FieldGroup.Of(r.Wanted[0]) != cloud.To(group.Ref()) || r.Wanted[0].Problem != nil {
		t.Errorf("wanted %+v", r.Wanted)
	}
	if got := keys(r.Present); !slices.Equal(got, []string{"tcp/80 from 10.0.0.0/8 (copy 1) in web", "tcp/81 from 10.0.0.0/8 in web"}) || r.Present[0].ID != "3" || r.Present[1].ID != "2" {
		t.Errorf("present %+v", r.Present)
	}
	r, group.Problem = cloud.Resources{}, errors.New("another's")
	if AddOwn(&r, group, has, wanted); len(r.Present) > 0 || len(r.Wanted) != 1 || r.Wanted[0].Problem == nil {
		t.Errorf("of a group that cannot be had: %+v", r)
	}
}
