package cloud_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestLabelOwnershipTags(t *testing.T) {
	ownershipTags := cloud.OwnershipLabels("x-")
	owner := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "u-1", Cloud: "sim"}
	labels := ownershipTags.Of(owner)
	want := map[string]string{"x-cluster": "prod", "x-namespace": "shop", "x-name": "web", "x-uid": "u-1", "x-cloud": "sim"}
	if !maps.Equal(labels, want) {
		t.Errorf("Of = %v, want %v", labels, want)
	}
	labels["team"] = "shop"
	if got := ownershipTags.Owner(labels); got != owner {
		t.Errorf("Owner = %+v, want %+v", got, owner)
	}
	if got, want := ownershipTags.List(labels), []string{"x-cloud=sim", "x-cluster=prod", "x-name=web", "x-namespace=shop", "x-uid=u-1"}; !slices.Equal(got, want) {
		t.Errorf("List = %v, want %v", got, want)
	}
}

// What finds objects must not find everybody's when nothing is known.
func TestLabelOwnershipTagsFindOnlyTheirOwn(t *testing.T) {
	ownershipTags := cloud.OwnershipLabels("x-")
	for label, found := range map[string]map[string]string{"x-cluster": ownershipTags.Cluster(""), "x-uid": ownershipTags.Service("")} {
		if value, ok := found[label]; !ok || value != "" || len(found) != 1 {
			t.Errorf("%v, want only %s with an empty value", found, label)
		}
	}
	if of := ownershipTags.Of(cloud.Owner{Cluster: "prod"}); !maps.Equal(of, ownershipTags.Cluster("prod")) {
		t.Errorf("Of = %v: empty fields have no label", of)
	}
	if of := ownershipTags.Of(cloud.Owner{UID: "u-1"}); !maps.Equal(of, ownershipTags.Service("u-1")) {
		t.Errorf("Of = %v, want what Service finds", of)
	}
}

func TestLabelOwnershipTagsReplace(t *testing.T) {
	labels := map[string]string{"team": "shop", "x-uid": "old", "x-odd": "1"}
	got := cloud.OwnershipLabels("x-").Replace(labels, []string{"x-uid=new", "x-name=a=b"})
	if want := map[string]string{"team": "shop", "x-uid": "new", "x-name": "a=b"}; !maps.Equal(got, want) {
		t.Errorf("Replace = %v, want %v", got, want)
	}
	if labels["x-uid"] != "old" || len(labels) != 3 {
		t.Errorf("Replace changed its input to %v", labels)
	}
}
