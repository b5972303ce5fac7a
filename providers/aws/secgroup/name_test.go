package secgroup

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestNames compares with what upstream gives.
func TestNames(t *testing.T) {
	groups := &Groups{ClusterName: "test-cluster"}
	network := groups.NetworkName(cloud.Owner{Namespace: "default", Name: "my-service", UID: "12345678-1234-1234-1234-123456789abc"})
	classic := ClassicName("a1", cloud.Owner{Namespace: "ns", Name: "web"})
	for name, test := range map[string]struct{ got, want string }{
		"network":           {network.Name, "k8s-default-myservic-b7cb8b02f0"},
		"classic":           {classic.Name, "k8s-elb-a1"},
		"classic, in words": {classic.Description, "Security group for Kubernetes ELB a1 (ns/web)"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", name, test.got, test.want)
		}
	}
}
