package targetgroup

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestName compares with what upstream gives.
func TestName(t *testing.T) {
	owner := cloud.Owner{Namespace: "default", Name: "service-a"}
	if got := groupName("cluster-a", owner, shape{port: 80, nodePort: 8080, protocol: "TCP", targetType: "instance"}); got != "k8s-default-servicea-7fa2e07508" {
		t.Error(got)
	}
}
