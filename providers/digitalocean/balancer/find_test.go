package balancer

import (
	"testing"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestChoose: what package ownership chooses from is what can serve at all.
func TestChoose(t *testing.T) {
	l := &Balancers{}
	l.Region = "nyc3"
	us := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "0a0a0a0a-0000-4000-8000-000000000001"}
	theirs := us
	theirs.Cluster = "restored"
	name := cloud.UIDName(us.UID)
	here, elsewhere := &godo.Region{Slug: "nyc3"}, &godo.Region{Slug: "sfo3"}
	for what, test := range map[string]struct {
		known  cloud.Known
		all    []godo.LoadBalancer
		want   string
		byName bool
	}{
		"by its name":                        {all: []godo.LoadBalancer{{ID: "a", Name: name, Region: here}}, want: "a"},
		"by its name, of another region":     {all: []godo.LoadBalancer{{ID: "a", Name: "web", Region: elsewhere}}},
		"by a chosen name":                   {all: []godo.LoadBalancer{{ID: "a", Name: "web", Region: here}}, want: "a", byName: true},
		"by a chosen name, refused":          {known: cloud.Known{Refused: []string{"a"}}, all: []godo.LoadBalancer{{ID: "a", Name: "web", Region: here}}},
		"by its id, of another region":       {known: cloud.Known{ID: "a"}, all: []godo.LoadBalancer{{ID: "a", Name: "other", Region: elsewhere}}, want: "a"},
		"tagged, in another region":          {all: []godo.LoadBalancer{{ID: "a", Name: "old", Region: elsewhere, Tags: l.Tags.Of(us)}}, want: "a"},
		"tagged, made for a replacement":     {all: []godo.LoadBalancer{{ID: "a", Name: "web-next", Region: here, Tags: l.Tags.Of(us)}}},
		"a replacement":                      {known: cloud.Known{Beside: &cloud.Observed{ID: "b"}}, all: []godo.LoadBalancer{{ID: "a", Name: "web-next", Region: here, Tags: l.Tags.Of(us)}, {ID: "b", Name: "web", Region: here, Tags: l.Tags.Of(us)}}, want: "a"},
		"a restored cluster's":               {all: []godo.LoadBalancer{{ID: "a", Name: "old", Region: here, Tags: l.Tags.Of(theirs)}}},
		"a restored cluster's, of this name": {all: []godo.LoadBalancer{{ID: "a", Name: "web", Region: here, Tags: l.Tags.Of(theirs)}}, want: "a"},
		"the same, when the Service goes":    {known: cloud.Known{Deleting: true}, all: []godo.LoadBalancer{{ID: "a", Name: "web", Region: here, Tags: l.Tags.Of(theirs)}}},
	} {
		f := l.choose(test.all, []string{"web", name}, cloud.Input{Spec: cloud.Spec{Owner: us}, Known: test.known})
		got := ""
		if f.lb != nil {
			got = f.lb.ID
		}
		if got != test.want || f.byName != test.byName {
			t.Errorf("%s: %q, by name %t; want %q, %t", what, got, f.byName, test.want, test.byName)
		}
	}
	next := []godo.LoadBalancer{{ID: "a", Name: "web-next", Region: here, Tags: l.Tags.Of(us)}}
	if f := l.choose(next, []string{"web-next", name}, cloud.Input{Spec: cloud.Spec{Owner: us}}); f.lb == nil {
		t.Error("a Service cannot have a balancer whose name ends like that of a replacement")
	}
}
