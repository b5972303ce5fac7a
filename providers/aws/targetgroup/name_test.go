package targetgroup

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
)

// TestName compares with what upstream gives.
func TestName(t *testing.T) {
	owner := cloud.Owner{Namespace: "default", Name: "service-a"}
	if got := groupName("cluster-a", owner, cloud.Listener{
		Port: 80, TargetPort: 8080, TargetProtocol: "TCP", Health: &cloud.Health{}, ProviderFields: map[string]string{balancer.FieldTargetType: "instance"},
	}); got != "k8s-default-servicea-7fa2e07508" {
		t.Error(got)
	}
}
