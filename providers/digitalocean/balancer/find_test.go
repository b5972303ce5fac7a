package balancer

import (
	"strings"
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
		rivals string
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
		"a restored cluster's, of this name": {all: []godo.LoadBalancer{{ID: "a", Name: "web", Region: here, Tags: l.Tags.Of(theirs)}}, want: "a", byName: true},
		"the same, refused":                  {known: cloud.Known{Refused: []string{"a"}}, all: []godo.LoadBalancer{{ID: "a", Name: "web", Region: here, Tags: l.Tags.Of(theirs)}}},
		"two of this name":                   {all: []godo.LoadBalancer{{ID: "b", Name: "web", Region: here}, {ID: "a", Name: "web", Region: here}}, want: "a", byName: true, rivals: "b"},
		"two of this name, one refused":      {known: cloud.Known{Refused: []string{"a"}}, all: []godo.LoadBalancer{{ID: "b", Name: "web", Region: here}, {ID: "a", Name: "web", Region: here}}, want: "b", byName: true},
		"two with the UID as the name":       {all: []godo.LoadBalancer{{ID: "b", Name: name, Region: here}, {ID: "a", Name: name, Region: here}}, want: "a", rivals: "b"},
		"the same, one with the id":          {known: cloud.Known{ID: "b"}, all: []godo.LoadBalancer{{ID: "b", Name: name, Region: here}, {ID: "a", Name: name, Region: here}}, want: "b"},
	} {
		f := l.choose(test.all, []string{"web", name}, cloud.Input{Spec: cloud.Spec{Owner: us}, Known: test.known})
		got := ""
		if f.lb != nil {
			got = f.lb.ID
		}
		if got != test.want || f.byName != test.byName || strings.Join(f.rivals, ",") != test.rivals {
			t.Errorf("%s: %q, by name %t, rivals %q; want %q, %t, %q", what, got, f.byName, f.rivals, test.want, test.byName, test.rivals)
		}
	}
	next := []godo.LoadBalancer{{ID: "a", Name: "web-next", Region: here, Tags: l.Tags.Of(us)}}
	if f := l.choose(next, []string{"web-next", name}, cloud.Input{Spec: cloud.Spec{Owner: us}}); f.lb == nil {
		t.Error("a Service cannot have a balancer whose name ends like that of a replacement")
	}
}
