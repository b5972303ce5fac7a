package aws

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/names"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// TestNames compares with what upstream gives.
func TestNames(t *testing.T) {
	const uid = "12345678-1234-1234-1234-123456789abc"
	group := secgroup.NetworkName("test-cluster", cloud.Owner{Namespace: "default", Name: "my-service", UID: uid})
	classic := secgroup.ClassicName("a1", cloud.Owner{Namespace: "ns", Name: "web"})
	for name, test := range map[string]struct{ got, want string }{
		"balancer": {names.Default(uid), "a12345678123412341234123456789ab"},
		"target group": {
			targetGroupName("cluster-a", cloud.Owner{Namespace: "default", Name: "service-a"}, targetGroupShape{port: 80, nodePort: 8080, protocol: "TCP", targetType: "instance"}),
			"k8s-default-servicea-7fa2e07508",
		},
		"network group":           {group.Name, "k8s-default-myservic-b7cb8b02f0"},
		"classic group":           {classic.Name, "k8s-elb-a1"},
		"classic group, in words": {classic.Description, "Security group for Kubernetes ELB a1 (ns/web)"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", name, test.got, test.want)
		}
	}
}
