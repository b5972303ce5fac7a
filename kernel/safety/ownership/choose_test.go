package ownership

import (
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestChoose(t *testing.T) {
	uid := cloud.UIDName(us.UID)
	restored, another := us, cloud.Owner{Cluster: us.Cluster, Namespace: "shop", Name: "api", UID: "9f9f"}
	restored.Cluster = "test"
	for name, test := range map[string]struct {
		known      cloud.Known
		pass       bool
		candidates []Candidate
		want       string
		byName     bool
		former     cloud.FormerClusters
		rivals     []string
		duplicates []string
	}{
		"none":                                          {candidates: []Candidate{{ID: "a"}, {ID: "b", Name: "other", Owner: another}}},
		"by id":                                         {known: cloud.Known{ID: "b"}, candidates: []Candidate{{ID: "a", Owner: us}, {ID: "b", Owner: another}}, want: "b", duplicates: []string{"a"}},
		"by tag, the smallest id":                       {candidates: []Candidate{{ID: "c", Owner: us}, {ID: "b", Name: "web"}, {ID: "a", Owner: us}}, want: "a", duplicates: []string{"c"}},
		"by tag, the smallest rank":                     {candidates: []Candidate{{ID: "a", Owner: us, Rank: 1}, {ID: "b", Owner: us}}, want: "b", duplicates: []string{"a"}},
		"by tag, this cluster before another":           {candidates: []Candidate{{ID: "a", Owner: restored}, {ID: "b", Owner: us}}, want: "b"},
		"by tag, without a cluster":                     {candidates: []Candidate{{ID: "a", Owner: restored}, {ID: "b", Owner: cloud.Owner{UID: us.UID}}}, want: "b"},
		"the UID in the name, and another cluster":      {candidates: []Candidate{{ID: "a", Name: uid, Owner: cloud.Owner{Cluster: "test"}}, {ID: "b", Name: uid}}, want: "b", byName: true},
		"by name, an earlier Service's":                 {candidates: []Candidate{{ID: "a", Owner: cloud.Owner{Cluster: us.Cluster, Namespace: us.Namespace, Name: us.Name}}}},
		"by tag, before the UID in the name":            {candidates: []Candidate{{ID: "a", Name: uid}, {ID: "b", Owner: us}}, want: "b"},
		"by tag, this cluster's is being deleted":       {candidates: []Candidate{{ID: "a", Owner: restored}, {ID: "b", Owner: us, Deleting: true}}, want: "b"},
		"being deleted, before the rank":                {candidates: []Candidate{{ID: "a", Owner: us, Deleting: true}, {ID: "b", Owner: us, Rank: 1}}, want: "b"},
		"of another cluster, and deleted":               {known: cloud.Known{Deleting: true}, candidates: []Candidate{{ID: "a", Owner: restored}, {ID: "b", Name: uid, Owner: cloud.Owner{Cluster: "test"}}}, want: "b", byName: true},
		"of another cluster, by id, and deleted":        {known: cloud.Known{Deleting: true, ID: "a"}, candidates: []Candidate{{ID: "a", Owner: restored}}, want: "a"},
		"the UID in the name, of another cluster":       {candidates: []Candidate{{ID: "a", Name: uid, Owner: cloud.Owner{Cluster: "test"}}}, want: "a", byName: true},
		"no duplicate by its name":                      {candidates: []Candidate{{ID: "a", Owner: us}, {ID: "b", Name: uid}}, want: "a"},
		"by name, nobody's before another's":            {candidates: []Candidate{{ID: "a", Name: "web", Owner: another}, {ID: "b", Name: "web"}}, want: "b", byName: true},
		"by name, of this Service before another's":     {candidates: []Candidate{{ID: "a", Name: "web", Owner: another}, {ID: "b", Name: "web", Owner: cloud.Owner{Cluster: us.Cluster, Namespace: us.Namespace, Name: us.Name}}}, want: "b", byName: true},
		"by tag, of another cluster":                    {candidates: []Candidate{{ID: "a", Owner: restored}}},
		"by tag, of a former id of this cluster":        {former: "test", candidates: []Candidate{{ID: "a", Owner: restored}}, want: "a"},
		"by tag, of both ids":                           {former: "test", candidates: []Candidate{{ID: "a", Owner: restored}, {ID: "b", Owner: us}}, want: "a", duplicates: []string{"b"}},
		"by tag, not one being deleted":                 {candidates: []Candidate{{ID: "a", Owner: us, Deleting: true}, {ID: "b", Owner: us}}, want: "b"},
		"being deleted, but no other":                   {candidates: []Candidate{{ID: "a", Owner: us, Deleting: true}}, want: "a"},
		"being deleted, before a name":                  {candidates: []Candidate{{ID: "a", Owner: us, Deleting: true}, {ID: "b", Name: "web"}}, want: "a"},
		"the UID in the name":                           {candidates: []Candidate{{ID: "a", Name: "web"}, {ID: "b", Name: uid}}, want: "b", byName: true},
		"the UID in the name, and another's in the tag": {candidates: []Candidate{{ID: "b", Name: uid, Owner: another}}, want: "b", byName: true},
		"by name":                            {candidates: []Candidate{{ID: "b", Name: "web"}, {ID: "c", Name: "web"}}, want: "b", byName: true, rivals: []string{"c"}},
		"by name, three":                     {candidates: []Candidate{{ID: "c", Name: "web"}, {ID: "b", Name: "web"}, {ID: "d", Name: "web"}}, want: "b", byName: true, rivals: []string{"c", "d"}},
		"by name, one with the id":           {known: cloud.Known{ID: "c"}, candidates: []Candidate{{ID: "b", Name: "web"}, {ID: "c", Name: "web"}}, want: "c"},
		"by name, one with a tag":            {candidates: []Candidate{{ID: "b", Name: "web"}, {ID: "c", Name: "web", Owner: cloud.Owner{Cluster: us.Cluster}}}, want: "c", byName: true},
		"by name, one of another rank":       {candidates: []Candidate{{ID: "b", Name: "web", Rank: 1}, {ID: "c", Name: "web"}}, want: "c", byName: true},
		"by name, one is being deleted":      {candidates: []Candidate{{ID: "b", Name: "web", Deleting: true}, {ID: "c", Name: "web"}}, want: "c", byName: true},
		"by name, one refused":               {known: cloud.Known{Refused: []string{"b"}}, pass: true, candidates: []Candidate{{ID: "b", Name: "web"}, {ID: "c", Name: "web"}}, want: "c", byName: true},
		"by name, both somebody else's":      {candidates: []Candidate{{ID: "b", Name: "web", Owner: another}, {ID: "c", Name: "web", Owner: another}}, want: "b", byName: true},
		"the UID as the name of two":         {candidates: []Candidate{{ID: "b", Name: uid}, {ID: "c", Name: uid}}, want: "b", byName: true, rivals: []string{"c"}},
		"the second name, refused":           {known: cloud.Known{Refused: []string{"a"}}, candidates: []Candidate{{ID: "a", Name: uid, Owner: restored}}},
		"by name, of this cluster":           {candidates: []Candidate{{ID: "a", Name: "web", Owner: another}, {ID: "b", Name: "web", Owner: cloud.Owner{Cluster: us.Cluster}}}, want: "b", byName: true},
		"by name, somebody else's":           {candidates: []Candidate{{ID: "a", Name: "web", Owner: another}}, want: "a", byName: true},
		"by name, refused and unique":        {known: cloud.Known{Refused: []string{"a"}}, candidates: []Candidate{{ID: "a", Name: "web"}}, want: "a", byName: true},
		"by name, refused":                   {known: cloud.Known{Refused: []string{"a"}}, pass: true, candidates: []Candidate{{ID: "a", Name: "web"}}},
		"by tag, refused":                    {known: cloud.Known{Refused: []string{"a"}}, pass: true, candidates: []Candidate{{ID: "a", Owner: us}}, want: "a"},
		"beside one":                         {known: beside("a"), candidates: []Candidate{{ID: "a", Owner: us}, {ID: "b", Owner: us}}, want: "b"},
		"beside one, not by name":            {known: beside("a"), candidates: []Candidate{{ID: "a", Owner: us}, {ID: "b", Name: "web"}, {ID: "c", Name: uid}}},
		"beside one, another cluster":        {known: beside("a"), candidates: []Candidate{{ID: "a", Owner: us}, {ID: "b", Owner: restored}}},
		"beside one, that has the id":        {known: cloud.Known{ID: "a", Beside: beside("a").Beside}, candidates: []Candidate{{ID: "a", Owner: us}}},
		"beside one, by id, without its tag": {known: cloud.Known{ID: "b", Beside: beside("a").Beside}, candidates: []Candidate{{ID: "b", Owner: restored}}},
		"beside one, by id":                  {known: cloud.Known{ID: "c", Beside: beside("a").Beside}, candidates: []Candidate{{ID: "b", Owner: us}, {ID: "c", Owner: us}}, want: "c", duplicates: []string{"b"}},
	} {
		asking := us
		asking.Former = test.former
		search := Search{Input: cloud.Input{Spec: cloud.Spec{Owner: asking}, Known: test.known}, Names: []string{"web", uid}, PassRefused: test.pass}
		got := Choose(search, test.candidates, func(c Candidate) Candidate { return c })
		id := ""
		if got.At >= 0 {
			id = test.candidates[got.At].ID
		}
		if id != test.want || got.ByName != test.byName || !slices.Equal(got.Duplicates, test.duplicates) || !slices.Equal(got.Rivals, test.rivals) {
			t.Errorf("%s: %q, by name %t, rivals %v, duplicates %v; want %q, %t, %v, %v", name, id, got.ByName, got.Rivals, got.Duplicates, test.want, test.byName, test.rivals, test.duplicates)
		}
	}
}

func beside(id string) cloud.Known { return cloud.Known{Beside: &cloud.Observed{ID: id}} }

// A Service without a UID, and a search without an id, lead to nothing.
func TestChooseEmpty(t *testing.T) {
	if got := Choose(Search{}, []Candidate{{}, {Name: cloud.UIDName("")}}, func(c Candidate) Candidate { return c }); got.At != -1 || got.Duplicates != nil {
		t.Errorf("%+v", got)
	}
}
