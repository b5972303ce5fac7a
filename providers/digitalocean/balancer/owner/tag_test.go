package owner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

const uid = "8b5a3c1e-0000-4000-8000-123456789abc"

func TestOwnershipTags(t *testing.T) {
	self := cloud.Owner{Cluster: "Prod.EU", Namespace: "shop", Name: "web", UID: uid, Cloud: "do-1"}
	ours := []string{
		"ccm-cloud:do-1", "ccm-cluster:_50rod_2e_45_55", "ccm-service:shop:web:" + uid, "k8s:C1",
	}
	tests := []struct {
		name          string
		tags          []string
		ownershipTags []string
		owner         cloud.Owner
	}{
		{name: "none"},
		{name: "ours", tags: ours, ownershipTags: ours, owner: self},
		{name: "in another case", tags: []string{"CCM-CLOUD:do-1", "K8S:c1"}, ownershipTags: []string{"ccm-cloud:do-1", "k8s:C1"}, owner: cloud.Owner{Cluster: self.Cluster, Cloud: "do-1"}},
		{name: "upstream's, this cluster", tags: []string{"k8s:C1", "env:prod"}, ownershipTags: []string{"k8s:C1"}, owner: cloud.Owner{Cluster: self.Cluster}},
		{name: "upstream's, another cluster", tags: []string{"k8s:other"}, owner: cloud.Owner{Cluster: "other"}},
		{name: "our mark wins over upstream's", tags: []string{"ccm-cluster:a", "k8s:C1"}, ownershipTags: []string{"ccm-cluster:a", "k8s:C1"}, owner: cloud.Owner{Cluster: "a"}},
		{name: "another Service's", tags: []string{"ccm-service:a:b:u"}, ownershipTags: []string{"ccm-service:a:b:u"}, owner: cloud.Owner{Namespace: "a", Name: "b", UID: "u"}},
		{name: "its own and an older one's", tags: []string{"ccm-service:a:b:u", "ccm-uid:v"}, ownershipTags: []string{"ccm-service:a:b:u", "ccm-uid:v"}, owner: cloud.Owner{Namespace: "a", Name: "b", UID: "u"}},
		{name: "an older one's and its own", tags: []string{"ccm-uid:v", "ccm-service:a:b:u"}, ownershipTags: []string{"ccm-service:a:b:u", "ccm-uid:v"}, owner: cloud.Owner{Namespace: "a", Name: "b", UID: "u"}},
		{name: "in two tags", tags: []string{"ccm-service:a:b", "ccm-uid:u"}, ownershipTags: []string{"ccm-service:a:b", "ccm-uid:u"}, owner: cloud.Owner{Namespace: "a", Name: "b", UID: "u"}},
	}
	written := Tags{Upstream: "k8s:C1"}
	if diff := cmp.Diff(ours, written.Of(self)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ownershipTags, owner := written.Read(test.tags, self)
			if diff := cmp.Diff(test.ownershipTags, ownershipTags); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.owner, owner); diff != "" {
				t.Errorf("owner (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzOwnershipTags(f *testing.F) {
	f.Add("prod", "shop", "web", uid)
	f.Add("Prod.EU/ä", "a-b", "c", "")
	f.Add(strings.Repeat("x.", 300), "n", "s", "u")
	f.Fuzz(func(t *testing.T, cluster, namespace, name, uid string) {
		if len(namespace)+len(name) > 80 {
			t.Skip("Kubernetes' own limits are 63 each, of characters that need no encoding")
		}
		owner := cloud.Owner{Cluster: cluster, Namespace: namespace, Name: name, UID: uid, Cloud: "c"}
		written := Tags{Cloud: "digitalocean"}
		ownershipTags := written.Of(owner)
		for _, ownershipTag := range ownershipTags {
			if !identifier.IsTag(ownershipTag) {
				t.Errorf("%q is not a tag", ownershipTag)
			}
		}
		got, back := written.Read(ownershipTags, owner)
		if diff := cmp.Diff(ownershipTags, got); diff != "" {
			t.Errorf("marks are read differently (-want +got):\n%s", diff)
		}
		if name == "" {
			back.Namespace = owner.Namespace // there is no ownership tag without a name
		}
		if diff := cmp.Diff(owner, back); diff != "" {
			t.Errorf("owner (-want +got):\n%s", diff)
		}
		if len(cluster) <= 40 {
			if _, foreign := written.Read(ownershipTags, cloud.Owner{}); foreign.Cluster != cluster {
				t.Errorf("somebody else reads cluster %q, want %q", foreign.Cluster, cluster)
			}
		}
	})
}
