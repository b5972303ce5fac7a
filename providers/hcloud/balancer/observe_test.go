package balancer

import (
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// TestIsAdopted: a load balancer was there before its Service where the Service names it and it has no label. One with the default
// name was made for the Service, whatever that names now.
func TestIsAdopted(t *testing.T) {
	const uid = "0a0a0a0a-0000-4000-8000-000000000001"
	spec := cloud.Spec{Owner: cloud.Owner{UID: uid}, Options: map[string]string{desired.Name.Name: "front"}}
	for what, test := range map[string]struct {
		lb     hcloud.LoadBalancer
		byName bool
		want   bool
	}{
		"named":            {hcloud.LoadBalancer{Name: "front"}, true, true},
		"named, with ours": {hcloud.LoadBalancer{Name: "front", Labels: map[string]string{label.UID: uid}}, true, false},
		"by its id":        {hcloud.LoadBalancer{Name: "front"}, false, false},
		"the default name": {hcloud.LoadBalancer{Name: cloud.UIDName(uid)}, true, false},
		"recorded":         {hcloud.LoadBalancer{Name: "any", Labels: map[string]string{label.UID: uid, label.Adopted: "true"}}, false, true},
	} {
		if got := isAdopted(spec, &test.lb, test.byName); got != test.want {
			t.Errorf("%s: %t, want %t", what, got, test.want)
		}
	}
}
