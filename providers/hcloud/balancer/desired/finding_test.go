package desired

import (
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// The limits are those of the type that is asked for, and none where there is no such type.
func TestFindingsOfTypes(t *testing.T) {
	past := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	types := []*hcloud.LoadBalancerType{
		{Name: "lb11", MaxTargets: 25, MaxServices: 5, MaxAssignedCertificates: 10},
		{Name: "lb9", MaxTargets: 9, DeprecatableResource: hcloud.DeprecatableResource{Deprecation: &hcloud.DeprecationInfo{UnavailableAfter: past}}},
	}
	for wanted, want := range map[string]struct {
		limits     *Limits
		deprecated time.Time
	}{
		"lb11": {&Limits{25, 5, 10}, time.Time{}}, "lb9": {&Limits{9, 0, 0}, past}, "lb99": {nil, time.Time{}},
	} {
		var f Findings
		f.SetType(types, wanted)
		if (f.Limits == nil) != (want.limits == nil) || f.Limits != nil && *f.Limits != *want.limits || f.Deprecated != want.deprecated || f.Gone == want.deprecated.IsZero() || len(f.Types) != 2 {
			t.Errorf("%s: %+v with %+v, want %+v", wanted, f, f.Limits, want)
		}
	}
}

// The targets of others count, and one is always left. The limits of the type are those of other Services too, and stay.
func TestFindingsOfAdopted(t *testing.T) {
	shared := Limits{Targets: 25, Services: 5}
	for foreign, want := range map[int]Limits{3: {Targets: 22, Services: 5}, 30: {Targets: 1, Services: 5}} {
		f := Findings{Limits: &shared}
		if f.SetAdopted(foreign); !f.Adopted || *f.Limits != want || shared.Targets != 25 {
			t.Errorf("%d targets of others: %+v of %+v, want %+v", foreign, *f.Limits, shared, want)
		}
	}
	var unknown Findings
	if unknown.SetAdopted(0); unknown.Limits == nil || unknown.Limits.Targets != 1 {
		t.Errorf("of a type that is not known: %+v", unknown.Limits)
	}
}
