package tag

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
