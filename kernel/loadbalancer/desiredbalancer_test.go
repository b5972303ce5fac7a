package loadbalancer

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestShape(t *testing.T) {
	tests := []struct {
		name     string
		existing bool
		edit     func(*corev1.Service)
		ports    int
		scope    cloud.Scope
		id       string
		fails    bool
	}{
		{"new", false, func(*corev1.Service) {}, 1, cloud.ScopeExternal, "", false},
		{"settled", true, func(*corev1.Service) {}, 1, cloud.ScopeExternal, "lb-1", false},
		{"changed", true, morePorts, 2, cloud.ScopeExternal, "lb-1", false},
		{"changed but disowned", true, func(svc *corev1.Service) { morePorts(svc); annotated(annotation.Disown.Name, "true")(svc) }, 1, cloud.ScopeExternal, "lb-1", false},
		{"changed but being deleted", true, func(svc *corev1.Service) { morePorts(svc); svc.DeletionTimestamp = &metav1.Time{} }, 1, cloud.ScopeExternal, "lb-1", false},
		{"immutable", true, annotated(keyInternal.Name, "true"), 1, cloud.ScopeExternal, "lb-1", false},
		{"to be replaced", true, func(svc *corev1.Service) {
			annotated(keyInternal.Name, "true")(svc)
			annotated(annotation.AllowReplacement.Name, "true")(svc)
		}, 1, cloud.ScopeExternal, "lb-1", false},
		{"impossible", true, annotated(keyTier.Name, "golden"), 1, cloud.ScopeExternal, "lb-1", false},
		{"impossible and new", false, annotated(keyTier.Name, "golden"), 0, "", "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			if test.existing {
				f.settle()
			}
			f.events.take()
			writes := len(f.driver.writes)
			test.edit(f.svc)
			b, id, err := f.Desired(t.Context(), f.svc, f.nodes)
			if len(b.Listeners) != test.ports || b.Scope != test.scope || id != test.id || (err != nil) != test.fails {
				t.Errorf("got %d ports, %q, %q, %v", len(b.Listeners), b.Scope, id, err)
			}
			if len(f.driver.writes) != writes {
				t.Error("it wrote")
			}
			f.said()
		})
	}
}

func morePorts(svc *corev1.Service) {
	svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: "more", Port: 8080, NodePort: 30080, Protocol: corev1.ProtocolTCP})
}
