package framework

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Whoever may edit one Service keeps no kubelet waiting: only what the API server has given to Services is reserved.
func TestClusterAddresses(t *testing.T) {
	services := []*corev1.Service{
		{Spec: corev1.ServiceSpec{ClusterIPs: []string{"10.96.0.10", "fd00::a"}}},
		{Spec: corev1.ServiceSpec{ClusterIPs: []string{corev1.ClusterIPNone}}},
		{Spec: corev1.ServiceSpec{ClusterIPs: []string{"010.96.0.011"}}}, // of an old API server
		{
			Spec: corev1.ServiceSpec{ExternalIPs: []string{"10.0.0.1"}, LoadBalancerIP: "10.0.0.2"},
			Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{
				{Hostname: "worker-1"}, {Hostname: "a.1"}, {IP: "10.0.0.3"},
			}}},
		},
	}
	if got, want := clusterAddresses(services), []string{"10.96.0.10", "fd00::a", "10.96.0.11"}; !slices.Equal(got, want) {
		t.Errorf("%q are reserved, want %q", got, want)
	}
}
