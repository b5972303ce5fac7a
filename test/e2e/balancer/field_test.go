package balancer_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// TestFieldsWithoutEffect: what a Service asks for and its load balancer does not have is said on it, and that nothing is wrong where
// it is not about load balancers.
func TestFieldsWithoutEffect(t *testing.T) {
	s := open(t, 1)
	s.start()
	svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80, AppProtocol: new("http")}}, ExternalIPs: []string{"198.51.100.7"},
	}}
	affinity := "spec.sessionAffinity: "
	if cloudName == "openstack" || cloudName == "sim" { // which keep clients, for a time of their own
		affinity = "spec.sessionAffinityConfig.clientIP.timeoutSeconds: "
	}
	if cloudName != "aws" { // where it is refused
		svc.Spec.SessionAffinity = corev1.ServiceAffinityClientIP
		svc.Spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: new(int32(600))}}
	}
	s.create(svc)
	s.addressed("web")
	s.are("tcp/80")
	s.says("web", "LoadBalancerUnaffected", "spec.ports[0].appProtocol: ", "spec.externalIPs: ")
	if cloudName != "aws" {
		s.says("web", "ConfigurationIgnored", affinity)
	}
	s.service("plain", 81)
	s.addressed("plain")
	if said := s.said("plain"); said["LoadBalancerUnaffected"] > 0 || said["Warning"] > 0 {
		t.Errorf("of a Service that sets none of these this is said: %v", said)
	}
}

// says waits for an event on a Service with all of these parts in its message.
func (s *site) says(name, reason string, parts ...string) {
	s.t.Helper()
	_, err := s.WaitEvent(s.within(patience), lab.EventFilter{Kind: "Service", Name: name, Namespace: namespace, Reason: reason, Contains: parts})
	s.must(err)
}
