package label

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestOwnershipTags(t *testing.T) {
	owner := cloud.Owner{Cluster: "my cluster", Namespace: "shop", Name: "web", UID: "u-1", Cloud: "hcloud"}
	labels := Of(owner, false)
	if labels["hcloud-ccm/service-uid"] != "u-1" {
		t.Errorf("labels %v, want upstream's with the UID", labels)
	}
	if diff := cmp.Diff(owner, Owner(labels, owner)); diff != "" {
		t.Errorf("owner (-want +got):\n%s", diff)
	}
	upstream := map[string]string{"hcloud-ccm/service-uid": "u-1", "team": "shop"}
	if diff := cmp.Diff(cloud.Owner{UID: "u-1"}, Owner(upstream, owner)); diff != "" {
		t.Errorf("owner of upstream's (-want +got):\n%s", diff)
	}
	released := With(map[string]string{"hcloud-ccm/service-uid": "u-1", "team": "shop", Adopted: "true", Network: "1", "multicloud-ccm.io/name": "web"}, nil)
	if diff := cmp.Diff(map[string]string{"team": "shop"}, released); diff != "" {
		t.Errorf("labels without marks (-want +got):\n%s", diff)
	}
}
