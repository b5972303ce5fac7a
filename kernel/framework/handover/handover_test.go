package handover

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

var signs = SignsOf(&run.Cloud{
	Descriptor: cloud.Descriptor{IDAnnotation: "example.com/id"},
	Annotations: annotation.Set{
		{Name: "example.com/kind", Aliases: []string{"example.com/type"}, Type: annotation.TypeEnum, Enum: []string{"a", "b"}, OtherController: []string{"b"}},
	},
	Defaults: map[string]string{"example.com/kind": "b"},
})

// What an API server notes of a Service, shortened: a user, and who puts finalizer and address.
const (
	nothing   = `{"f:spec":{"f:ports":{}}}`
	finalizer = `{"f:metadata":{"f:finalizers":{".":{},"v:\"service.kubernetes.io/load-balancer-cleanup\"":{}}}}`
	address   = `{"f:status":{"f:loadBalancer":{"f:ingress":{}}}}`
	both      = `{"f:metadata":{"f:finalizers":{"v:\"service.kubernetes.io/load-balancer-cleanup\"":{}}},"f:status":{"f:loadBalancer":{"f:ingress":{}}}}`
)

func managed(manager, fields string) func(*corev1.Service) {
	return func(s *corev1.Service) {
		s.ManagedFields = append(s.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: manager, Operation: "Update", Subresource: "status", FieldsV1: metav1.NewFieldsV1(fields),
		})
	}
}

func recorded(s *corev1.Service) {
	frameworktest.WithAnnotation("example.com/id", "7")(s)
}

func created(s *corev1.Service) {
	for key, value := range (creation.Record{At: time.Unix(1, 0)}).Annotation() {
		frameworktest.WithAnnotation(key, value)(s)
	}
}

func TestProven(t *testing.T) {
	tests := map[string]struct {
		changes []func(*corev1.Service)
		want    bool
	}{
		"ours":                             {[]func(*corev1.Service){managed("cloud-controller-manager", finalizer)}, true},
		"ours, with the address":           {[]func(*corev1.Service){managed("kubectl", nothing), managed("cloud-controller-manager", both)}, true},
		"of the one before us":             {[]func(*corev1.Service){managed("hcloud-cloud-controller-manager", finalizer)}, true},
		"of the in-tree one":               {[]func(*corev1.Service){managed("kube-controller-manager", finalizer)}, true},
		"another one's":                    {[]func(*corev1.Service){managed("other", finalizer)}, false},
		"another one's of a similar name":  {[]func(*corev1.Service){managed("cloud-controller-manager-of-metal", finalizer)}, false},
		"another one's, an id is recorded": {[]func(*corev1.Service){managed("other", finalizer), recorded}, false},
		"of both":                          {[]func(*corev1.Service){managed("other", finalizer), managed("cloud-controller-manager", finalizer)}, false},
		"unknown, an id is recorded":       {[]func(*corev1.Service){recorded}, true},
		"unknown, a creation is recorded":  {[]func(*corev1.Service){created}, true},
		"unknown":                          {[]func(*corev1.Service){managed("cloud-controller-manager", address)}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			svc := frameworktest.Service("web", append(test.changes, frameworktest.WithFinalizer)...)
			if got := signs.Proven(svc); got != test.want {
				t.Errorf("proven: %t", got)
			}
			svc.ManagedFields = Kept(svc)
			if got := signs.Proven(svc); got != test.want {
				t.Errorf("proven by what is kept: %t", got)
			}
		})
	}
}

func TestPublished(t *testing.T) {
	served := func(s *corev1.Service) {
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	}
	tests := map[string]struct {
		changes []func(*corev1.Service)
		want    bool
	}{
		"by us":      {[]func(*corev1.Service){served, managed("cloud-controller-manager", both)}, true},
		"by another": {[]func(*corev1.Service){served, managed("cloud-controller-manager", finalizer), managed("other", address)}, false},
		"unknown":    {[]func(*corev1.Service){served}, false},
		"no address": {[]func(*corev1.Service){managed("cloud-controller-manager", address)}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			svc := frameworktest.Service("web", test.changes...)
			if got := Published(svc); got != test.want {
				t.Errorf("published: %t", got)
			}
			svc.ManagedFields = Kept(svc)
			if got := Published(svc); got != test.want {
				t.Errorf("published by what is kept: %t", got)
			}
		})
	}
}

func TestForeign(t *testing.T) {
	class := func(s *corev1.Service) { s.Spec.LoadBalancerClass = new("example.com/other") }
	tests := map[string]struct {
		changes []func(*corev1.Service)
		want    bool
	}{
		"a configured default": {nil, false},
		"a class":              {[]func(*corev1.Service){class}, true},
		"the annotation":       {[]func(*corev1.Service){frameworktest.WithAnnotation("example.com/kind", "b")}, true},
		"its alias":            {[]func(*corev1.Service){frameworktest.WithAnnotation("example.com/type", "b")}, true},
		"another value":        {[]func(*corev1.Service){frameworktest.WithAnnotation("example.com/kind", "a")}, false},
		"the annotation, no balancer": {[]func(*corev1.Service){
			frameworktest.WithAnnotation("example.com/kind", "b"), frameworktest.WithType(corev1.ServiceTypeClusterIP),
		}, false},
	}
	for name, test := range tests {
		if got := signs.Foreign(frameworktest.Service("web", test.changes...)); got != test.want {
			t.Errorf("%s: foreign: %t", name, got)
		}
	}
}
