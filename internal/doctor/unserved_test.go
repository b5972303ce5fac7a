package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	controllernames "k8s.io/cloud-provider/names"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

// A Service that nobody serves is named with the reason, and none that somebody may serve.
func TestUnserved(t *testing.T) {
	none := func(f *facts) { f.Cloud.Balancers, f.Cloud.Descriptor.Capabilities.Balancers = nil, false }
	asIs := func(*corev1.Service) {}
	for name, tt := range map[string]struct {
		cloud   func(*facts)
		service func(*corev1.Service)
		age     time.Duration
		level   Level
		says    []string
	}{
		"of a cloud without any": {none, asIs, time.Hour, Failure, []string{"1 Service of type LoadBalancer", "fake has no load balancers in this program", "MetalLB", "the cloud's own controller manager"}},
		"where others make them": {func(f *facts) { none(f); f.Cloud.Descriptor.Offline = true }, asIs, time.Hour, Failure, []string{"with fake others make load balancers", "MetalLB", "ServiceLB"}},
		"they are switched off":  {func(f *facts) { f.Cloud.Balancers = nil }, asIs, time.Hour, Failure, []string{"switches load balancers off", settingsPage}},
		"the controller is off":  {func(f *facts) { f.Manager.Enabled = map[string]bool{controllernames.ServiceLBController: false} }, asIs, time.Hour, Failure, []string{"the service controller does not run", "controllers.service.enabled"}},
		"everything runs":        {func(*facts) {}, asIs, time.Hour, OK, nil},
		"a young one":            {none, asIs, time.Minute, OK, nil},
		"one of a class":         {none, func(s *corev1.Service) { s.Spec.LoadBalancerClass = new("other") }, time.Hour, OK, nil},
		"one with an address": {none, func(s *corev1.Service) {
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
		}, time.Hour, OK, nil},
		"one with a finalizer":       {none, func(s *corev1.Service) { s.Finalizers = []string{"service.kubernetes.io/load-balancer-cleanup"} }, time.Hour, OK, nil},
		"one that is disowned":       {none, func(s *corev1.Service) { s.Annotations = map[string]string{annotation.Disown.Name: "true"} }, time.Hour, OK, nil},
		"one of another type":        {none, func(s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeNodePort }, time.Hour, OK, nil},
		"Services cannot be read":    {func(f *facts) { none(f); f.services.err = errors.New("no right") }, asIs, time.Hour, Skipped, []string{"no right"}},
		"one that hands itself over": {none, func(s *corev1.Service) { s.Annotations = map[string]string{"example.com/kind": "b"} }, time.Hour, OK, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := services(service("web", tt.age, tt.service))
			f.Cloud.Annotations = append(f.Cloud.Annotations, annotation.Key{Name: "example.com/kind", Type: annotation.TypeEnum, Enum: []string{"a", "b"}, OtherController: []string{"b"}})
			tt.cloud(f)
			o := judgeUnserved(f)
			all := o.Message + "\n" + strings.Join(o.Evidence, "\n") + "\n" + o.Fix
			if o.Level != tt.level || (o.Level == Failure) != (strings.Join(o.Evidence, "") == "shop/web") {
				t.Errorf("got %s: %s", o.Level, all)
			}
			for _, part := range tt.says {
				if !strings.Contains(all, part) {
					t.Errorf("%q is not said: %s", part, all)
				}
			}
		})
	}
}
