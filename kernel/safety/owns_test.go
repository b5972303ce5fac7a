package safety

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	ourUID, theirUID = "11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"
)

// The rows of Judge, in its order, and what each must not be taken for.
func TestJudge(t *testing.T) {
	us := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: ourUID}
	them := cloud.Owner{Cluster: "prod", Namespace: "bank", Name: "vault", UID: theirUID}
	tests := []struct {
		name     string
		policy   string
		owner    cloud.Owner
		lbName   string
		notNamed bool // else the Service names the id
		edit     func(*Case)
		want     Standing
		claimed  cloud.Owner
	}{
		{name: "not found", edit: func(c *Case) { c.Observed = cloud.Observed{} }, want: Absent},

		{name: "our UID by mark", owner: cloud.Owner{UID: ourUID}, notNamed: true, want: Ours},
		{name: "our UID by name", owner: cloud.Owner{UID: ourUID}, notNamed: true, edit: byName, want: Ours},
		{name: "our UID, another cluster", owner: cloud.Owner{UID: ourUID, Cluster: "old"}, want: Claimed, claimed: cloud.Owner{UID: ourUID, Cluster: "old"}},
		{name: "our UID, another cluster, published", owner: cloud.Owner{UID: ourUID, Cluster: "old"}, edit: published, want: Claimed, claimed: cloud.Owner{UID: ourUID, Cluster: "old"}},
		{name: "our UID, another cluster, any", policy: "any", owner: cloud.Owner{UID: ourUID, Cluster: "old"}, want: Ours},
		{name: "our UID, another cluster, the operator consents", policy: "lb=shop/web", owner: cloud.Owner{UID: ourUID, Cluster: "old"}, want: Ours},
		{name: "our UID, another cluster, made by this process", owner: cloud.Owner{UID: ourUID, Cluster: "old"}, notNamed: true, edit: created, want: Claimed, claimed: cloud.Owner{UID: ourUID, Cluster: "old"}},
		{name: "our UID, a former id of this cluster", owner: cloud.Owner{UID: ourUID, Cluster: "old"}, notNamed: true, edit: formerly, want: Ours},
		{name: "our UID, a former id of this cluster, and the Service leaves", owner: cloud.Owner{UID: ourUID, Cluster: "old"}, notNamed: true, edit: func(c *Case) { formerly(c); leaving(c) }, want: Ours},
		{name: "another UID, a former id of this cluster", owner: cloud.Owner{UID: theirUID, Cluster: "old"}, edit: formerly, want: Claimed, claimed: cloud.Owner{UID: theirUID, Cluster: "old"}},
		{name: "a former id of this cluster by id", owner: cloud.Owner{Cluster: "old"}, edit: formerly, want: Ours},
		{name: "our UID, policy own", policy: "own", owner: cloud.Owner{UID: ourUID}, notNamed: true, want: Ours},
		{name: "our UID, another cluster, and the Service leaves", owner: cloud.Owner{UID: ourUID, Cluster: "old"}, edit: leaving, want: Claimed, claimed: cloud.Owner{UID: ourUID, Cluster: "old"}},
		{name: "our UID though the Service leaves", owner: cloud.Owner{UID: ourUID}, notNamed: true, edit: leaving, want: Ours},

		{name: "another UID, the operator consents", policy: "lb=shop/web", owner: them, want: Ours},
		{name: "another UID, consent found by name", policy: "lb=shop/web", owner: them, notNamed: true, edit: byName, want: Ours},
		{name: "another UID, consent, leaving before it was taken over", policy: "lb=shop/web", owner: them, notNamed: true, edit: func(c *Case) { byName(c); leaving(c) }, want: Claimed, claimed: them},
		{name: "another UID, own and consent", policy: "own,lb=shop/web", owner: them, want: Ours},
		{name: "another UID, consent for another Service", policy: "lb=shop/api", owner: them, want: Claimed, claimed: them},
		{name: "another UID, consent for another id", policy: "lb2=shop/web", owner: them, want: Claimed, claimed: them},
		{name: "unmarked, consent for another id", policy: "lb2=shop/web", want: Ours},

		{name: "another UID, any", policy: "any", owner: them, want: Ours},
		{name: "another UID, any, only by name", policy: "any", owner: them, notNamed: true, edit: byName, want: Claimed, claimed: them},
		{name: "another UID, any, id not named", policy: "any", owner: them, notNamed: true, want: Claimed, claimed: them},

		{name: "upstream's: our UID in its name, by name", lbName: cloud.UIDName(ourUID), notNamed: true, edit: byName, want: Ours},
		{name: "upstream's: our UID in its name, our cluster", owner: cloud.Owner{Cluster: "prod"}, lbName: cloud.UIDName(ourUID), want: Ours},
		{name: "upstream's: our UID in its name, another cluster", owner: cloud.Owner{Cluster: "old"}, lbName: cloud.UIDName(ourUID), want: Claimed, claimed: cloud.Owner{Cluster: "old"}},
		{name: "upstream's: our UID in its name, a former id", owner: cloud.Owner{Cluster: "old"}, lbName: cloud.UIDName(ourUID), edit: formerly, want: Ours},
		{name: "upstream's: our UID in the names of two", lbName: cloud.UIDName(ourUID), notNamed: true, edit: rivals, want: Ambiguous},
		{name: "upstream's: our UID in its name, policy own", policy: "own", lbName: cloud.UIDName(ourUID), want: Ours},
		{name: "our UID in its name, another UID in its mark", owner: them, lbName: cloud.UIDName(ourUID), want: Claimed, claimed: them},

		{name: "another UID by id", owner: cloud.Owner{UID: theirUID}, want: Claimed, claimed: cloud.Owner{UID: theirUID}},
		{name: "another UID by id, published", owner: them, edit: published, want: Claimed, claimed: them},
		{name: "another UID of the same name", owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: theirUID}, want: Claimed, claimed: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: theirUID}},
		{name: "another UID by name", owner: them, notNamed: true, edit: byName, want: Claimed, claimed: them},

		{name: "our cluster, another namespace, no UID", owner: cloud.Owner{Cluster: "prod", Namespace: "bank", Name: "web"}, want: Claimed, claimed: cloud.Owner{Cluster: "prod", Namespace: "bank", Name: "web"}},
		{name: "our cluster, another name, no UID", owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "api"}, want: Claimed, claimed: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "api"}},
		{name: "another Service of no cluster", owner: cloud.Owner{Namespace: "bank", Name: "web"}, want: Claimed, claimed: cloud.Owner{Namespace: "bank", Name: "web"}},
		{name: "another Service's mark, published", owner: cloud.Owner{Cluster: "prod", Namespace: "bank", Name: "web"}, edit: published, want: Claimed, claimed: cloud.Owner{Cluster: "prod", Namespace: "bank", Name: "web"}},

		{name: "another UID in its name", lbName: cloud.UIDName(theirUID), want: Claimed},
		{name: "another UID in its name, our cluster", owner: cloud.Owner{Cluster: "prod"}, lbName: cloud.UIDName(theirUID), want: Claimed, claimed: cloud.Owner{Cluster: "prod"}},
		{name: "another UID in its name, published", lbName: cloud.UIDName(theirUID), edit: published, want: Claimed},
		{name: "another UID in its name, by name", lbName: cloud.UIDName(theirUID), notNamed: true, edit: byName, want: Claimed},
		{name: "another UID in its name, any", policy: "any", lbName: cloud.UIDName(theirUID), want: Ours},
		{name: "another UID in its name, shared", lbName: cloud.UIDName(theirUID), edit: shared, want: Ours},
		{name: "a dead UID in its name, our cluster", owner: cloud.Owner{Cluster: "prod"}, lbName: cloud.UIDName(theirUID), edit: orphan, want: Ours},
		{name: "a dead UID in its name, our cluster, own", policy: "own", owner: cloud.Owner{Cluster: "prod"}, lbName: cloud.UIDName(theirUID), edit: orphan, want: Unproven},
		{name: "a dead UID in its name, no cluster", lbName: cloud.UIDName(theirUID), edit: orphan, want: Claimed},
		{name: "a dead UID in its name, another cluster", owner: cloud.Owner{Cluster: "prod2"}, lbName: cloud.UIDName(theirUID), edit: orphan, want: Claimed, claimed: cloud.Owner{Cluster: "prod2"}},
		{name: "nearly a UID in its name", lbName: cloud.UIDName(theirUID)[:31], want: Ours},

		{name: "made by this process, unmarked", notNamed: true, edit: created, want: Ours},
		{name: "made by this process, policy own", policy: "own", notNamed: true, edit: created, want: Ours},
		{name: "recorded and published, policy own", policy: "own", edit: published, want: Ours},
		{name: "recorded and published, another cluster's mark", owner: cloud.Owner{Cluster: "prod2"}, edit: published, want: Claimed, claimed: cloud.Owner{Cluster: "prod2"}},
		{name: "made by this process, another cluster's mark", owner: cloud.Owner{Cluster: "prod2"}, notNamed: true, edit: created, want: Ours},
		{name: "published but not recorded", policy: "own", notNamed: true, edit: published, want: Unproven},
		{name: "recorded and published, and another Service publishes it", edit: both, want: Ours},

		{name: "another cluster by id", owner: cloud.Owner{Cluster: "prod2"}, want: Claimed, claimed: cloud.Owner{Cluster: "prod2"}},
		{name: "another cluster of the same name of Service", owner: cloud.Owner{Cluster: "prod2", Namespace: "shop", Name: "web"}, want: Claimed, claimed: cloud.Owner{Cluster: "prod2", Namespace: "shop", Name: "web"}},
		{name: "another cluster by name", owner: cloud.Owner{Cluster: "prod2"}, notNamed: true, edit: byName, want: Claimed, claimed: cloud.Owner{Cluster: "prod2"}},

		{name: "another Service publishes it", edit: held(them), want: Claimed, claimed: them},
		{name: "another Service publishes it, our cluster", owner: cloud.Owner{Cluster: "prod"}, edit: held(them), want: Claimed, claimed: them},
		{name: "another Service publishes it, shared", edit: func(c *Case) { held(them)(c); shared(c) }, want: Ours},

		{name: "our cluster and Service by name", owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web"}, notNamed: true, edit: byName, want: Ours},
		{name: "our cluster and Service, policy own", policy: "own", owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web"}, notNamed: true, edit: byName, want: Ours},
		{name: "our cluster and Service, leaving", owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web"}, notNamed: true, edit: func(c *Case) { byName(c); leaving(c) }, want: Ours},

		{name: "unmarked by id", want: Ours},
		{name: "unmarked by id, own", policy: "own", want: Unproven},
		{name: "our cluster's, of no Service, by id", owner: cloud.Owner{Cluster: "prod"}, want: Ours},
		{name: "our cluster's, of no Service, own", policy: "own", owner: cloud.Owner{Cluster: "prod"}, want: Unproven},
		{name: "shared, own", policy: "own", edit: shared, want: Unproven},
		{name: "unmarked by name", notNamed: true, edit: byName, want: Ours},
		{name: "unmarked by name, and another one", notNamed: true, edit: rivals, want: Ambiguous},
		{name: "unmarked by name, and another one, own", policy: "own", notNamed: true, edit: rivals, want: Unproven},
		{name: "unmarked by name, and another one, leaving", notNamed: true, edit: func(c *Case) { rivals(c); leaving(c) }, want: Unproven},
		{name: "unmarked by name, and another one, which this process made", notNamed: true, edit: func(c *Case) { rivals(c); created(c) }, want: Ours},
		{name: "unmarked by name, and another one, the operator consents", policy: "lb=shop/web", notNamed: true, edit: rivals, want: Ours},
		{name: "our cluster and Service by name, and another one", owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web"}, notNamed: true, edit: rivals, want: Ambiguous},
		{name: "unmarked by name, own", policy: "own", notNamed: true, edit: byName, want: Unproven},
		{name: "unmarked by name, leaving", notNamed: true, edit: func(c *Case) { byName(c); leaving(c) }, want: Unproven},
		{name: "stale id, found by name, own", policy: "own", edit: byName, want: Unproven},
		{name: "stale id, found otherwise", edit: func(c *Case) { c.Named = []string{"gone"} }, want: Unproven},
		{name: "empty never matches empty", edit: func(c *Case) { *c = Case{Observed: cloud.Observed{Found: true}, Named: []string{""}} }, want: Unproven},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			policy, err := ParseAdoption(strings.Split(test.policy, ","))
			if err != nil {
				t.Fatal(err)
			}
			c := Case{Service: us, Observed: cloud.Observed{Found: true, ID: "lb", Owner: test.owner, Balancer: cloud.Balancer{Name: test.lbName}}}
			if !test.notNamed {
				c.Named = []string{"lb"}
			}
			if test.edit != nil {
				test.edit(&c)
			}
			if got := policy.Judge(c); got != (Ownership{test.want, test.claimed}) {
				t.Errorf("Judge() = %+v, want %s %+v", got, test.want, test.claimed)
			}
		})
	}
}

func formerly(c *Case)  { c.Service.Former = "older,old" }
func rivals(c *Case)    { c.Observed.ByName, c.Observed.Rivals = true, []string{"lb2"} }
func byName(c *Case)    { c.Observed.ByName = true }
func leaving(c *Case)   { c.Deleting = true }
func shared(c *Case)    { c.Observed.Shared = true }
func orphan(c *Case)    { c.Orphan = true }
func created(c *Case)   { c.Created = "lb" }
func published(c *Case) { c.Published = true }
func both(c *Case)      { c.Published, c.Holder = true, cloud.Owner{Name: "vault"} }

func held(by cloud.Owner) func(*Case) { return func(c *Case) { c.Holder = by } }

func TestParseAdoption(t *testing.T) {
	tests := []struct {
		given string
		fails string
		rule  Rule
		// allows and forbids are id and Service.
		allows, forbids string
	}{
		{given: "", forbids: "lb shop/web"},
		{given: "unowned", rule: AdoptUnowned},
		{given: "own", rule: AdoptOwn},
		{given: "any", rule: AdoptAny},
		{given: " lb = shop/web ", allows: "lb shop/web", forbids: "lb shop/api"},
		{given: "own,lb=shop/web,lb=shop/api", rule: AdoptOwn, allows: "lb shop/api", forbids: "lc shop/api"},
		{given: "arn:aws:elb:1:loadbalancer/net/a=b/c=shop/web", allows: "arn:aws:elb:1:loadbalancer/net/a=b/c shop/web"},
		{given: "own,any", fails: `"own" and "any" exclude each other`},
		{given: "Own", fails: `"Own": want one of`},
		{given: "lb", fails: `"lb": want one of`},
		{given: "lb=shop", fails: "namespace/name"},
		{given: "lb=shop/", fails: "namespace/name"},
		{given: "lb=shop/web/x", fails: "namespace/name"},
		{given: "lb=Shop/web", fails: "namespace/name"},
		{given: "=shop/web", fails: "namespace/name"},
		{given: "l b=shop/web", fails: "namespace/name"},
	}
	for _, test := range tests {
		a, err := ParseAdoption(strings.Split(test.given, ","))
		if test.fails != "" {
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("ParseAdoption(%q) = %v, want %q", test.given, err, test.fails)
			}
			continue
		}
		if err != nil || a.rule != test.rule {
			t.Errorf("ParseAdoption(%q) = %+v, %v", test.given, a, err)
		}
		if test.allows != "" && !a.allowsText(test.allows) || test.forbids != "" && a.allowsText(test.forbids) {
			t.Errorf("ParseAdoption(%q) = %+v", test.given, a)
		}
	}
}

func (a Adoption) allowsText(text string) bool {
	id, service, _ := strings.Cut(text, " ")
	namespace, name, _ := strings.Cut(service, "/")
	return a.allows(id, cloud.Owner{Namespace: namespace, Name: name})
}

func FuzzParseAdoption(f *testing.F) {
	for _, seed := range []string{"", "unowned", "own,any", "lb=shop/web", "a=b=c/d", "=", "/", "lb=../x", "é=a/b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAdoption(strings.Split(text, ","))
		if err != nil {
			return
		}
		for id, services := range a.consents {
			for service := range services {
				namespace, name, _ := strings.Cut(service, "/")
				if id == "" || !isLabel(namespace) || !isLabel(name) || !a.allowsText(id+" "+service) {
					t.Errorf("ParseAdoption(%q) consents to %q for %q", text, id, service)
				}
			}
		}
	})
}
