package loadbalancer

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Whose an answer is follows from the id of what was changed alone, and of what was made from its ownership tags and its name.
func TestForeign(t *testing.T) {
	const uid, other = "11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"
	us := cloud.Owner{Cluster: "prod", UID: uid}
	for name, test := range map[string]struct {
		before  string
		id, is  string
		owner   cloud.Owner
		foreign bool
	}{
		"changed, the same id":                    {before: "lb-1", id: "lb-1", owner: cloud.Owner{Cluster: "dev", UID: other}},
		"changed, another id with our tags":       {before: "lb-1", id: "lb-2", owner: us, foreign: true},
		"made, our tags":                          {id: "lb-2", owner: us},
		"made, no tags":                           {id: "lb-2"},
		"made, no tags, our UID as the name":      {id: "lb-2", is: cloud.UIDName(uid)},
		"made, no tags, another UID as the name":  {id: "lb-2", is: cloud.UIDName(other), foreign: true},
		"made, the cluster's tag, another's name": {id: "lb-2", is: cloud.UIDName(other), owner: cloud.Owner{Cluster: "prod"}, foreign: true},
		"made, another Service's tags":            {id: "lb-2", owner: cloud.Owner{Cluster: "prod", UID: other}, foreign: true},
	} {
		change := cloud.Change{Before: cloud.Observed{Found: test.before != "", ID: test.before}, After: &cloud.Balancer{}}
		change.Input.Owner = us
		told := &cloud.Observed{Found: true, ID: test.id, Owner: test.owner, Balancer: cloud.Balancer{Name: test.is}}
		if err := foreign(change, told); (err != nil) != test.foreign {
			t.Errorf("%s: %v, want an error: %t", name, err, test.foreign)
		}
	}
}
