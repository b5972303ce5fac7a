package tag

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestOwnershipTags(t *testing.T) {
	d := Ownership{Cloud: "openstack", ClusterName: "kubernetes", Tags: true}
	web := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "u-1", Cloud: "openstack"}
	long := cloud.Owner{Cluster: strings.Repeat("c", 300), Namespace: strings.Repeat("n", 63), Name: strings.Repeat("s", 63), UID: strings.Repeat("u", 36), Cloud: "openstack"}
	for _, o := range []cloud.Owner{web, {Cluster: "a&b=c %", Namespace: "shop", Name: "web", UID: "u", Cloud: "x y"}} {
		got, ok := ReadOwnershipTag(d.Tag(o))
		if diff := cmp.Diff(o, got); !ok || diff != "" {
			t.Errorf("%t (-want +got):\n%s", ok, diff)
		}
	}
	if tag := d.Tag(long); len(tag) > MaxText {
		t.Errorf("%d bytes: %s", len(tag), tag)
	} else if got, ok := ReadOwnershipTag(tag); !ok || got.UID != long.UID || got.Cluster != Hashed(long.Cluster) {
		t.Errorf("%s is %+v", tag, got)
	}
	if !d.ReadOwners([]string{d.Tag(long)}, long).IsCertain() {
		t.Error("a cluster whose id does not fit in the mark does not know it again")
	}
	for _, tag := range []string{"", "ccm:", "ccm:cluster=prod", "ccm:%", "kube_service_kubernetes_shop_web", "team"} {
		if o, ok := ReadOwnershipTag(tag); ok {
			t.Errorf("%q is a tag of %+v", tag, o)
		}
	}
}

func FuzzReadName(f *testing.F) {
	for _, seed := range []string{"kube_service_kubernetes_shop_web", "kube_service_a_b_shop_web", "kube_service_", "kube_service_web", "web"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		o, ok := ReadName(name)
		if ok && o.Namespace != "" && NamePrefix+o.Cluster+"_"+o.Namespace+"_"+o.Name != name {
			t.Errorf("%q is %+v", name, o)
		}
		if strings.Contains(o.Namespace+o.Name, "_") {
			t.Errorf("%q has a name that no Service has: %+v", name, o)
		}
	})
}

// The tags of a load balancer that Services share name all of them.
func TestAllOwners(t *testing.T) {
	m := Ownership{Cloud: "openstack", ClusterName: "prod", Tags: true}
	us := cloud.Owner{Cluster: strings.Repeat("id", 40)}
	web := cloud.Owner{Cluster: us.Cluster, Namespace: "shop", Name: "web", UID: "1", Cloud: "openstack"}
	theirs := cloud.Owner{Cluster: "stage", Namespace: "shop", Name: "api", UID: "2", Cloud: "openstack"}
	for _, test := range []struct {
		name string
		tags []string
		want []cloud.Owner
	}{
		{"none", []string{"mine"}, nil},
		{"one", append(m.WantedOwnershipTags(web), "mine"), []cloud.Owner{web}},
		{"two clusters'", append(m.WantedOwnershipTags(web), m.Tag(theirs)), []cloud.Owner{web, theirs}},
		{"an upstream CCM's", []string{"kube_service_prod_shop_old"}, []cloud.Owner{{Cluster: us.Cluster, Namespace: "shop", Name: "old"}}},
		{"of another cluster", []string{"kube_service_stage_shop_old"}, []cloud.Owner{{Cluster: "stage", Namespace: "shop", Name: "old"}}},
		{"of nobody knows whom", []string{"kube_service_"}, []cloud.Owner{{Cluster: "kube_service_"}}},
	} {
		got := m.AllOwners(test.tags, us)
		slices.SortFunc(got, func(a, b cloud.Owner) int { return strings.Compare(a.UID, b.UID) })
		if difference := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); difference != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, difference)
		}
	}
}
