package balancer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// What a label cannot hold comes back all the same.
func TestEncodedMarks(t *testing.T) {
	for _, text := range []string{
		"prod", "8b5a3c1e-0000-4000-8000-123456789abc", "", "my cluster", "ä/b", "x-prod", "h-prod", "-prod", "prod.", strings.Repeat("x", 63), strings.Repeat("x", 64),
		strings.Repeat("long cluster ", 20),
	} {
		value := encode(text)
		if text != "" && !cloud.IsLabelValue(value) {
			t.Errorf("%q becomes %q, which is no label value", text, value)
		}
		if back := decode(value, text); back != text {
			t.Errorf("%q comes back as %q", text, back)
		}
		if len(text) < 35 {
			if back := decode(value, "another"); back != text {
				t.Errorf("%q comes back to another Service as %q", text, back)
			}
		}
	}
}

func TestMarks(t *testing.T) {
	owner := cloud.Owner{Cluster: "my cluster", Namespace: "shop", Name: "web", UID: "u-1", Cloud: "hcloud"}
	labels := labelsOf(owner, false)
	if labels["hcloud-ccm/service-uid"] != "u-1" {
		t.Errorf("labels %v, want upstream's with the UID", labels)
	}
	if diff := cmp.Diff(owner, ownerOf(labels, owner)); diff != "" {
		t.Errorf("owner (-want +got):\n%s", diff)
	}
	upstream := map[string]string{"hcloud-ccm/service-uid": "u-1", "team": "shop"}
	if diff := cmp.Diff(cloud.Owner{UID: "u-1"}, ownerOf(upstream, owner)); diff != "" {
		t.Errorf("owner of upstream's (-want +got):\n%s", diff)
	}
	released := withTags(map[string]string{"hcloud-ccm/service-uid": "u-1", "team": "shop", labelAdopted: yes, labelNetwork: "1", "multicloud-ccm.io/name": "web"}, nil)
	if diff := cmp.Diff(map[string]string{"team": "shop"}, released); diff != "" {
		t.Errorf("labels without marks (-want +got):\n%s", diff)
	}
}
