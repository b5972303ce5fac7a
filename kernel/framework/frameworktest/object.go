// Package frameworktest has what the tests of kernel/framework share: Nodes and Services, a log, and the events
// that an API server has.
package frameworktest

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Node returns a Node.
func Node(name, providerID string, change ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), ResourceVersion: "7"},
		Spec:       corev1.NodeSpec{ProviderID: providerID},
	}
	for _, c := range change {
		c(n)
	}
	return n
}

// WithTaint adds a taint.
func WithTaint(key string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key}) }
}

// WithReady sets the condition Ready.
func WithReady(status corev1.ConditionStatus) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	}
}

// WithIP adds an internal address.
func WithIP(ip string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Status.Addresses = append(n.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: ip})
	}
}

// WithLabel sets the only label.
func WithLabel(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels = map[string]string{key: value} }
}

// Service returns a Service of type LoadBalancer.
func Service(name string, change ...func(*corev1.Service)) *corev1.Service {
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "7"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer},
	}
	for _, c := range change {
		c(s)
	}
	return s
}

// WithType sets the type.
func WithType(t corev1.ServiceType) func(*corev1.Service) {
	return func(s *corev1.Service) { s.Spec.Type = t }
}

// WithFinalizer adds that of the service controller.
func WithFinalizer(s *corev1.Service) {
	s.Finalizers = append(s.Finalizers, "service.kubernetes.io/load-balancer-cleanup")
}

// WithAnnotation sets an annotation.
func WithAnnotation(key, value string) func(*corev1.Service) {
	return func(s *corev1.Service) { metav1.SetMetaDataAnnotation(&s.ObjectMeta, key, value) }
}
