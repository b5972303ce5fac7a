package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// picky is a driver that refuses a health check without a path.
type picky struct{}

func (picky) Validate(spec cloud.Spec, _ bool) error {
	if spec.Options[annotation.NodeSelector.Name] != "pool=picky" {
		return nil
	}
	return errors.Join(
		&cloud.Invalid{Field: "example.com/path", Value: "x", Want: "want a path"},
		&cloud.Invalid{Field: "spec.ports[0].protocol", Value: "TCP", Want: "want another one"},
	)
}

// A Service whose annotation is refused is told by the check of annotations, also where only the driver refuses it, and nobody
// is told to wait for its address.
func TestMistakesAreNotWaitedFor(t *testing.T) {
	asking := func(selector string) func(*corev1.Service) {
		return func(s *corev1.Service) {
			s.Annotations = map[string]string{annotation.NodeSelector.Name: selector}
		}
	}
	served := func(s *corev1.Service) {
		asking("!!")(s)
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	}
	judge := func(id string, list ...corev1.Service) Outcome {
		f := services(list...)
		f.Cloud.Validator = picky{}
		for _, c := range Checks() {
			if c.ID == id {
				return c.outcome(f)
			}
		}
		t.Fatalf("there is no check %s", id)
		return Outcome{}
	}
	typo, refused, fine := service("typo", time.Hour, asking("!!")), service("refused", time.Hour, asking("pool=picky")), service("fine", time.Hour, asking("pool=a"))
	if o := judge("service-annotation-invalid", typo, refused, fine); o.Level != Failure || !strings.HasPrefix(o.Message, "2 Services ") ||
		!strings.Contains(strings.Join(o.Evidence, "\n"), "shop/refused: example.com/path: ") || len(o.Evidence) != 2 {
		t.Errorf("annotations: %+v", o)
	}
	if o := judge("service-annotation-invalid", service("served", time.Hour, served)); o.Level != Warning {
		t.Errorf("a Service with an address: %+v", o)
	}
	if o := judge("service-field-unsupported", refused); o.Level != Failure || !strings.Contains(o.Evidence[0], "spec.ports[0].protocol") {
		t.Errorf("fields: %+v", o)
	}
	if o := judge("service-without-address", typo, refused); o.Level != OK || !strings.Contains(o.Message, "see service-annotation-invalid") {
		t.Errorf("addresses: %+v", o)
	}
	o := judge("service-without-address", typo, refused, fine)
	if o.Level != Failure || !strings.HasPrefix(o.Message, "1 Service without address after 2m0s: shop/fine") || !strings.HasPrefix(o.Evidence[len(o.Evidence)-1], "2 Services without address: what they ask for is refused") {
		t.Errorf("addresses: %+v", o)
	}
	order := ""
	for _, c := range Checks() {
		order += c.ID + " "
	}
	if strings.Index(order, "service-annotation-invalid ") > strings.Index(order, "service-without-address ") {
		t.Error("what is to be mended is told after what waits for it")
	}
}
