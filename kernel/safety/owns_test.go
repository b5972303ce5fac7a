package safety

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestOwns(t *testing.T) {
	us := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "u-1"}
	tests := []struct {
		name  string
		ref   cloud.Ref
		seen  cloud.Observed
		adopt string
		want  bool
		why   string
	}{
		{name: "not found", ref: cloud.Ref{ID: "lb", Owner: us}, seen: cloud.Observed{}, why: "no balancer"},
		{name: "our UID by mark", ref: cloud.Ref{Owner: us}, seen: observed(false, cloud.Owner{UID: "u-1"}), want: true},
		{name: "our UID by name", ref: cloud.Ref{Owner: us}, seen: observed(true, cloud.Owner{UID: "u-1"}), want: true},
		{name: "our UID though the cluster id changed", ref: cloud.Ref{Owner: us}, seen: observed(true, cloud.Owner{UID: "u-1", Cluster: "old"}), want: true},
		{name: "another UID by name", ref: cloud.Ref{Owner: us}, seen: observed(true, cloud.Owner{UID: "u-2"}), why: "another Service (UID u-2)"},
		{name: "another UID even by id", ref: cloud.Ref{ID: "lb", Owner: us}, seen: observed(false, cloud.Owner{UID: "u-2", Namespace: "a", Name: "b", Cluster: "c"}), why: "Service a/b (UID u-2) of cluster c"},
		{name: "another UID, adopted", ref: cloud.Ref{ID: "lb", Owner: us}, seen: observed(false, cloud.Owner{UID: "u-2"}), adopt: "lb", want: true},
		{name: "another UID, another id adopted", ref: cloud.Ref{ID: "lb", Owner: us}, seen: observed(false, cloud.Owner{UID: "u-2"}), adopt: "lb2", why: "multicloud-ccm.io/adopt"},
		{name: "by id without marks", ref: cloud.Ref{ID: "lb", Owner: us}, seen: observed(false, cloud.Owner{}), want: true},
		{name: "by id with another cluster's mark but no UID", ref: cloud.Ref{ID: "lb", Owner: us}, seen: observed(false, cloud.Owner{Cluster: "old"}), want: true},
		{name: "stale id, found by name", ref: cloud.Ref{ID: "gone", Owner: us}, seen: observed(true, cloud.Owner{}), why: "nothing proves"},
		{name: "stale id, found otherwise", ref: cloud.Ref{ID: "gone", Owner: us}, seen: observed(false, cloud.Owner{}), why: "nothing proves"},
		{name: "by name, no marks", ref: cloud.Ref{Owner: us}, seen: observed(true, cloud.Owner{}), why: "nothing proves"},
		{name: "by name, no marks, adopted", ref: cloud.Ref{Owner: us}, seen: observed(true, cloud.Owner{}), adopt: "lb", want: true},
		{name: "by name, our cluster", ref: cloud.Ref{Owner: us}, seen: observed(true, cloud.Owner{Cluster: "prod"}), want: true},
		{name: "by name, our cluster and Service", ref: cloud.Ref{Owner: us}, seen: observed(true, cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web"}), want: true},
		{name: "by name, our cluster, another Service", ref: cloud.Ref{Owner: us}, seen: observed(true, cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "api"}), why: "Service shop/api of cluster prod"},
		{name: "by name, another cluster", ref: cloud.Ref{Owner: us}, seen: observed(true, cloud.Owner{Cluster: "dev"}), why: "of cluster dev"},
		{name: "empty never matches empty", ref: cloud.Ref{}, seen: observed(true, cloud.Owner{}), why: "nothing proves"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, why := Owns(test.ref, test.seen, test.adopt)
			if got != test.want {
				t.Fatalf("Owns() = %v (%s), want %v", got, why, test.want)
			}
			if got != (why == "") {
				t.Errorf("Owns() = %v with the explanation %q", got, why)
			}
			if !strings.Contains(why, test.why) {
				t.Errorf("why = %q, want %q in it", why, test.why)
			}
		})
	}
}

func observed(byName bool, owner cloud.Owner) cloud.Observed {
	return cloud.Observed{Found: true, ID: "lb", ByName: byName, Owner: owner}
}
