package ownership

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var us = cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "0a1b"}

func TestOf(t *testing.T) {
	const none, this, another = "", "this", "another"
	tests := []struct {
		uid, service, cluster string
		want                  Whose
	}{
		{this, none, none, Ours},
		{this, another, none, Ours},
		{this, another, this, Ours},
		{this, this, another, AnotherCluster},
		{another, this, this, Namesake},
		{another, this, another, Namesake},
		{another, another, this, AnotherService},
		{another, none, this, AnotherService},
		{another, another, another, AnotherCluster},
		{another, none, none, AnotherCluster},
		{none, this, another, AnotherCluster},
		{none, none, another, AnotherCluster},
		{none, another, this, AnotherService},
		{none, this, this, Ours},
		{none, none, this, ThisCluster},
		{none, another, none, AnotherCluster},
		{none, this, none, Nobody},
		{none, none, none, Nobody},
	}
	uids := map[string]string{this: us.UID, another: "9f9f"}
	services := map[string]cloud.Owner{this: us, another: {Namespace: "shop", Name: "api"}}
	clusters := map[string]string{this: us.Cluster, another: "test"}
	for _, test := range tests {
		service := services[test.service]
		owner := cloud.Owner{Cluster: clusters[test.cluster], Namespace: service.Namespace, Name: service.Name, UID: uids[test.uid]}
		if got := Of(owner, us); got != test.want {
			t.Errorf("UID %q, Service %q, cluster %q: %s, want %s", test.uid, test.service, test.cluster, got, test.want)
		}
		if tagged, certain := IsTagged(owner, us), IsCertain(owner, us); tagged != (test.uid == this && test.cluster != another) || certain != (tagged && test.cluster == this) {
			t.Errorf("UID %q, cluster %q: marked %t, certain %t", test.uid, test.cluster, tagged, certain)
		}
		if twin := IsTwin(owner, us); twin != (test.uid == this && test.cluster == another) {
			t.Errorf("UID %q, cluster %q: a twin's %t", test.uid, test.cluster, twin)
		}
		// The other cluster is a former id of this one.
		formerly, here := us, owner
		if formerly.Former = cloud.NewFormerClusters("older", clusters[another]); here.Cluster == clusters[another] {
			here.Cluster = us.Cluster
		}
		if got, want := Of(owner, formerly), Of(here, us); got != want || IsCertain(owner, formerly) != IsCertain(here, us) {
			t.Errorf("UID %q, Service %q, cluster %q, which this one was: %s, want %s", test.uid, test.service, test.cluster, got, want)
		}
	}
}

// Who knows nothing of himself owns nothing.
func TestEmptyTextsNeverMatch(t *testing.T) {
	for _, owner := range []cloud.Owner{{}, us, {Cluster: us.Cluster}, {Namespace: us.Namespace, Name: us.Name}} {
		if got := Of(owner, cloud.Owner{}); got == Ours || got == ThisCluster || IsTagged(owner, cloud.Owner{}) || IsCertain(owner, cloud.Owner{}) {
			t.Errorf("%+v is %s", owner, got)
		}
	}
	if IsInName(cloud.UIDName(""), cloud.Owner{}) {
		t.Error("a name holds no UID at all")
	}
}

func TestNamesAnother(t *testing.T) {
	for owner, want := range map[cloud.Owner]bool{
		{}: false, us: false, {Namespace: "shop"}: false, {Name: "web"}: false, {Namespace: "other"}: true, {Namespace: "shop", Name: "api"}: true,
	} {
		if got := NamesAnother(owner, us); got != want {
			t.Errorf("%+v names another Service: %t, want %t", owner, got, want)
		}
		if got, want := NamesThis(owner, us), owner == us; got != want {
			t.Errorf("%+v names this Service: %t, want %t", owner, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	long := cloud.Owner{UID: "01234567-89ab-cdef-0123-456789abcdef"}
	for name, want := range map[string]struct{ ours, holds bool }{
		cloud.UIDName(long.UID):             {true, true},
		"affffffffffffffffffffffffffffffff": {false, false},
		"afffffffffffffffffffffffffffffff":  {false, true},
		"a":                                 {false, false},
		"web":                               {false, false},
	} {
		if ours, holds := IsInName(name, long), HoldsUID(name); ours != want.ours || holds != want.holds {
			t.Errorf("%q: ours %t, holds a UID %t, want %+v", name, ours, holds, want)
		}
	}
}
